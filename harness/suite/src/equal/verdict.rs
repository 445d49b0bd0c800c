//! Where subjects part. A subject differs from what the author declares, from what a stage allows, or from most
//! others.

use super::hold::Held;
use super::left::{alike, difference, in_words};
use super::stage::{Answer, ComparisonStage, Round};
use std::collections::BTreeSet;
use stickler_reading::words::shown;
use stickler_transcript::{Bytes, Case, Entry};

/// How many characters of a path are shown.
const SHOWN: usize = 80;

/// What a difference is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// What the subject claims.
    Claim,
    /// What it leaves at a path.
    Path(Bytes),
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The stage.
    pub stage: ComparisonStage,
    /// The subject that differs; none if no side has a majority.
    pub subject: Option<String>,
    /// What it is about.
    pub aspect: Aspect,
    /// How it differs, in words.
    pub message: String,
    /// The text that was expected and the text that is there, if both are texts.
    pub texts: Option<(String, String)>,
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All do and claim the same.
    Agree,
    /// Some do not.
    Differ,
    /// No subject brought the intent about, so nothing was compared.
    Nothing,
}

/// Where subjects part.
pub fn compare(held: &[Held]) -> (Verdict, Vec<Difference>) {
    let stages = ComparisonStage::ALL.into_iter();
    let found: Vec<Difference> = stages.flat_map(|stage| of_stage(held, stage)).collect();
    let verdict = match held.iter().any(Held::succeeds) {
        false => Verdict::Nothing,
        true if found.is_empty() => Verdict::Agree,
        true => Verdict::Differ,
    };
    (verdict, found)
}

/// A subject in a stage.
struct Side<'h> {
    held: &'h Held,
    round: &'h Round,
}

