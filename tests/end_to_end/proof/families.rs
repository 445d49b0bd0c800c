//! Which plan families catch which mutants, for those who plan sessions.

use super::{Material, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stickler_judge::{AnySession, Rule, View};
use stickler_transcript::{Relation, Transcript, read_transcripts};

/// The plan families whose kept sessions show a subject's rule broken, named by the relation of the
/// sessions.
pub(super) fn of(folder: &Path, subject: &Subject) -> BTreeSet<String> {
    let code = &subject.about.rules[0];
    match subject.material {
        Material::Module(_) => broken_in(
            folder,
            cfengine_protocol::rules::RULES,
            code,
            cfengine_protocol::Session::new,
        ),
        Material::Provider(_) => broken_in(
            folder,
            puppet_protocol::rules::RULES,
            code,
            puppet_protocol::Session::new,
        ),
        Material::Transcript(_) => BTreeSet::new(),
    }
}

fn broken_in<V: View>(
    folder: &Path,
    rules: &'static [Rule],
    code: &str,
    read: fn(Transcript) -> V,
) -> BTreeSet<String> {
    let mut sessions = Vec::new();
    let kept = std::fs::read_dir(folder.join(".stickler/sessions"));
    let mut files: Vec<PathBuf> = kept
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        let open = std::fs::File::open(file).expect("a session");
        let stored = read_transcripts(std::io::BufReader::new(open)).expect("a transcript");
        sessions.extend(stored.into_iter().map(|one| AnySession::new(read(one))));
    }
    let rules: Vec<_> = rules.iter().filter(|rule| rule.code == code).collect();
    let ledgers = stickler_judge::judge(&rules, &sessions);
    let findings = ledgers.iter().flat_map(|ledger| &ledger.findings);
    // A session that is only a reference for comparison does not count.
    findings
        .map(|finding| {
            let case = sessions[finding.place.session].case();
            match case.id.split('/').next() {
                // The examples as they are belong to the groups of many families.
                Some("baseline" | "again" | "late" | "alone" | "invalid") => None,
                _ => case.groups.first().map(|member| member.relation),
            }
            .map_or_else(|| "examples".to_owned(), |relation| relation.to_string())
        })
        .collect()
}

/// A table for people: which plan families catch the mutants, and which of them alone.
pub(super) fn table(caught: &[(&Subject, BTreeSet<String>)]) -> String {
    let mut catches: BTreeMap<&str, usize> = BTreeMap::new();
    let mut alone: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (subject, families) in caught {
        for family in families {
            *catches.entry(family).or_default() += 1;
        }
        if let [only] = &Vec::from_iter(families)[..] {
            alone.entry(only).or_default().push(&subject.about.rules[0]);
        }
    }
    let mut rows: Vec<(&str, usize)> = catches.into_iter().collect();
    for relation in Relation::ALL {
        if !rows.iter().any(|(family, _)| *family == relation.name()) {
            rows.push((relation.name(), 0));
        }
    }
    rows.sort_by_key(|(family, count)| (std::cmp::Reverse(*count), *family));
    let mut text = String::from(
        "| family | sessions | mutants caught | by it alone | rules |\n|---|---|---|---|---|\n",
    );
    for (family, count) in rows {
        let mut rules = alone.get(family).cloned().unwrap_or_default();
        let mutants = rules.len();
        rules.dedup();
        let about = Relation::parse(family).map_or("The examples as they are.", Relation::about);
        let _ = writeln!(
            text,
            "| {family} | {about} | {count} | {mutants} | {} |",
            rules.join(" ")
        );
    }
    text
}
