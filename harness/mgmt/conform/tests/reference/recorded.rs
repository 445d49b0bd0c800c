//! The reference engine against what the real one was seen to do.

use mgmt_conform::{Reference, Situations};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use stickler_conform::{Settings, Situations as _, Table, differing, run};

/// Why situations do not agree, and which; none is known.
const KNOWN: [(&str, &[&str]); 0] = [];

#[test]
fn the_engine_reproduces_the_recorded_runs_of_mgmt() {
    let table = Situations::own(Box::new(Reference)).expect("the situations");
    let all: Vec<usize> = (0..table.len()).collect();
    let settings = Settings {
        jobs: 2,
        time: None,
        done: &|_| {},
        stop: &AtomicBool::new(false),
    };
    let ran = run(&table, &all, &settings).expect("they are played");
    let release = table.releases().pop().expect("a release");
    let mut wrong: Vec<String> = ran
        .iter()
        .filter_map(|(at, played)| Some(format!("{}: {}", table.name(*at), played.as_ref().err()?)))
        .collect();
    let found = differing(&table, &ran, &release).expect("they are compared");
    let mut found: BTreeMap<&str, _> = found
        .iter()
        .map(|(at, found)| (table.name(*at), found))
        .collect();
    for (why, names) in KNOWN {
        let stale = names.iter().filter(|name| found.remove(**name).is_none());
        wrong.extend(stale.map(|name| format!("{name}: agrees now: {why}")));
    }
    wrong.extend(
        found
            .iter()
            .map(|(name, found)| format!("{name}: {found:#?}")),
    );
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(all.len() > 150, "{}", all.len());
}
