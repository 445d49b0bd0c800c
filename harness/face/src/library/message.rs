//! Reads in an interpreter's message which library it did not find.

use std::path::{Component, Path, PathBuf};

/// A library that an interpreter did not find.
#[derive(Debug, PartialEq)]
pub struct Missing {
    /// Its name, as the program imports it.
    pub name: String,
    /// The program's language.
    pub language: &'static str,
    /// The files that may hold it, relative to a folder in which the interpreter looks.
    pub files: Vec<PathBuf>,
    /// What makes it found.
    pub remedy: Remedy,
}

/// What makes a library found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remedy {
    /// Its folder in this variable of the environment.
    Variable(&'static str),
    /// Another path in the script's `source` line.
    Source,
}

/// How an interpreter says that it did not find a library.
struct Interpreter {
    language: &'static str,
    /// What comes before the name.
    before: &'static [&'static str],
    variable: &'static str,
    /// The files of a name.
    files: fn(&str) -> Vec<String>,
}

const INTERPRETERS: [Interpreter; 4] = [
    Interpreter {
        language: "Python",
        before: &["No module named "],
        variable: "PYTHONPATH",
        files: |name| {
            let path = name.replace('.', "/");
            vec![format!("{path}.py"), format!("{path}/__init__.py")]
        },
    },
    Interpreter {
        language: "Ruby",
        before: &["cannot load such file -- "],
        variable: "RUBYLIB",
        files: |name| vec![format!("{}.rb", name.strip_suffix(".rb").unwrap_or(name))],
    },
    Interpreter {
        language: "Perl",
        before: &["Can't locate "],
        variable: "PERL5LIB",
        files: |name| vec![name.to_owned()],
    },
    Interpreter {
        language: "Node",
        before: &["Cannot find module '", "Cannot find package '"],
        variable: "NODE_PATH",
        files: |name| {
            let forms = ["", ".js", ".cjs", "/package.json", "/index.js"];
            forms.iter().map(|end| format!("{name}{end}")).collect()
        },
    },
];

/// The libraries that a program's standard error output calls missing.
pub fn read(errors: &str) -> Vec<Missing> {
    let mut all: Vec<Missing> = Vec::new();
    for line in errors.lines() {
        let missing = INTERPRETERS.iter().find_map(|one| one.read(line));
        if let Some(missing) = missing.or_else(|| script(line))
            && !all.contains(&missing)
        {
            all.push(missing);
        }
    }
    all
}

impl Interpreter {
    fn read(&self, line: &str) -> Option<Missing> {
        let mut rest = self.before.iter();
        let rest = rest.find_map(|before| Some(line.split_once(before)?.1))?;
        let name = rest.trim_start_matches(['\'', '"']);
        let ends = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ';');
        let name = &name[..name.find(ends).unwrap_or(name.len())];
        // Perl names a file; it says the same of methods without a package.
        if self.language == "Perl" && !name.ends_with(".pm") {
            return None;
        }
        let files: Vec<PathBuf> = (self.files)(name).into_iter().map(PathBuf::from).collect();
        files.iter().all(|file| is_plain(file)).then(|| Missing {
            name: name.to_owned(),
            language: self.language,
            files,
            remedy: Remedy::Variable(self.variable),
        })
    }
}

/// A file that a shell script includes.
fn script(line: &str) -> Option<Missing> {
    let path = match line.strip_suffix(": No such file or directory") {
        Some(start) => start.rsplit(": ").next()?,
        // As dash says it.
        None => line
            .split_once(": cannot open ")?
            .1
            .strip_suffix(": No such file")?,
    };
    let name = Path::new(path).file_name()?.to_str()?;
    let is_script = [".sh", ".bash"].iter().any(|end| name.ends_with(end));
    is_script.then(|| Missing {
        name: name.to_owned(),
        language: "the shell",
        files: vec![PathBuf::from(name)],
        remedy: Remedy::Source,
    })
}

/// Does a path stay in the folder to which it is relative?
fn is_plain(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[track_caller]
    fn says(errors: &str, names: &[&str]) {
        let all = read(errors);
        let read: Vec<&str> = all.iter().map(|one| &one.name[..]).collect();
        assert_eq!(read, names, "{errors}");
    }

    #[test]
    fn each_interpreter_names_the_library_in_its_own_words() {
        says("ModuleNotFoundError: No module named 'a_b'", &["a_b"]);
        says("ImportError: No module named a.b", &["a.b"]);
        says(
            "ModuleNotFoundError: No module named 'a.b'; 'a' is not a package",
            &["a.b"],
        );
        says(
            "<internal:/usr/lib/ruby/rubygems/core_ext/kernel_require.rb>:85:in `require': cannot \
             load such file -- a/b (LoadError)\n\tfrom m.rb:1:in `<main>'",
            &["a/b"],
        );
        says(
            "Can't locate A/B.pm in @INC (you may need to install the A::B module) at m.pl line 1.",
            &["A/B.pm"],
        );
        says(
            "Error: Cannot find module '@a/b'\nRequire stack:",
            &["@a/b"],
        );
        says(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'a' imported from /tmp/a.mjs",
            &["a"],
        );
        says(
            "m.sh: line 3: /var/lib/c.sh: No such file or directory",
            &["c.sh"],
        );
        says("m.sh: 2: .: cannot open ./c.sh: No such file", &["c.sh"]);
    }

    #[test]
    fn other_failures_name_no_library() {
        says("ImportError: cannot import name 'a' from 'os'", &[]);
        says("Can't locate object method \"x\" via package \"A\"", &[]);
        says("m.sh: line 3: /usr/bin/a: No such file or directory", &[]);
        says("cat: notes: No such file or directory", &[]);
    }

    #[test]
    fn a_library_name_outside_its_folder_is_not_searched_for() {
        says("m.rb: cannot load such file -- /srv/lib/a (LoadError)", &[]);
        says("Error: Cannot find module '../a'", &[]);
        says("Error: Cannot find module './a'", &[]);
        says("Can't locate ../A.pm in @INC", &[]);
    }

    #[test]
    fn a_program_that_tries_two_names_misses_both() {
        let errors = "ModuleNotFoundError: No module named 'a'\n\nDuring handling of the above \
                      exception, another exception occurred:\n\nModuleNotFoundError: No module named 'b'";
        says(errors, &["a", "b"]);
    }
}
