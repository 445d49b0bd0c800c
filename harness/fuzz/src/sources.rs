//! The files of a subject's code, and their texts.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use stickler_reading::words::has_word;
use stickler_suite::config::Config;

/// Larger files are no source, in bytes.
const LARGEST: u64 = 16 << 20;
/// How much of a source file is read, in bytes.
const SOURCE: usize = 1 << 20;
/// The most source files.
const FILES: usize = 40;
/// How deep folders are looked through.
const DEEPEST: usize = 6;
/// How many files beside one are looked for in it.
const BESIDE: usize = 400;
/// How many entries of a folder are looked at.
const ENTRIES: usize = 4_000;

/// The subject, and the other files in its command line.
pub fn files(config: &Config) -> Vec<PathBuf> {
    let path = config.subject.path.iter().cloned();
    let command = config.subject.command.iter().map(PathBuf::from);
    let files = path.chain(command).map(|file| config.dir.join(file));
    files.filter(|file| file.is_file()).collect()
}

/// The texts of the subject's code: of the files in its command line, and of those beside them that they name; of a
/// subject that is a folder, of the code in it. Large files are no code, and an interpreter is none of the subject's.
pub fn sources(config: &Config) -> Vec<Vec<u8>> {
    let path = config
        .subject
        .path
        .as_ref()
        .map(|path| config.dir.join(path));
    let inside = path.filter(|path| path.is_dir()).map(|folder| {
        let mut inside = code_below(&folder, DEEPEST);
        // What is named after what the examples are about comes first.
        let kinds: Vec<&str> = config
            .examples
            .iter()
            .filter_map(|one| one.kind.as_deref())
            .collect();
        let is_about = |file: &PathBuf| {
            let name = file.to_string_lossy();
            kinds.iter().any(|kind| name.contains(kind))
        };
        inside.sort_by_key(|file| !is_about(file));
        inside.truncate(FILES);
        inside
    });
    let files = files(config)
        .into_iter()
        .chain(inside.into_iter().flatten());
    texts(files.collect())
}

/// The files with code in a folder and in those below it, without tests and what belongs to others.
fn code_below(folder: &Path, left: usize) -> Vec<PathBuf> {
    const CODE: [&str; 12] = [
        "rb", "go", "py", "pl", "pm", "sh", "c", "h", "rs", "js", "lua", "tcl",
    ];
    const OTHERS: [&str; 9] = [
        "spec",
        "test",
        "tests",
        "testdata",
        "vendor",
        "node_modules",
        "target",
        "docs",
        "pkg",
    ];
    let mut files = Vec::new();
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(ENTRIES);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_hidden = name.starts_with('.');
        let kind = path.extension().and_then(|kind| kind.to_str());
        // Links may lead anywhere, also back.
        let Ok(data) = fs::symlink_metadata(&path) else {
            continue;
        };
        if data.is_dir() && left > 0 && !is_hidden && !OTHERS.contains(&&*name) {
            files.extend(code_below(&path, left - 1));
        } else if data.is_file()
            && kind.is_some_and(|kind| CODE.contains(&kind))
            && !name.ends_with("_test.go")
        {
            files.push(path);
        }
    }
    files
}

fn texts(files: Vec<PathBuf>) -> Vec<Vec<u8>> {
    let is_small = |file: &PathBuf| fs::metadata(file).is_ok_and(|data| data.len() < LARGEST);
    let mut known: Vec<PathBuf> = files.into_iter().filter(is_small).collect();
    let mut texts: Vec<Vec<u8>> = known.iter().filter_map(|file| read(file)).collect();
    if texts.iter().any(|text| !is_binary(text)) {
        texts.retain(|text| !is_binary(text));
    }
    let mut at = 0;
    while at < texts.len() && texts.len() < FILES {
        let beside = known.iter().flat_map(|file| beside(file));
        let beside: BTreeSet<PathBuf> = beside.filter(is_small).collect();
        for file in beside {
            let stem = file.file_stem().unwrap_or_default().as_encoded_bytes();
            let is_new = !known.contains(&file) && !is_binary(&texts[at]);
            if is_new
                && has_word(&texts[at], stem)
                && let Some(text) = read(&file).filter(|text| !is_binary(text))
            {
                known.push(file);
                texts.push(text);
            }
        }
        at += 1;
    }
    texts
}

/// As much of a file as is looked at. `None` if it cannot be read.
fn read(file: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let file = fs::File::open(file).ok()?;
    file.take(SOURCE as u64).read_to_end(&mut text).ok()?;
    Some(text)
}

fn is_binary(text: &[u8]) -> bool {
    text.starts_with(b"\x7fELF")
}

/// The files of the same kind in a file's folder.
fn beside(file: &Path) -> Vec<PathBuf> {
    let kind = file.extension();
    let entries = file.parent().filter(|_| kind.is_some()).map(fs::read_dir);
    let entries = entries
        .into_iter()
        .flatten()
        .flatten()
        .flatten()
        .take(ENTRIES);
    let all = entries.map(|entry| entry.path());
    all.filter(|path| path.extension() == kind && path.is_file())
        .take(BESIDE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, code_below, texts};
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_subject_is_read_and_the_files_that_it_imports() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let interpreter = file("interpreter", "\x7fELF and more");
        let main = file("main.py", "from base import Module");
        file("base.py", "import deeper.parts");
        file("parts.py", "'deep'");
        file("unnamed.py", "'other'");
        file("base.rb", "'of another language'");
        let found = texts(vec![interpreter.clone(), main]);
        assert_eq!(
            found,
            ["from base import Module", "import deeper.parts", "'deep'"]
                .map(|text| text.as_bytes().to_vec())
        );
        // A program that is compiled is all there is.
        assert_eq!(texts(vec![interpreter]).len(), 1);
    }

    #[test]
    fn the_code_of_a_folder_is_read_without_tests() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        };
        for name in [
            "lib/puppet/type/flag.rb",
            "job.go",
            "job_test.go",
            "spec/flag_spec.rb",
            ".git/hook.sh",
            "README.md",
        ] {
            file(name);
        }
        std::os::unix::fs::symlink("..", folder.path().join("lib/up")).expect("linked");
        let found = code_below(folder.path(), DEEPEST);
        let found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(folder.path()).expect("inside"))
            .collect();
        assert_eq!(
            found,
            [Path::new("job.go"), Path::new("lib/puppet/type/flag.rb")]
        );
    }
}
