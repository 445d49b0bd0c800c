//! What Go says when it cannot build a package, and what helps.

use std::collections::BTreeSet;
use std::path::Path;

/// How many lines about the same lack are told.
const MOST: usize = 3;

/// Words of build constraints that nobody sets as tags: systems, processors, compilers.
const USUAL: [&str; 28] = [
    "linux",
    "unix",
    "darwin",
    "freebsd",
    "netbsd",
    "openbsd",
    "dragonfly",
    "solaris",
    "illumos",
    "windows",
    "plan9",
    "js",
    "wasip1",
    "android",
    "ios",
    "aix",
    "amd64",
    "arm64",
    "arm",
    "386",
    "riscv64",
    "wasm",
    "cgo",
    "race",
    "gc",
    "gccgo",
    "ignore",
    "msan",
];

/// What Go says, and what helps, if that is known.
pub(crate) struct Said {
    /// Go's own words, without its hints.
    pub(crate) why: String,
    /// What to do, each as a line.
    pub(crate) advice: String,
}

/// Reads what Go says about the package in a folder. `set` are the tags with which it was built.
pub(crate) fn said(text: &str, folder: &Path, set: &str) -> Said {
    let mut lines: Vec<String> = Vec::new();
    let (mut lacking, mut left) = (0, 0);
    let mut advice: Vec<String> = Vec::new();
    let mut advise = |line: &str| {
        if !advice.iter().any(|known| known == line) {
            advice.push(line.to_owned());
        }
    };
    for line in text.trim().lines() {
        // Go's hints name a package each, and fetch what its module does not say.
        if ["\tgo get ", "\tgo mod "]
            .iter()
            .any(|hint| line.starts_with(hint))
        {
            continue;
        }
        let (line, is_hinted) = match line.find("; to add") {
            Some(at) => (&line[..at], true),
            None => (line, false),
        };
        if is_hinted || line.contains("missing go.sum entry") {
            lacking += 1;
            if line.contains("github.com/purpleidea/mgmt") && line.contains("no required module") {
                advise(
                    "go.mod has to name mgmt: run `go get github.com/purpleidea/mgmt@latest`, then `go mod tidy`",
                );
            } else {
                advise("run `go mod tidy`, which completes go.mod and go.sum");
            }
            if lacking > MOST {
                left += 1;
                continue;
            }
        }
        if line.contains("updates to go.mod needed") || line.contains("inconsistent vendoring") {
            advise("run `go mod tidy`, and `go mod vendor` if the module has a folder vendor");
        }
        let line = line.replace("/sticklerhost)", ")").replace('\t', "    ");
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    if left > 0 {
        lines.push(format!("and {left} more like these"));
    }
    let known: BTreeSet<&str> = set.split(',').collect();
    let mut tags = tags(folder);
    tags.retain(|tag| !known.contains(&**tag));
    if advice.is_empty() && !tags.is_empty() {
        let list: Vec<&str> = tags.iter().map(String::as_str).collect();
        advice.push(format!(
            "its files name the build {} {}: `tags = [\"{}\"]` below [subject] in stickler.toml sets {}, and `stickler \
             init --force` keeps it",
            if list.len() == 1 { "tag" } else { "tags" },
            list.join(", "),
            list.join("\", \""),
            if list.len() == 1 { "it" } else { "them; name those that you need" },
        ));
    }
    Said {
        why: lines.join("\n"),
        advice: advice.iter().map(|line| format!("\n  {line}")).collect(),
    }
}

/// The tags that the Go files of a folder name in their build constraints.
fn tags(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".go") && !name.ends_with("_test.go")
    });
    let mut tags = BTreeSet::new();
    for text in files.filter_map(|file| std::fs::read_to_string(file).ok()) {
        // Constraints come before the package clause.
        let head = text
            .lines()
            .take_while(|line| !line.starts_with("package "));
        for line in head {
            let constraint = line.strip_prefix("//go:build ");
            let constraint = constraint.or_else(|| line.strip_prefix("// +build "));
            let words = constraint.unwrap_or_default();
            let words =
                words.split(|one: char| !(one.is_alphanumeric() || one == '_' || one == '.'));
            let own = words.filter(|word| {
                !word.is_empty() && !USUAL.contains(word) && !word.starts_with("go1.")
            });
            tags.extend(own.map(str::to_owned));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::said;
    use std::path::Path;

    #[test]
    fn one_hint_that_helps_takes_the_place_of_many() {
        let lacks = |package: &str| {
            format!(
                "a.go:1:2: no required module provides package {package}; to add it:\n\tgo get {package}\n"
            )
        };
        let text = lacks("github.com/purpleidea/mgmt/engine")
            + &lacks("github.com/purpleidea/mgmt/engine/traits");
        let found = said(&text, Path::new("/nonexistent"), "");
        assert_eq!(found.why.lines().count(), 2, "{}", found.why);
        assert!(!found.why.contains("to add"), "{}", found.why);
        assert_eq!(
            found.advice.matches("go mod tidy").count(),
            1,
            "{}",
            found.advice
        );
        assert!(
            found
                .advice
                .contains("go get github.com/purpleidea/mgmt@latest"),
            "{}",
            found.advice
        );
        let sums = (0..12).map(|n| {
            format!("b.go:{n}:1: missing go.sum entry for module providing package x/{n} (imported by a/sticklerhost); to add:\n\tgo get a/sticklerhost\n")
        });
        let found = said(&sums.collect::<String>(), Path::new("/nonexistent"), "");
        assert!(
            found.why.ends_with("and 9 more like these"),
            "{}",
            found.why
        );
        assert!(!found.why.contains("sticklerhost"), "{}", found.why);
        assert!(!found.advice.contains("go get"), "{}", found.advice);
    }

    #[test]
    fn other_words_stay_with_their_tabs_as_blanks() {
        let text = "a.go:1:2: too many arguments\n\thave (int)\n\twant ()";
        let found = said(text, Path::new("/nonexistent"), "");
        assert_eq!(
            found.why,
            "a.go:1:2: too many arguments\n    have (int)\n    want ()"
        );
        assert_eq!(found.advice, "");
    }

    #[test]
    fn the_tags_of_constraints_are_named_but_those_that_are_set() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write(
            "a.go",
            "//go:build !nolib && linux\n\npackage a\n\n//go:build other\n",
        );
        write("b.go", "// +build augeas,!novirt go1.21\n\npackage a\n");
        write("a_test.go", "//go:build slow\n\npackage a\n");
        let found = said("# a\nno such library", folder.path(), "novirt");
        assert!(
            found.advice.contains("tags = [\"augeas\", \"nolib\"]"),
            "{}",
            found.advice
        );
        let all = said("no such library", folder.path(), "novirt,augeas,nolib");
        assert_eq!(all.advice, "");
    }
}
