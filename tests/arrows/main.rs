//! Crates only use crates below them, and files use each other in a circle only for a reason.

mod circles;
mod imports;
mod known;

use circles::circles;
use imports::uses;
use known::{CIRCLES, Circle, FROZEN, REDESIGN};
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
    ("cfengine/policy", &["cfengine/protocol"]),
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
    ("mgmt/engine", &[]),
    (
        "mgmt/graph",
        &["json", "rpc", "transcript", "mgmt/engine", "mgmt/protocol"],
    ),
    ("mgmt/host", &["rpc"]),
    (
        "mgmt/protocol",
        &["json", "judge", "reading", "rpc", "transcript"],
    ),
    (
        "mgmt/suite",
        &[
            "json",
            "judge",
            "mgmt/graph",
            "mgmt/host",
            "mgmt/protocol",
            "reading",
            "rpc",
            "session",
            "suite",
            "transcript",
        ],
    ),
    (
        "dialects",
        &[
            "cfengine/protocol",
            "cfengine/suite",
            "judge",
            "mgmt/suite",
            "puppet/suite",
            "suite",
        ],
    ),
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
                ["cfengine", "mgmt", "puppet"]
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

/// The folders with files of one crate each: those of the crates above, and of the programs.
fn sources() -> Vec<(String, PathBuf)> {
    let rooms = ALLOWED.iter().map(|(name, _)| (*name).to_owned());
    let mut sources: Vec<_> = rooms
        .map(|name| (name.clone(), root().join(name).join("src")))
        .collect();
    sources.push(("cli".to_owned(), root().join("cli")));
    let ci = Path::new(env!("CARGO_MANIFEST_DIR")).join("ci");
    for entry in fs::read_dir(ci).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.join("Cargo.toml").exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            sources.push((format!("ci/{name}"), path.join("src")));
        }
    }
    sources
}

#[test]
fn files_use_each_other_in_a_circle_only_where_the_table_says_why() {
    let mut wrong = Vec::new();
    for (name, source) in sources() {
        let uses = uses(&source);
        let found = circles(&uses);
        let known: Vec<&Circle> = CIRCLES.iter().filter(|one| one.of == name).collect();
        for circle in &found {
            let is_known = known.iter().any(|one| one.is(circle));
            if !is_known {
                wrong.push(format!("{name}: {}", shown(circle, &uses)));
            }
        }
        for one in known {
            if !found.iter().any(|circle| one.is(circle)) {
                wrong.push(format!("{name}: {:?} is no circle any more", one.files));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_circle_holds_more_than_five_files() {
    for one in CIRCLES {
        assert!(!one.why.is_empty(), "{:?} has no reason", one.files);
        let may = one.why == FROZEN || one.why == REDESIGN;
        assert!(may || one.number() <= 5, "{}: {:?}", one.of, one.files);
    }
}

/// A circle, with what each of its files uses of the others.
fn shown(circle: &BTreeSet<String>, uses: &BTreeMap<String, BTreeSet<String>>) -> String {
    let lines = circle.iter().map(|file| {
        let used: Vec<&String> = uses[file].intersection(circle).collect();
        format!("\n    {file} uses {used:?}")
    });
    format!("{} files{}", circle.len(), lines.collect::<String>())
}
