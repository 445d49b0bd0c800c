//! Crates only use crates below them, and files that use each other are counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates from the bottom up, and what each may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("transcript", &[]),
    ("json", &[]),
    ("session", &["transcript"]),
    ("reading", &["transcript"]),
    ("judge", &["reading", "transcript"]),
    ("report", &["judge"]),
    ("oracle", &["session", "transcript"]),
    ("rpc", &["json", "session", "transcript"]),
    ("suite", &["judge", "reading", "session", "transcript"]),
    (
        "fuzz",
        &["judge", "reading", "session", "suite", "transcript"],
    ),
    (
        "cfengine/protocol",
        &["json", "judge", "reading", "transcript"],
    ),
    ("puppet/types", &["json"]),
    ("puppet/manifest", &["json", "puppet/types"]),
    (
        "puppet/protocol",
        &[
            "json",
            "judge",
            "puppet/types",
            "reading",
            "rpc",
            "transcript",
        ],
    ),
    (
        "puppet/runtime",
        &["json", "puppet/manifest", "puppet/protocol", "puppet/types"],
    ),
    (
        "puppet/diff",
        &["oracle", "puppet/runtime", "puppet/types", "session"],
    ),
    (
        "puppet/suite",
        &[
            "judge",
            "reading",
            "puppet/host",
            "puppet/manifest",
            "puppet/protocol",
            "puppet/runtime",
            "puppet/types",
            "rpc",
            "session",
            "suite",
            "transcript",
        ],
    ),
    ("cfengine/policy", &[]),
    ("cfengine/policygen", &[]),
    ("cfengine/agent", &["cfengine/policy", "cfengine/protocol"]),
    ("cfengine/diff", &["oracle", "session", "transcript"]),
    (
        "cfengine/suite",
        &[
            "cfengine/agent",
            "cfengine/policy",
            "cfengine/protocol",
            "judge",
            "session",
            "suite",
            "transcript",
        ],
    ),
    ("puppet/host", &["rpc"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("harness")
}

/// The crates of this repository that a manifest lists under `[dependencies]`.
fn used(manifest: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(manifest).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("a manifest");
    let names = manifest.get("dependencies").and_then(|all| all.as_table());
    let names = names.into_iter().flat_map(|all| all.keys());
    names
        .filter_map(|name| {
            let wing = |name: &str| {
                let (wing, room) = name.split_once('-')?;
                ["cfengine", "puppet"]
                    .contains(&wing)
                    .then(|| format!("{wing}/{room}"))
            };
            name.strip_prefix("stickler-")
                .map(str::to_owned)
                .or_else(|| wing(name))
        })
        .collect()
}

#[test]
fn crates_use_only_what_is_below_them() {
    for (name, allowed) in ALLOWED {
        let allowed: BTreeSet<String> = allowed.iter().map(|&name| name.to_owned()).collect();
        let used = used(&root().join(name).join("Cargo.toml"));
        assert_eq!(used, allowed, "{name}");
    }
}

#[test]
fn each_crate_has_its_place() {
    let known: BTreeSet<PathBuf> = ALLOWED.iter().map(|(name, _)| root().join(name)).collect();
    let mut found = BTreeSet::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.join("Cargo.toml").exists() {
                found.insert(path);
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    assert_eq!(found, known);
}

/// Crates in which pairs of files use each other, with the number of pairs. A number may only
/// decrease.
const PAIRS: &[(&str, usize)] = &[
    // The verbs of a dialect use the builder of cases, and the builder calls these verbs.
    ("suite", 1),
    ("cfengine/protocol", 1),
    ("cfengine/diff", 1),
    ("cfengine/policygen", 5),
    ("cfengine/agent", 8),
];

/// The files of a crate, by module path without `crate::`.
fn modules(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            modules(&path, &format!("{prefix}{name}::"), found);
        } else if path.extension().is_some_and(|end| end == "rs") && name != "lib" {
            let text = fs::read_to_string(&path).expect("a file");
            // Uses in tests do not count.
            let code = text
                .split("#[cfg(test)]")
                .next()
                .unwrap_or_default()
                .to_owned();
            found.insert(format!("{prefix}{name}"), code);
        }
    }
}

/// The modules that a file names in `use` lines from the root of its crate.
fn uses(code: &str, all: &BTreeSet<String>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, _) in code.match_indices("use crate::") {
        let path = code[at + "use crate::".len()..]
            .split([';', '{'])
            .next()
            .unwrap_or_default();
        let path = path.trim_end_matches("::");
        // The longest prefix that is a file.
        let mut name = path.to_owned();
        while !all.contains(&name) {
            match name.rsplit_once("::") {
                Some((shorter, _)) => name = shorter.to_owned(),
                None => break,
            }
        }
        if all.contains(&name) {
            used.insert(name);
        }
    }
    used
}

#[test]
fn no_two_files_use_each_other() {
    let mut counts = Vec::new();
    for (name, _) in ALLOWED {
        let mut found = BTreeMap::new();
        modules(&root().join(name).join("src"), "", &mut found);
        let all: BTreeSet<String> = found.keys().cloned().collect();
        let used: BTreeMap<&String, BTreeSet<String>> = found
            .iter()
            .map(|(name, code)| (name, uses(code, &all)))
            .collect();
        let pairs: Vec<String> = used
            .iter()
            .flat_map(|(one, others)| others.iter().map(move |other| (*one, other)))
            .filter(|(one, other)| one < other && used[*other].contains(*one))
            .map(|(one, other)| format!("{one} and {other}"))
            .collect();
        let known = PAIRS
            .iter()
            .find(|(known, _)| known == name)
            .map_or(0, |known| known.1);
        if pairs.len() != known {
            counts.push(format!(
                "{name}: {} instead of {known}: {pairs:#?}",
                pairs.len()
            ));
        }
    }
    assert!(counts.is_empty(), "{}", counts.join("\n"));
}
