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

/// The table of crates in `DESIGN.md`: what each crate of `harness` uses.
fn table() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("DESIGN.md");
    let text = fs::read_to_string(page).expect("the page");
    let (_, rows) = text
        .split_once("| crate | uses |\n|---|---|\n")
        .expect("the table");
    let rows = rows
        .lines()
        .map_while(|row| row.strip_prefix('|')?.strip_suffix('|'));
    let names = |cell: &str| -> BTreeSet<String> {
        let names = cell.split(',').map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let mut table = BTreeMap::new();
    for row in rows {
        let (crates, uses) = row.split_once('|').expect("two columns");
        for name in names(crates) {
            let twice = table.insert(name.clone(), names(uses));
            assert!(twice.is_none(), "{name} has two rows");
        }
    }
    table
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("harness")
}

/// The manifest of a crate. That of the command line is the repository's.
fn manifest(name: &str) -> PathBuf {
    let folder = match name {
        "cli" => PathBuf::from(env!("CARGO_MANIFEST_DIR")),
        name => root().join(name),
    };
    folder.join("Cargo.toml")
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
                let place = format!("{wing}/{room}");
                root().join(&place).exists().then_some(place)
            };
            name.strip_prefix("stickler-")
                .map(str::to_owned)
                .or_else(|| wing(name))
        })
        .collect()
}

#[test]
fn each_crate_depends_on_exactly_the_crates_listed_in_the_table() {
    for (name, allowed) in table() {
        let used = used(&manifest(&name));
        assert_eq!(used, allowed, "{name}, in DESIGN.md");
    }
}

#[test]
fn arrows_only_point_down() {
    let mut above = table();
    while !above.is_empty() {
        let lowest: Vec<String> = above
            .iter()
            .filter(|(_, uses)| uses.iter().all(|used| !above.contains_key(used)))
            .map(|(name, _)| name.clone())
            .collect();
        assert!(!lowest.is_empty(), "a circle among {:?}", above.keys());
        above.retain(|name, _| !lowest.contains(name));
    }
}

#[test]
fn no_wing_and_no_neutral_crate_knows_a_wing_of_another_system() {
    let wing = |name: &str| name.split_once('/').map(|(wing, _)| wing.to_owned());
    for (name, uses) in table().iter().filter(|(name, _)| *name != "dialects") {
        for used in uses {
            assert!(
                wing(used).is_none() || wing(used) == wing(name),
                "{name} uses {used}"
            );
        }
    }
}

#[test]
fn each_crate_has_its_place() {
    let names = table().into_keys().filter(|name| name != "cli");
    let known: BTreeSet<PathBuf> = names.map(|name| root().join(name)).collect();
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
    let rooms = table().into_keys().filter(|name| name != "cli");
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

/// What the neutral command line says of a dialect comes from the dialect.
#[test]
fn the_neutral_command_line_names_no_dialect() {
    let words = [
        "puppet",
        "mgmt",
        "cfengine",
        "cf-agent",
        "promise",
        "resource api",
    ];
    nothing_says(&words, &["cli", "face"]);
}

/// What a subject manages is an item there.
#[test]
fn the_neutral_suite_speaks_of_items() {
    nothing_says(&["promise"], &["suite/src"]);
}

#[track_caller]
fn nothing_says(words: &[&str], folders: &[&str]) {
    let mut wrong = Vec::new();
    let mut folders: Vec<_> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a text").to_lowercase();
            let found = words.iter().filter(|word| text.contains(**word));
            wrong.extend(found.map(|word| format!("{}: {word}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
