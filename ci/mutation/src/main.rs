//! Mutates transcripts of sound modules, one change each, and lists the mutants
//! that no rule sees. Arguments: folders of modules that were checked with
//! `--keep`.

mod answer;
mod change;
mod operators;

use anyhow::{Context, bail};
use operators::operators;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use stickler_judge::{Level, judge};
use stickler_transcript::{Transcript, read_transcripts};

/// Sessions of one example are alike: those that the suite starts with, and one
/// of each way to look at them.
const SESSIONS: [&str; 8] = [
    "baseline/",
    "again/",
    "order",
    "between",
    "warn",
    "level-all",
    "restart",
    "invalid",
];

#[derive(Default)]
struct Tally {
    seen: usize,
    rules: BTreeMap<&'static str, usize>,
    survivors: Vec<String>,
}

/// Survivors of an operator that are named.
const NAMED: usize = 5;

fn main() -> anyhow::Result<()> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for folder in std::env::args_os().skip(1) {
        mutate(Path::new(&folder), &mut tallies)?;
    }
    let mut out = std::io::stdout().lock();
    let (mut seen, mut all) = (0, 0);
    for (operator, tally) in &tallies {
        let count = tally.seen + tally.survivors.len();
        (seen, all) = (seen + tally.seen, all + count);
        let mut rules: Vec<_> = tally.rules.iter().collect();
        rules.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let rules: Vec<&str> = rules.iter().take(6).map(|(code, _)| **code).collect();
        writeln!(
            out,
            "{:>5} of {count:<5} {operator:<36} {}",
            tally.seen,
            rules.join(" ")
        )?;
    }
    writeln!(out, "\nsurvivors")?;
    for (operator, tally) in &tallies {
        for survivor in tally.survivors.iter().take(NAMED) {
            writeln!(out, "  {operator}: {survivor}")?;
        }
        if let more @ 1.. = tally.survivors.len().saturating_sub(NAMED) {
            writeln!(out, "  {operator}: {more} more")?;
        }
    }
    writeln!(out, "\n{seen} of {all} mutants are seen")?;
    for dialect in stickler_dialects::names() {
        let (own, wanted) = operators(dialect);
        let tallies = own.iter().filter_map(|(name, _)| tallies.get(name));
        let (mut seen, mut all) = (0, 0);
        for tally in tallies {
            seen += tally.seen;
            all += tally.seen + tally.survivors.len();
        }
        if seen * 100 < all * wanted {
            bail!("{dialect}: fewer than {wanted} in a hundred");
        }
    }
    if all == 0 {
        bail!("there is nothing to mutate");
    }
    Ok(())
}

fn mutate(folder: &Path, tallies: &mut BTreeMap<&str, Tally>) -> anyhow::Result<()> {
    let transcripts = stored(&folder.join(".stickler/sessions"))?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    for transcript in &transcripts {
        let id = &transcript.case.id;
        if !SESSIONS.iter().any(|prefix| id.starts_with(prefix)) {
            continue;
        }
        let partners = partners(transcript, &transcripts);
        let sound = broken(&partners, transcript)?;
        for answer in answer::answers(transcript) {
            for (operator, change) in operators(&transcript.case.dialect).0 {
                let Some(mutant) = change(transcript, &answer) else {
                    continue;
                };
                let tally = tallies.entry(operator).or_default();
                let found: Vec<&str> = broken(&partners, &mutant)?
                    .difference(&sound)
                    .copied()
                    .collect();
                if found.is_empty() {
                    tally
                        .survivors
                        .push(format!("{name}, {id}, {}", answer.request.key));
                } else {
                    tally.seen += 1;
                    for code in found {
                        *tally.rules.entry(code).or_default() += 1;
                    }
                }
            }
        }
    }
    Ok(())
}

fn stored(folder: &Path) -> anyhow::Result<Vec<Transcript>> {
    let mut transcripts = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let file = std::fs::File::open(&path)?;
        let read = read_transcripts(std::io::BufReader::new(file));
        transcripts.extend(read.with_context(|| path.display().to_string())?);
    }
    Ok(transcripts)
}

/// The sessions that a transcript is compared with.
fn partners<'t>(transcript: &Transcript, all: &'t [Transcript]) -> Vec<&'t Transcript> {
    let groups: BTreeSet<&str> = transcript
        .case
        .groups
        .iter()
        .map(|member| &member.group[..])
        .collect();
    all.iter()
        .filter(|other| other.case.id != transcript.case.id)
        .filter(|other| {
            other
                .case
                .groups
                .iter()
                .any(|member| groups.contains(&member.group[..]))
        })
        // Big ones prove nothing more here, and cost a lot.
        .filter(|other| !other.case.id.starts_with("large") && !other.case.id.starts_with("text"))
        .collect()
}

/// The rules that are broken, advice left out.
fn broken(
    partners: &[&Transcript],
    transcript: &Transcript,
) -> anyhow::Result<BTreeSet<&'static str>> {
    let dialect = &transcript.case.dialect;
    let dialect = stickler_dialects::named(dialect)
        .with_context(|| format!("there is no dialect \"{dialect}\""))?;
    let rules = dialect.rules();
    let all = partners.iter().copied().chain([transcript]);
    let sessions: Vec<_> = all.map(|one| dialect.read(one.clone())).collect();
    let ledgers = judge(&rules, &sessions);
    let rules = rules.iter().zip(ledgers).filter(|(_, ledger)| {
        let mut findings = ledger.findings.iter();
        findings.any(|finding| finding.level >= Level::Should)
    });
    Ok(rules.map(|(rule, _)| rule.code).collect())
}
