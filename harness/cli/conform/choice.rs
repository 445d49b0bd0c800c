//! Which situations are played, and how.

use crate::args::ConformArgs;
use crate::parsed;
use stickler_conform::Table;
use stickler_face::Failure;
use stickler_suite::Words;
use stickler_suite::config::did_you_mean;

/// What the user chose.
pub(super) struct Choice {
    words: Option<Words>,
    text: String,
    /// How many run side by side.
    pub(super) jobs: usize,
    /// The time for all of them.
    pub(super) time: Option<std::time::Duration>,
}

impl Choice {
    /// What the user asked for.
    pub(super) fn of(args: &ConformArgs) -> Result<Choice, Failure> {
        let words = args.words.as_deref().map(Words::parse).transpose();
        let time = match args.time.as_deref() {
            None | Some("none") => None,
            Some(text) => {
                let wrong = || {
                    let message = "write a duration such as 90s, 5m or 1h, or none";
                    Failure::usage(format!("--time {text}: {message}"))
                };
                Some(parsed::duration(text).ok_or_else(wrong)?)
            }
        };
        Ok(Choice {
            words: words.map_err(|error| Failure::usage(format!("-k: {error}")))?,
            text: args.words.clone().unwrap_or_default(),
            jobs: parsed::jobs(args.jobs)?,
            time,
        })
    }

    /// The situations of a table that are chosen.
    pub(super) fn picked(&self, table: &dyn Table) -> Result<Vec<usize>, Failure> {
        let words = self.words.as_ref();
        let is_chosen =
            |at: &usize| words.is_none_or(|words| words.choose(&[table.name(*at).to_owned()]));
        let picked: Vec<usize> = (0..table.len()).filter(is_chosen).collect();
        if picked.is_empty() {
            return Err(Failure::usage(format!(
                "-k \"{}\" chooses no situation{}\nthere are {}; --format json reports the names",
                self.text,
                near(table, &self.text),
                families(table)
            )));
        }
        Ok(picked)
    }
}

/// The families of situations, with how many each has.
fn families(table: &dyn Table) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for at in 0..table.len() {
        let family = match table.name(at).split_once('/') {
            Some((family, _)) => format!("{family}/"),
            None => table.name(at).to_owned(),
        };
        match counts.iter_mut().find(|(own, _)| *own == family) {
            Some((_, count)) => *count += 1,
            None => counts.push((family, 1)),
        }
    }
    let shown = counts
        .iter()
        .map(|(family, count)| format!("{family} ({count})"));
    shown.collect::<Vec<_>>().join(", ")
}

/// A name that may be meant.
fn near(table: &dyn Table, text: &str) -> String {
    let names = (0..table.len()).map(|at| table.name(at));
    did_you_mean(text, names).map_or_else(String::new, |question| format!("; {question}"))
}