fn of_stage(held: &[Held], stage: ComparisonStage) -> Vec<Difference> {
    let sides = held.iter().filter_map(|held| {
        let round = held.round(stage)?;
        Some(Side { held, round })
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let mut found = claims(&sides, stage);
    for path in paths(&sides) {
        found.extend(at_path(&sides, stage, &path));
    }
    found
}

fn of(side: &Side<'_>, aspect: Aspect, message: String) -> Difference {
    Difference {
        stage: side.round.stage,
        subject: Some(side.held.name.clone()),
        aspect,
        message,
        texts: None,
    }
}

// --- claims -----------------------------------------------------------------

fn claims(sides: &[Side<'_>], stage: ComparisonStage) -> Vec<Difference> {
    let all: Vec<Answer> = sides.iter().map(|side| side.round.claim).collect();
    let same = |at: usize, other: usize| all[at] == all[other];
    let usual = all.iter().position(|claim| *claim == stage.usual());
    let norm = match parts(all.len(), same) {
        Parts::Same => None,
        Parts::Norm(at) => Some(at),
        // Two against two: what sound subjects claim decides.
        Parts::Even => match usual {
            Some(at) => Some(at),
            None => {
                return vec![even(sides, stage, Aspect::Claim, |side| {
                    side.round.claim.word(stage).to_owned()
                })];
            }
        },
    };
    let mut found = Vec::new();
    for side in sides {
        let claim = side.round.claim;
        let wanted = norm.map(|at| all[at]).filter(|wanted| *wanted != claim);
        let changed = side
            .round
            .did
            .keys()
            .next()
            .filter(|_| claim == Answer::InSync);
        let message = match (wanted, changed) {
            (Some(wanted), _) => {
                let why = side.round.why.as_ref();
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                let word = match claim {
                    Answer::None => "nothing".to_owned(),
                    claim => format!("\"{}\"", claim.word(stage)),
                };
                format!("claims {word} instead of \"{}\"{why}", wanted.word(stage))
            }
            (None, Some(path)) => {
                let path = shown(path, &side.held.case, SHOWN);
                format!("claims \"in sync\", but changed `{path}`")
            }
            (None, None) => continue,
        };
        found.push(of(side, Aspect::Claim, message));
    }
    found
}

// --- paths ------------------------------------------------------------------

/// The paths that any subject changed, or that are not as declared.
fn paths(sides: &[Side<'_>]) -> BTreeSet<Bytes> {
    let changed = sides.iter().flat_map(|side| side.round.left.keys());
    let declared = sides.iter().flat_map(|side| &side.round.undeclared);
    let declared = declared.map(|(path, _)| path);
    changed.chain(declared).cloned().collect()
}

fn at_path(sides: &[Side<'_>], stage: ComparisonStage, path: &Bytes) -> Vec<Difference> {
    let aspect = || Aspect::Path(path.clone());
    let entries: Vec<Option<&Entry>> = sides.iter().map(|side| entry(sides, side, path)).collect();
    if stage == ComparisonStage::Noop {
        let changed = sides
            .iter()
            .filter(|side| side.round.left.contains_key(path));
        let found = changed.map(|side| {
            let after = side.round.left.get(path).and_then(|one| one.after.as_ref());
            let path = shown(path, &side.held.case, SHOWN);
            let words = in_words(after, &side.held.case);
            let message = format!("changed `{path}`, although it may change nothing: {words}");
            of(side, aspect(), message)
        });
        return found.collect();
    }
    let undeclared = |side: &Side<'_>| {
        let mut all = side.round.undeclared.iter();
        all.find(|(known, _)| known == path)
            .map(|(_, words)| words.clone())
    };
    let declared: Vec<Difference> = sides
        .iter()
        .filter_map(|side| Some(of(side, aspect(), undeclared(side)?)))
        .collect();
    let same = |at: usize, other: usize| alike(entries[at], entries[other]);
    let norm = match parts(entries.len(), same) {
        // What the author declares decides, whatever most of them do.
        _ if !declared.is_empty() => return with_texts(declared, sides, &entries),
        Parts::Same => return Vec::new(),
        Parts::Norm(at) => at,
        Parts::Even => {
            return vec![even(sides, stage, aspect(), |side| {
                in_words(entry(sides, side, path), &side.held.case)
            })];
        }
    };
    let wanted = entries[norm];
    let others = sides.iter().zip(&entries).filter_map(|(side, found)| {
        let path = shown(path, &side.held.case, SHOWN);
        let words = difference(wanted, *found)?;
        Some(Difference {
            texts: texts(wanted, *found),
            ..of(side, aspect(), format!("`{path}`: {words}"))
        })
    });
    others.collect()
}

/// What a subject leaves at a path. Where it changed nothing, what others found there is still there.
fn entry<'h>(sides: &[Side<'h>], side: &Side<'h>, path: &Bytes) -> Option<&'h Entry> {
    if let Some(own) = side.round.left.get(path) {
        return own.after.as_ref();
    }
    let mut others = sides.iter().filter_map(|other| other.round.left.get(path));
    others.next().and_then(|other| other.before.as_ref())
}

/// The same differences, with the texts of a subject that does as declared.
fn with_texts(
    mut found: Vec<Difference>,
    sides: &[Side<'_>],
    entries: &[Option<&Entry>],
) -> Vec<Difference> {
    let named = |name: &str| found.iter().any(|one| one.subject.as_deref() == Some(name));
    let sound = sides.iter().position(|side| !named(&side.held.name));
    let wanted = sound.and_then(|at| entries[at]);
    for one in &mut found {
        let mut all = sides.iter().zip(entries);
        let own = all.find(|(side, _)| one.subject.as_ref() == Some(&side.held.name));
        one.texts = own.and_then(|(_, entry)| texts(wanted, *entry));
    }
    found
}

/// Two contents of several lines, which are better shown than told.
fn texts(wanted: Option<&Entry>, found: Option<&Entry>) -> Option<(String, String)> {
    let text = |entry: Option<&Entry>| {
        let content = entry?.content.as_ref()?;
        String::from_utf8(content.to_vec()).ok()
    };
    let (wanted, found) = (text(wanted)?, text(found)?);
    let is_long = wanted.lines().count().max(found.lines().count()) > 1;
    // Ends of lines are only told.
    let differ = wanted.trim_end() != found.trim_end();
    (is_long && differ).then_some((wanted, found))
}

/// The difference of sides none of which has a majority.
fn even(
    sides: &[Side<'_>],
    stage: ComparisonStage,
    aspect: Aspect,
    words: impl Fn(&Side<'_>) -> String,
) -> Difference {
    let each = sides
        .iter()
        .map(|side| format!("{}: {}", side.held.name, words(side)));
    let each = each.collect::<Vec<_>>().join("; ");
    let message = match &aspect {
        Aspect::Claim => format!("they claim different things: {each}"),
        Aspect::Path(path) => {
            let plain = Case::default();
            let case = sides.first().map_or(&plain, |side| &side.held.case);
            format!("`{}` differs: {each}", shown(path, case, SHOWN))
        }
    };
    Difference {
        stage,
        subject: None,
        aspect,
        message,
        texts: None,
    }
}

/// How values part.
#[derive(Debug, PartialEq, Eq)]
enum Parts {
    /// All are the same.
    Same,
    /// More than half are like the one with this index.
    Norm(usize),
    /// No value has a majority.
    Even,
}

fn parts(count: usize, same: impl Fn(usize, usize) -> bool) -> Parts {
    let alike = |at: usize| (0..count).filter(|other| same(at, *other)).count();
    if count == 0 || alike(0) == count {
        return Parts::Same;
    }
    let most = (0..count).find(|at| alike(*at) * 2 > count);
    most.map_or(Parts::Even, Parts::Norm)
}

#[cfg(test)]
mod tests {
    use super::{Parts, parts};

    #[test]
    fn more_than_half_is_a_norm() {
        let of = |values: &[u8]| parts(values.len(), |one, other| values[one] == values[other]);
        assert_eq!(of(&[1, 1, 1]), Parts::Same);
        assert_eq!(of(&[2, 1, 1]), Parts::Norm(1));
        assert_eq!(of(&[1, 2]), Parts::Even);
        assert_eq!(of(&[1, 2, 3]), Parts::Even);
        assert_eq!(of(&[1, 1, 2, 2]), Parts::Even);
        assert_eq!(of(&[]), Parts::Same);
    }
}
