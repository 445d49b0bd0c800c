//! Guesses from a module's file: its interpreter, and whether the system starts it.

use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use stickler_judge::Exit;

/// The interpreters for file extensions.
const EXTENSIONS: &[(&str, &str)] = &[
    ("py", "python3"),
    ("sh", "/bin/bash"),
    ("bash", "/bin/bash"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("php", "php"),
    ("lua", "lua"),
    ("tcl", "tclsh"),
    ("java", "java"),
];

/// The interpreter: the given one; none for an executable that the system runs itself; otherwise
/// the one from its first line or its extension.
///
/// # Errors
/// If nothing indicates an interpreter.
pub fn interpreter(module: &Path, given: Option<&str>) -> Result<Option<String>, Failure> {
    if let Some(given) = given {
        return Ok(Some(given.to_owned()));
    }
    let start = start(module)?;
    let executable = is_executable(module);
    let binary = start.starts_with(b"\x7fELF");
    let named = first_line(&start);
    let runs = named.as_deref().is_some_and(exists) && not_started(&start).is_none();
    if executable && (binary || runs) {
        return Ok(None);
    }
    let extension = module
        .extension()
        .and_then(|extension| extension.to_str())
        .and_then(|extension| EXTENSIONS.iter().find(|(known, _)| *known == extension))
        .map(|(_, program)| (*program).to_owned());
    if let Some(found) = named.filter(|name| exists(name)).or(extension) {
        return Ok(Some(found));
    }
    let why = if binary {
        "is a program but not executable\n  run chmod +x on it"
    } else if executable && !start.starts_with(b"#!") {
        "has no first line such as #!/usr/bin/python3, and its extension names no interpreter \
         on this machine\n  add the line, or set --interpreter /usr/bin/python3"
    } else if executable {
        "neither its first line (#!…) nor its extension names an interpreter on this machine\n  \
         set one, such as --interpreter /usr/bin/python3"
    } else {
        "is not executable, and neither its first line nor its extension names an interpreter\n  \
         run chmod +x on it, or set --interpreter /usr/bin/python3"
    };
    Err(Failure {
        exit: Exit::NoSession,
        message: format!("{}: {why}", module.display()),
    })
}

/// The interpreter in the first line of a file that is not executable, if it is on this machine.
pub fn named_by_first_line(module: &Path) -> Option<String> {
    let start = start(module).ok().filter(|_| !is_executable(module))?;
    first_line(&start).filter(|name| exists(name))
}

/// Why the system does not run this file itself, if that is so.
pub fn not_direct(module: &Path) -> Option<String> {
    if !is_executable(module) {
        return Some("it is not executable".to_owned());
    }
    not_started(&start(module).ok()?)
}

/// Why the kernel does not start a script that begins like this, if that is so.
fn not_started(start: &[u8]) -> Option<String> {
    let Some(rest) = start.strip_prefix(b"#!") else {
        // Other bytes may be a format that the machine knows.
        let is_text = std::str::from_utf8(start).is_ok() && !start.contains(&0);
        return is_text.then(|| "it has no first line such as #!/usr/bin/python3".to_owned());
    };
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line.strip_suffix(b"\r")?).ok()?;
    let word = line.split_whitespace().next_back().unwrap_or_default();
    let word = word.rsplit('/').next().unwrap_or(word);
    let word = stickler_report::visible(word);
    Some(format!(
        "its lines end with CRLF, so the kernel looks for `{word}\\r`"
    ))
}

fn is_executable(module: &Path) -> bool {
    std::fs::metadata(module).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

fn start(module: &Path) -> Result<Vec<u8>, Failure> {
    let mut start = Vec::new();
    File::open(module)
        .and_then(|file| file.take(512).read_to_end(&mut start))
        .map_err(|error| {
            Failure::usage(format!("{}: cannot be read: {error}", module.display()))
        })?;
    Ok(start)
}

/// The program of a `#!` line; for `env`, the name that it looks up.
fn first_line(start: &[u8]) -> Option<String> {
    let line = start.strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let program = words.next()?;
    if Path::new(program)
        .file_name()
        .is_some_and(|name| name == "env")
    {
        return words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .map(str::to_owned);
    }
    Some(program.to_owned())
}

/// Can a subject use this program?
fn exists(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|folder| Path::new(folder).join(program).is_file())
}

/// The path from a folder to a file. Both are absolute.
pub fn relative(folder: &Path, file: &Path) -> PathBuf {
    let file = match (file.parent().map(std::fs::canonicalize), file.file_name()) {
        // The file itself may be a link, but its own name counts.
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => file.to_owned(),
    };
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut path: PathBuf = from[common..]
        .iter()
        .map(|_| Component::ParentDir)
        .collect();
    path.extend(&to[common..]);
    path
}

#[cfg(test)]
mod tests {
    use super::{first_line, not_started, relative};
    use std::path::Path;

    #[test]
    fn first_lines_name_programs() {
        assert_eq!(first_line(b"#!/bin/sh\nx").as_deref(), Some("/bin/sh"));
        assert_eq!(
            first_line(b"#! /usr/bin/env -S A=1 python3 -u\n").as_deref(),
            Some("python3")
        );
        assert_eq!(first_line(b"import x\n"), None);
    }

    #[test]
    fn a_module_that_the_kernel_does_not_start_is_explained() {
        let told = |start: &[u8]| not_started(start).unwrap_or_default();
        assert!(told(b"#!/usr/bin/env python3\r\nimport x\r\n").ends_with("`python3\\r`"));
        assert!(told(b"#!/usr/bin/python3\r\n").ends_with("`python3\\r`"));
        assert!(told(b"import x\n").contains("no first line"));
        assert_eq!(told(b"#!/bin/sh\necho\r\n"), "");
        assert_eq!(told(b"\x7fELF\x02\0"), "");
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        assert_eq!(
            relative(Path::new("/nope/a/b"), Path::new("/nope/a/b/m.py")),
            Path::new("m.py")
        );
        assert_eq!(
            relative(Path::new("/nope/a/b"), Path::new("/nope/c/m.py")),
            Path::new("../../c/m.py")
        );
    }
}
