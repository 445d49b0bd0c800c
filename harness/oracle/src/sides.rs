//! Two sides, and the comparison of all their runs.

use crate::difference::steady;
use crate::{
    AcceptedDifference, Difference, Error, InputPlace, RunName, RunVerdict, Stored, Tally,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Stickler's oracle and the real peer, on the same input.
pub trait Sides {
    /// What of a run counts, without what varies from run to run.
    type Seen: Clone + Serialize + DeserializeOwned;

    /// The name of the peer.
    fn peer(&self) -> &'static str;

    /// The differences that are accepted.
    fn known(&self) -> &'static [AcceptedDifference];

    /// The options that change the results, as stored runs keep them.
    fn options(&self) -> Vec<String>;

    /// Runs Stickler's oracle.
    ///
    /// # Errors
    ///
    /// If it does not support the input, or if it can't be run.
    fn ours(&self, run: &RunName) -> Result<Self::Seen, Error>;

    /// Runs the real peer.
    ///
    /// # Errors
    ///
    /// If it can't be run.
    fn theirs(&self, run: &RunName) -> Result<Self::Seen, Error>;

    /// Compares two runs.
    fn compare(&self, theirs: &Self::Seen, ours: &Self::Seen) -> Comparison;

    /// Can runs of one side differ? Then both run again before a difference counts.
    fn varies(&self) -> bool {
        false
    }

    /// The place in the input that a difference is about.
    ///
    /// # Errors
    ///
    /// If that takes another run, which fails.
    fn place(&self, _run: &RunName, _found: &Difference) -> Result<Option<InputPlace>, Error> {
        Ok(None)
    }
}

/// What a dialect says of two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The differences.
    pub differences: Vec<Difference>,
    /// How the peer's run ended, in words.
    pub exit: String,
    /// If neither side accepts the input: why.
    pub rejected: Option<String>,
    /// Aspects that could not be compared here.
    pub not_compared: Vec<&'static str>,
}

/// A compared run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The run.
    pub run: RunName,
    /// The result.
    pub verdict: RunVerdict,
    /// What the dialect says.
    pub comparison: Comparison,
    /// How many differences only showed that runs of one side vary.
    pub varied: usize,
}

/// Compares one run. Returns what the peer showed as well.
///
/// # Errors
///
/// If a side can't be run.
pub fn compare_run<S: Sides>(
    sides: &S,
    run: &RunName,
    recorded: Option<&Stored<S::Seen>>,
) -> Result<(Compared, S::Seen), Error> {
    let stored = recorded.map(|stored| stored.get(run, &sides.options()));
    let stored = stored.transpose()?;
    let ours = sides.ours(run)?;
    let theirs = match stored {
        Some(seen) => seen.clone(),
        None => sides.theirs(run)?,
    };
    let mut comparison = sides.compare(&theirs, &ours);
    let count = comparison.differences.len();
    if count > 0 && sides.varies() {
        let mut found = std::mem::take(&mut comparison.differences);
        // A side that fails now leaves the differences as they are.
        if let Ok(again) = sides.ours(run) {
            found = steady(found, &sides.compare(&ours, &again).differences);
        }
        if !found.is_empty()
            && recorded.is_none()
            && let Ok(again) = sides.theirs(run)
        {
            found = steady(found, &sides.compare(&theirs, &again).differences);
        }
        comparison.differences = found;
    }
    let varied = count - comparison.differences.len();
    let compared = Compared::of(run.clone(), comparison, sides.known());
    Ok((Compared { varied, ..compared }, theirs))
}

impl Compared {
    /// The result of a comparison, of which these differences are accepted.
    pub fn of(run: RunName, mut comparison: Comparison, known: &[AcceptedDifference]) -> Self {
        for found in &mut comparison.differences {
            let known = known.iter().find(|known| (known.covers)(found));
            found.known = known.map(|known| known.reason);
        }
        Compared {
            run,
            verdict: verdict(&comparison),
            comparison,
            varied: 0,
        }
    }
}

fn verdict(comparison: &Comparison) -> RunVerdict {
    let found = &comparison.differences;
    match (found.is_empty(), &comparison.rejected) {
        (true, None) => RunVerdict::Agree,
        (true, Some(_)) => RunVerdict::Rejected,
        (false, _) if found.iter().all(|one| one.known.is_some()) => RunVerdict::Known,
        (false, _) => RunVerdict::Differ,
    }
}

/// Compares all runs of a file. `show` gets each result, with the places of its differences. Returns
/// the sums and the peer's runs.
///
/// # Errors
///
/// If a side can't be run, or if `show` fails.
pub fn compare<S: Sides, E: From<Error>>(
    sides: &S,
    file: &str,
    runs: &[RunName],
    recorded: Option<&Stored<S::Seen>>,
    mut show: impl FnMut(&Compared) -> Result<(), E>,
) -> Result<(Tally, Stored<S::Seen>), E> {
    let mut tally = Tally::default();
    let mut stored = Stored::new(sides.peer(), file, &sides.options());
    for run in runs {
        let (mut compared, theirs) = compare_run(sides, run, recorded)?;
        for found in &mut compared.comparison.differences {
            if found.place.is_none() {
                found.place = sides.place(run, found)?;
            }
        }
        tally.add(compared.verdict);
        show(&compared)?;
        stored.runs.insert(run.to_string(), theirs);
    }
    Ok((tally, stored))
}
