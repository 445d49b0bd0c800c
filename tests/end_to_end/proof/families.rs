//! Which plan families catch which mutants, for those who plan sessions.

use super::{Material, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stickler_dialects::{Registered, all};
use stickler_judge::Rule;
use stickler_transcript::{Relation, read_transcripts};

/// The dialect to which a rule belongs.
fn dialect_of(code: &str) -> Box<dyn Registered> {
    let mut all = all().into_iter();
    let found = all.find(|face| face.all_rules().iter().any(|rule| rule.code == code));
    found.expect("a dialect has the rule")
}

/// The plan families whose kept sessions show a subject's rule broken, named by the relation of the
/// sessions.
pub(super) fn of(folder: &Path, subject: &Subject) -> BTreeSet<String> {
    if matches!(subject.material, Material::Transcript(_)) {
        return BTreeSet::new();
    }
    let code = &subject.about.rules[0];
    let dialect = dialect_of(code);
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
        sessions.extend(stored.into_iter().map(|one| dialect.read(one)));
    }
    let mut rules = dialect.all_rules();
    rules.retain(|rule| rule.code == code);
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

/// A table for people: which plan families catch the mutants of each dialect, and which of them alone.
pub(super) fn table(caught: &[(&Subject, BTreeSet<String>)]) -> String {
    let mut text = String::from(
        "| dialect | family | sessions | mutants caught | by it alone | rules |\n|---|---|---|---|---|---|\n",
    );
    for dialect in all() {
        let words = dialect.vocabulary();
        let own = caught.iter().filter(|(subject, _)| {
            dialect_of(&subject.about.rules[0]).vocabulary().dialect == words.dialect
        });
        let read = dialect.rules().into_iter().flat_map(Rule::relations);
        let mut catches: BTreeMap<String, usize> = read.map(|one| (one.to_string(), 0)).collect();
        let mut alone: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (subject, families) in own {
            for family in families {
                *catches.entry(family.clone()).or_default() += 1;
            }
            if let [only] = &Vec::from_iter(families)[..] {
                alone.entry(only).or_default().push(&subject.about.rules[0]);
            }
        }
        let mut rows: Vec<(String, usize)> = catches.into_iter().collect();
        rows.sort_by_key(|(family, count)| (std::cmp::Reverse(*count), family.clone()));
        for (family, count) in rows {
            let mut rules = alone.get(&*family).cloned().unwrap_or_default();
            let mutants = rules.len();
            rules.dedup();
            let relation = Relation::parse(&family).filter(|_| family != "examples");
            let about = relation.map_or("The examples as they are.", |one| words.about(one));
            let _ = writeln!(
                text,
                "| {} | {family} | {about} | {count} | {mutants} | {} |",
                words.dialect,
                rules.join(" ")
            );
        }
    }
    text
}
