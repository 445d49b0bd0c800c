//! How a subject tells what it runs: by its interpreter, or by what is compiled into it.

use std::fs::File;
use std::io::Read;
use stickler_transcript::Bytes;

/// How a subject tells which lines it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageKind {
    /// A hook in PYTHONPATH, which compiles the program so that it tells.
    Python,
    /// A file in BASH_ENV, with `set -x` on a descriptor of its own.
    Bash,
    /// A file in RUBYOPT, with trace points on the subject's own lines.
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

impl CoverageKind {
    /// What runs this program, if it can tell lines. `program` is its path or name.
    pub fn of_program(program: &str) -> Option<CoverageKind> {
        let name = program.rsplit('/').next().unwrap_or(program);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        match stem {
            "python" => Some(CoverageKind::Python),
            "bash" => Some(CoverageKind::Bash),
            "ruby" => Some(CoverageKind::Ruby),
            _ => None,
        }
    }

    /// The interpreter in a command line or in the first line of its program, or what is compiled
    /// into the program.
    pub fn of_command(argv: &[Bytes]) -> Option<CoverageKind> {
        let program = argv.first()?.lossy().into_owned();
        CoverageKind::of_program(&program).or_else(|| {
            let mut content = Vec::new();
            let file = File::open(&program).ok()?;
            file.take(LARGEST).read_to_end(&mut content).ok()?;
            let Some(line) = content.strip_prefix(b"#!") else {
                return CoverageKind::of_binary(&content);
            };
            let line = line.split(|byte| *byte == b'\n').next()?;
            // The interpreter may stand behind `env` and its options.
            let line = String::from_utf8_lossy(line);
            line.split_whitespace().find_map(CoverageKind::of_program)
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CoverageKind::Python => "python",
            CoverageKind::Bash => "bash",
            CoverageKind::Ruby => "ruby",
            CoverageKind::Native => "native",
            CoverageKind::Afl => "afl",
        }
    }

    /// What a subject tells.
    pub fn units(self) -> &'static str {
        match self {
            CoverageKind::Python | CoverageKind::Bash | CoverageKind::Ruby => "lines",
            CoverageKind::Native | CoverageKind::Afl => "branches",
        }
    }

    /// What is compiled into a native program, if it can tell branches.
    pub fn of_binary(program: &[u8]) -> Option<CoverageKind> {
        let has = |name: &str| memchr::memmem::find(program, name.as_bytes()).is_some();
        if !program.starts_with(b"\x7fELF") {
            None
        } else if has(VARIABLE) {
            Some(CoverageKind::Native)
        } else {
            has(AFL[0]).then_some(CoverageKind::Afl)
        }
    }

    /// Do subjects have to share the campaign's System V segments?
    pub fn shares_segments(self) -> bool {
        self == CoverageKind::Afl
    }

    /// Files that this one reads, and their texts.
    pub(crate) fn beside(self) -> &'static [(&'static str, &'static str)] {
        match self {
            CoverageKind::Python => &[
                (
                    "stickler_instrument.py",
                    include_str!("../shims/instrument.py"),
                ),
                (
                    "stickler_comparisons.py",
                    include_str!("../shims/comparisons.py"),
                ),
            ],
            _ => &[],
        }
    }

    /// The file that the interpreter reads at its start, and its text.
    pub(crate) fn shim(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            CoverageKind::Python => (
                "sitecustomize.py",
                include_str!("../shims/sitecustomize.py"),
            ),
            CoverageKind::Bash => ("coverage.bash", include_str!("../shims/coverage.bash")),
            CoverageKind::Ruby => ("coverage.rb", include_str!("../shims/coverage.rb")),
            CoverageKind::Native | CoverageKind::Afl => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn interpreters_are_known_by_their_names() {
        assert_eq!(
            CoverageKind::of_program("/usr/bin/python3.11"),
            Some(CoverageKind::Python)
        );
        assert_eq!(CoverageKind::of_program("bash"), Some(CoverageKind::Bash));
        assert_eq!(
            CoverageKind::of_program("/usr/bin/ruby3.1"),
            Some(CoverageKind::Ruby)
        );
        assert_eq!(CoverageKind::of_program("/bin/sh"), None);
        assert_eq!(
            CoverageKind::of_binary(b"\x7fELF..STICKLER_COVERAGE"),
            Some(CoverageKind::Native)
        );
        assert_eq!(
            CoverageKind::of_binary(b"\x7fELF..__AFL_SHM_ID"),
            Some(CoverageKind::Afl)
        );
        assert_eq!(CoverageKind::of_binary(b"\x7fELF"), None);
        assert_eq!(
            CoverageKind::of_binary(b"#!/bin/sh\necho STICKLER_COVERAGE"),
            None
        );
    }

    #[test]
    fn a_command_gets_its_coverage_kind_from_its_shebang_or_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = |text: &str| {
            let path = folder.path().join("module");
            fs::write(&path, text).expect("written");
            CoverageKind::of_command(&[path.display().to_string().as_str().into()])
        };
        assert_eq!(
            kind("#!/usr/bin/env -S python3 -u\n"),
            Some(CoverageKind::Python)
        );
        assert_eq!(kind("#!/bin/bash\nruby\n"), Some(CoverageKind::Bash));
        assert_eq!(kind("#!/bin/sh\n"), None);
        assert_eq!(kind("python3\n"), None);
        assert_eq!(
            CoverageKind::of_command(&["ruby".into()]),
            Some(CoverageKind::Ruby)
        );
        assert_eq!(CoverageKind::of_command(&[]), None);
    }
}
