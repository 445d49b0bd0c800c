//! Follows the branches of an agent that was built to tell them.

use crate::args::{Coverage, FuzzArgs};
use crate::fuzz::settings::followed;
use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickler_face::Failure;
use stickler_face::side_by_side::lock;
use stickler_fuzz::{Coverage as Followed, CoverageKind, Watch};
use stickler_transcript::Bytes;

/// Which branches an agent runs: nothing if it does not tell.
pub(super) struct Follow<'f> {
    coverage: Option<&'f Followed>,
    /// Files that no run uses just now.
    free: Mutex<Vec<Watch>>,
    made: AtomicUsize,
}

/// How the agent tells its branches, if it does.
///
/// # Errors
/// If an agent can't tell that way, or there is no place for the files.
pub(super) fn opened(args: &FuzzArgs) -> Result<Option<Followed>, Failure> {
    let argv: Vec<Bytes> = args
        .subject
        .command
        .iter()
        .map(|word| word[..].into())
        .collect();
    let kind = match args.coverage {
        Coverage::Off => None,
        Coverage::Native => Some(CoverageKind::Native),
        Coverage::Afl => Some(CoverageKind::Afl),
        // The interpreter of a wrapper says nothing about the agent.
        Coverage::Auto => CoverageKind::of_command(&argv)
            .filter(|kind| matches!(kind, CoverageKind::Native | CoverageKind::Afl)),
        Coverage::Python | Coverage::Bash | Coverage::Ruby => {
            return Err(Failure::usage(
                "--agent: --coverage is auto, off, native or afl: agents are compiled",
            ));
        }
    };
    let Some(kind) = kind else {
        return Ok(None);
    };
    followed(kind, args.coverage == Coverage::Afl, "agent")
}

impl<'f> Follow<'f> {
    pub(super) fn new(coverage: Option<&'f Followed>) -> Self {
        Self {
            coverage,
            free: Mutex::default(),
            made: AtomicUsize::new(0),
        }
    }

    /// Does the agent tell its branches?
    pub(super) fn is_some(&self) -> bool {
        self.coverage.is_some()
    }

    /// Gives a run the variables that it needs, and returns which branches ran.
    pub(super) fn followed<T>(
        &self,
        run: impl FnOnce(&[(OsString, OsString)]) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Vec<(usize, u8)>)> {
        let Some(coverage) = self.coverage else {
            return Ok((run(&[])?, Vec::new()));
        };
        let free = lock(&self.free).pop();
        let mut watch = match free {
            Some(watch) => watch,
            None => coverage.watch(self.made.fetch_add(1, Ordering::Relaxed))?,
        };
        let variables = watch.begin()?.into_iter();
        let variables: Vec<(OsString, OsString)> = variables
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let done = run(&variables)?;
        let branches = watch.branches()?;
        lock(&self.free).push(watch);
        Ok((done, branches))
    }
}
