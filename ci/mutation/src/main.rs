//! Mutates transcripts of sound modules, one change each, and lists the mutants
//! that no rule sees. Arguments: folders of modules that were checked with
//! `--keep`.

mod answer;
mod operators;

use anyhow::{Context, bail};
use cfengine_protocol::Session;
use cfengine_protocol::rules::RULES;
use cfengine_protocol::wire::Protocol;
use operators::OPERATORS;
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
/// Of a hundred mutants, so many have to be seen.
const SEEN: usize = 95;

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
    if all == 0 || seen * 100 < all * SEEN {
        bail!("fewer than {SEEN} in a hundred");
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
        let facts = cfengine_protocol::Facts::of(&transcript.case.facts);
        let protocol = facts.protocol.unwrap_or(Protocol::Line);
        let partners = partners(transcript, &transcripts);
        let sound = broken(&partners, transcript.clone());
        for answer in answer::answers(transcript) {
            for (operator, change) in OPERATORS {
                let Some(mutant) = change(transcript, &answer, protocol) else {
                    continue;
                };
                let tally = tallies.entry(operator).or_default();
                let found: Vec<&str> = broken(&partners, mutant)
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
fn partners(transcript: &Transcript, all: &[Transcript]) -> Vec<Session> {
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
        .map(|other| Session::new(other.clone()))
        .collect()
}

/// The rules that are broken, advice left out.
fn broken(partners: &[Session], transcript: Transcript) -> BTreeSet<&'static str> {
    let rules: Vec<_> = RULES.iter().collect();
    let mut sessions = partners.to_vec();
    sessions.push(Session::new(transcript));
    let ledgers = judge(&rules, &sessions);
    rules
        .iter()
        .zip(ledgers)
        .filter(|(_, ledger)| {
            ledger
                .findings
                .iter()
                .any(|finding| finding.level >= Level::Should)
        })
        .map(|(rule, _)| rule.code)
        .collect()
}
