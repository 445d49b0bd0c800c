//! How a subject tells what it runs: by its interpreter, or by what is compiled into it.

use std::fs::File;
use std::io::Read;
use stickler_transcript::Bytes;

/// How a subject tells which lines it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A hook in PYTHONPATH, with `sys.settrace`.
    Python,
    /// A file in BASH_ENV, with `set -x` on a descriptor of its own.
    Bash,
    /// A file in RUBYOPT, with a trace point.
    Ruby,
    /// [`RUNTIME`], compiled into the program.
    Native,
    /// The runtime of AFL++, compiled into the program.
    Afl,
}

/// What an author compiles into a native program, in C.
pub const RUNTIME: &str = include_str!("../shims/coverage.c");
/// The variable that names the shared file.
pub(crate) const VARIABLE: &str = "STICKLER_COVERAGE";
/// The variable with the number of AFL++'s segment, and the one with its size.
pub(crate) const AFL: [&str; 2] = ["__AFL_SHM_ID", "AFL_MAP_SIZE"];
/// The most bytes of a program that are read.
const LARGEST: u64 = 64 << 20;

impl Kind {
    /// What runs this program, if it can tell lines. `program` is its path or name.
    pub fn of_program(program: &str) -> Option<Kind> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "python" => Some(Kind::Python),
            "bash" => Some(Kind::Bash),
            "ruby" => Some(Kind::Ruby),
            _ => None,
        }
    }

    /// The interpreter in a command line or in the first line of its program, or what is compiled
    /// into the program.
    pub fn of_command(argv: &[Bytes]) -> Option<Kind> {
        let program = argv.first()?.lossy().into_owned();
        Kind::of_program(&program).or_else(|| {
            let mut content = Vec::new();
            let file = File::open(&program).ok()?;
            file.take(LARGEST).read_to_end(&mut content).ok()?;
            let Some(line) = content.strip_prefix(b"#!") else {
                return Kind::of_binary(&content);
            };
            let line = line.split(|byte| *byte == b'\n').next()?;
            // The interpreter may stand behind `env` and its options.
            let line = String::from_utf8_lossy(line);
            line.split_whitespace().find_map(Kind::of_program)
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Python => "python",
            Kind::Bash => "bash",
            Kind::Ruby => "ruby",
            Kind::Native => "native",
            Kind::Afl => "afl",
        }
    }

    /// What a subject tells.
    pub fn units(self) -> &'static str {
        match self {
            Kind::Python | Kind::Bash | Kind::Ruby => "lines",
            Kind::Native | Kind::Afl => "branches",
        }
    }

    /// What is compiled into a native program, if it can tell branches.
    pub fn of_binary(program: &[u8]) -> Option<Kind> {
        let has = |name: &str| memchr::memmem::find(program, name.as_bytes()).is_some();
        if !program.starts_with(b"\x7fELF") {
            None
        } else if has(VARIABLE) {
            Some(Kind::Native)
        } else {
            has(AFL[0]).then_some(Kind::Afl)
        }
    }

    /// Do subjects have to share the campaign's System V segments?
    pub fn shares_segments(self) -> bool {
        self == Kind::Afl
    }

    /// The file that the interpreter reads at its start, and its text.
    pub(crate) fn shim(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Kind::Python => (
                "sitecustomize.py",
                include_str!("../shims/sitecustomize.py"),
            ),
            Kind::Bash => ("coverage.bash", include_str!("../shims/coverage.bash")),
            Kind::Ruby => ("coverage.rb", include_str!("../shims/coverage.rb")),
            Kind::Native | Kind::Afl => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn interpreters_are_known_by_their_names() {
        assert_eq!(Kind::of_program("/usr/bin/python3.11"), Some(Kind::Python));
        assert_eq!(Kind::of_program("bash"), Some(Kind::Bash));
        assert_eq!(Kind::of_program("/usr/bin/ruby3.1"), Some(Kind::Ruby));
        assert_eq!(Kind::of_program("/bin/sh"), None);
        assert_eq!(
            Kind::of_binary(b"\x7fELF..STICKLER_COVERAGE"),
            Some(Kind::Native)
        );
        assert_eq!(Kind::of_binary(b"\x7fELF..__AFL_SHM_ID"), Some(Kind::Afl));
        assert_eq!(Kind::of_binary(b"\x7fELF"), None);
        assert_eq!(Kind::of_binary(b"#!/bin/sh\necho STICKLER_COVERAGE"), None);
    }

    #[test]
    fn a_command_is_run_by_what_its_first_line_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = |text: &str| {
            let path = folder.path().join("module");
            fs::write(&path, text).expect("written");
            Kind::of_command(&[path.display().to_string().as_str().into()])
        };
        assert_eq!(kind("#!/usr/bin/env -S python3 -u\n"), Some(Kind::Python));
        assert_eq!(kind("#!/bin/bash\nruby\n"), Some(Kind::Bash));
        assert_eq!(kind("#!/bin/sh\n"), None);
        assert_eq!(kind("python3\n"), None);
        assert_eq!(Kind::of_command(&["ruby".into()]), Some(Kind::Ruby));
        assert_eq!(Kind::of_command(&[]), None);
    }
}
