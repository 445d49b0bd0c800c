//! The pages for users: what they link to, and what they show.

use crate::common::{root, stickler};
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

/// Does what a page says in a folder of this name, and compares what it shows.
fn follow(page: &str, folder: &str) {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join(folder);
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
                    .current_dir(&folder)
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
fn the_start_page_of_promise_modules_shows_what_check_prints() {
    follow("start-promise-modules.md", "greeting");
}

#[test]
fn the_start_page_of_puppet_shows_what_check_prints() {
    follow("start-puppet.md", "mail");
}

#[test]
fn the_start_pages_have_the_same_headings() {
    let headings = |page: &str| {
        let text = read(&root().join("docs").join(page));
        let lines = text.lines().filter(|line| line.starts_with("## "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        headings("start-promise-modules.md"),
        headings("start-puppet.md")
    );
}
