//! Confirms beside the workers what takes long, such as a hang: none of them waits for it.

use super::shared::{Campaign, Waiting};
use crate::input::Input;
use crate::judging::{Judge, Suspicion};
use crate::lane::Driver;
use crate::space::Space;
use crate::technique::Techniques;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_session::RunOptions;
use stickler_suite::lock;

/// How many suspicions wait at most: each is another defect.
const MOST: usize = 64;
/// Making inputs smaller takes at most one part in so many of the time.
const SHARE: u32 = 10;
/// How often it is looked for suspicions.
const LOOK: Duration = Duration::from_millis(20);

impl Campaign<'_> {
    /// Leaves a suspicion that was taken on for the one who confirms beside the workers. False if too many wait.
    pub(super) fn leave(
        &self,
        (input, by): (&Input, Techniques),
        suspicion: &Suspicion,
        before: &[Input],
    ) -> bool {
        let mut waiting = lock(&self.waiting);
        let has_room = self.aside && waiting.len() < MOST;
        if has_room {
            waiting.push_back(Waiting {
                input: input.clone(),
                suspicion: suspicion.clone(),
                before: before.to_vec(),
                by,
            });
        }
        has_room
    }

    /// Confirms what waits until the campaign is over and nothing waits any more.
    pub(super) fn confirm_aside(
        &self,
        space: &Space<'_>,
        judge: &Judge<'_>,
        are_done: &dyn Fn() -> bool,
    ) {
        let options = RunOptions {
            stop: Some(&self.halt),
            brisk: true,
            ..RunOptions::default()
        };
        let mut spent = Duration::ZERO;
        loop {
            let next = lock(&self.waiting).pop_front();
            let Some(Waiting {
                input,
                suspicion,
                before,
                by,
            }) = next
            else {
                if are_done() || self.halt.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(LOOK);
                continue;
            };
            let began = Instant::now();
            let mut driver = Driver::new(&self.setup.bench, space, (&options, &options), None)
                .waiting(self.patience, Duration::MAX);
            // It is always confirmed, but made smaller only while there is time.
            let has_time = || (spent + began.elapsed()) * SHARE < self.counters.began.elapsed();
            let signature = suspicion.signature.clone();
            let confirmed = self.confirm(
                &mut driver,
                (space, judge),
                (&input, &before, by),
                &suspicion,
                &|| self.over.load(Ordering::Relaxed) || !has_time(),
            );
            let found = matches!(confirmed, Ok(true)).then_some(suspicion.level);
            self.known.settle(signature, found);
            if let Err(error) = confirmed {
                self.survive(error);
            }
            spent += began.elapsed();
        }
    }
}
