//! The pages for users: what they link to, and what they show.

use crate::common::{part, root, stickler};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages in `docs/`.
fn docs() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).expect("docs/");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `stickler-generate` keeps the other tables of dialects.
#[test]
fn each_dialect_stands_in_the_map_of_pages() {
    let map = read(&root().join("docs/README.md"));
    for dialect in stickler_dialects::all() {
        let rules = dialect.rules_page().trim_start_matches("docs/");
        assert!(map.contains(rules), "docs/README.md lacks {rules}");
    }
}

/// The text outside code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            // Code in a sentence may hold brackets.
            let outside = line.split('`').step_by(2);
            kept.push_str(&outside.collect::<Vec<_>>().join("`"));
            kept.push('\n');
        }
    }
    kept
}

/// The addresses that a page links to.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let parts = prose.split("](").skip(1);
    parts
        .filter_map(|part| part.split_once(')'))
        .map(|(address, _)| address.to_owned())
        .collect()
}

/// The anchors that GitHub gives to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let headings = text.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}

#[test]
fn the_readme_and_the_map_link_to_each_page() {
    for (page, folder) in [("README.md", "docs/"), ("docs/README.md", "")] {
        let links = links(&read(&root().join(page)));
        for path in docs() {
            let name = path.file_name().expect("a name").to_string_lossy();
            let is_itself = root().join(page) == path;
            let address = format!("{folder}{name}");
            assert!(
                is_itself || links.contains(&address),
                "{page} has no link to {address}"
            );
        }
    }
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let others = ["README.md", "CONTRIBUTING.md", "DESIGN.md", "CHANGELOG.md"];
    let pages = docs()
        .into_iter()
        .chain(others.map(|name| root().join(name)));
    for page in pages {
        let text = read(&page);
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            assert!(
                anchor.is_empty() || anchors(&read(&target)).contains(anchor),
                "{}: {link}",
                page.display()
            );
        }
    }
}

/// A block of code on a page.
struct Block<'t> {
    /// The words after the backticks, such as `toml stickler.toml`.
    about: &'t str,
    text: String,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(about) = line.strip_prefix("```") {
            let inner = lines.by_ref().take_while(|line| *line != "```");
            let text = inner.fold(String::new(), |text, line| text + line + "\n");
            blocks.push(Block { about, text });
        }
    }
    blocks
}

/// Applies a difference to the one file that has its old lines.
fn edit(files: &[PathBuf], difference: &str) {
    let side = |own: char| {
        let lines = difference.lines();
        let own = lines.filter_map(|line| line.strip_prefix([own, ' ']));
        own.fold(String::new(), |text, line| text + line + "\n")
    };
    let (old, new) = (side('-'), side('+'));
    let mut edited = 0;
    for file in files {
        let text = read(file);
        if text.contains(&old) {
            fs::write(file, text.replacen(&old, &new, 1)).expect("a file");
            edited += 1;
        }
    }
    assert_eq!(
        edited, 1,
        "these lines are in no file, or in several:\n{old}"
    );
}

/// The lines that name a failure or the result.
fn results(text: &str) -> Vec<&str> {
    let words = ["FAIL ", "WARN ", "FAILED: ", "passed"];
    let lines = text.lines();
    lines
        .filter(|line| words.iter().any(|word| line.starts_with(word)))
        .collect()
}

/// Does what a page says in a folder of this name, with a part of the suite, and compares what it shows.
fn follow(page: &str, folder: &str, part: &[&str]) {
    let scratch = tempfile::tempdir().expect("a folder");
    follow_in(page, &scratch.path().join(folder), part);
}

/// The same in a folder in which something may be already.
fn follow_in(page: &str, folder: &Path, part: &[&str]) {
    let text = read(&root().join("docs").join(page));
    let mut files = Vec::new();
    let mut runs = 0;
    for block in blocks(&text) {
        match block.about.split_once(' ') {
            Some((_, name)) => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(&path, &block.text).expect("a file");
                files.push(path);
            }
            None if block.about == "diff" => edit(&files, &block.text),
            None => {
                let first = block.text.lines().next().unwrap_or_default();
                let Some(arguments) = first.strip_prefix("$ stickler ") else {
                    continue;
                };
                let output = stickler()
                    .args(arguments.split(' '))
                    .args(["--time", "none"])
                    .args(part)
                    .current_dir(folder)
                    .output()
                    .expect("the binary runs");
                let shown = String::from_utf8_lossy(&output.stdout);
                assert_eq!(results(&shown), results(&block.text), "{page}:\n{shown}");
                runs += 1;
            }
        }
    }
    assert!(runs > 0, "{page} shows no run");
}

#[test]
fn the_promise_modules_start_page_shows_the_output_of_check() {
    follow("start-promise-modules.md", "greeting", part());
}

#[test]
fn the_puppet_start_page_shows_the_output_of_check() {
    // It shows what a kill leaves, which is no quick session.
    follow("start-puppet.md", "mail", &[]);
}

#[test]
fn the_mgmt_start_page_shows_the_output_of_check() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("motd");
    fs::create_dir(&folder).expect("a folder");
    let mgmt = root().join("fixtures/resources/era_context/mgmt");
    let module = format!(
        "module example.com/motd\n\ngo 1.19\n\nrequire github.com/purpleidea/mgmt v0.0.0\n\n\
         replace github.com/purpleidea/mgmt => {}\n",
        mgmt.display()
    );
    fs::write(folder.join("go.mod"), module).expect("a file");
    follow_in("start-mgmt.md", &folder, part());
}

/// A named block of a page.
fn named(page: &str, about: &str) -> String {
    let text = read(&root().join("docs").join(page));
    let block = blocks(&text).into_iter().find(|one| one.about == about);
    block.expect("a block of this name").text
}

#[test]
fn the_test_of_the_start_page_lets_go_test_call_the_binary() {
    let folder = crate::mgmt::resources::package("note", &[]);
    let test = named("start-mgmt.md", "go stickler_test.go");
    folder.write(
        "stickler_test.go",
        &test.replace("package motd", "package note"),
    );
    let beside = Path::new(crate::common::STICKLER)
        .parent()
        .expect("a folder");
    let run = |beside: Option<&Path>| {
        let path = std::env::var_os("PATH").expect("a PATH");
        let rest = std::env::split_paths(&path).filter(|folder| !folder.join("stickler").exists());
        let path = std::env::join_paths(beside.map(Path::to_owned).into_iter().chain(rest));
        let mut command = crate::common::Call::of("go");
        command
            .args(["test", "-count=1", "-v", "."])
            .current_dir(folder.path())
            .env("PATH", path.expect("a PATH"));
        let output = command.output().expect("go runs");
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let (passes, text) = run(Some(beside));
    assert!(passes && text.contains("--- PASS: TestStickler"), "{text}");
    folder.replace("note.go", "obj.Loud != res.Loud", "false");
    let (passes, text) = run(Some(beside));
    assert!(!passes && text.contains("MR403"), "{text}");
    let (passes, text) = run(None);
    assert!(passes && text.contains("stickler is not in PATH"), "{text}");
}

#[test]
fn the_start_pages_have_the_same_headings() {
    let headings = |page: &str| {
        let text = read(&root().join("docs").join(page));
        let lines = text.lines().filter(|line| line.starts_with("## "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = headings("start-promise-modules.md");
    assert_eq!(headings("start-puppet.md"), first);
    assert_eq!(headings("start-mgmt.md"), first);
}
