//! Runs again what earlier runs of a campaign found.

use super::before::{Before, Recalled};
use super::events::CampaignEvent;
use super::shared::Campaign;
use crate::confirm::{Confirmed, TRIES};
use crate::finding::{Finding, Signature};
use crate::judging::{Judge, Suspicion};
use crate::lane::Driver;
use crate::space::Space;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_session::RunOptions;
use stickler_suite::{RunError, lock};

/// How long that may take. What has no turn stays known.
const TIME: Duration = Duration::from_secs(60);

impl Campaign<'_> {
    /// Runs again what earlier runs found.
    pub(super) fn recall(&self, space: &Space<'_>, judge: &Judge<'_>) {
        let options = RunOptions {
            stop: Some(&self.halt),
            brisk: true,
            ..RunOptions::default()
        };
        let mut driver = Driver::new(&self.setup.bench, space, (&options, &options), None)
            .waiting(self.patience, self.patience);
        let began = Instant::now();
        for before in self.setup.before {
            let is_over = self.observer.stop().load(Ordering::Relaxed) || began.elapsed() > TIME;
            if is_over || before.input.steps.is_empty() {
                self.recalls(Recalled::Open(before));
                continue;
            }
            match again(&mut driver, judge, before) {
                Ok(Some(confirmed)) if self.known.is_new(&confirmed.suspicion) => {
                    let finding = confirmed.finding(judge, Duration::ZERO, 0);
                    if let Some(finding) = finding {
                        self.recalled(Finding {
                            again: true,
                            ..finding
                        });
                    }
                }
                // Another one is the same defect.
                Ok(Some(_)) => {}
                Ok(None) => self.recalls(Recalled::Gone(before)),
                Err(error) => {
                    self.recalls(Recalled::Open(before));
                    self.survive(error);
                }
            }
        }
    }

    fn recalls(&self, recalled: Recalled<'_>) {
        self.observer.tell(CampaignEvent::Recalled(recalled));
    }

    fn recalled(&self, finding: Finding) {
        let mut findings = lock(&self.findings);
        self.recalls(Recalled::Again(&finding));
        self.keep(&mut findings, finding);
    }

    /// Did an earlier run find this defect, which could not be run again?
    pub(super) fn is_known_before(&self, signature: &Signature) -> bool {
        let signature = signature.to_string();
        let mut before = self.setup.before.iter();
        before.any(|before| before.signature == signature)
    }
}

/// Runs the input of a defect in a fresh process. A flaky one gets several tries.
fn again(
    driver: &mut Driver<'_>,
    judge: &Judge<'_>,
    before: &Before,
) -> Result<Option<Confirmed>, RunError> {
    for tries in 1..=TRIES {
        let session = driver.brief(&before.input)?;
        let all = judge.suspicions(&session);
        let is_it = |one: &&Suspicion| one.signature.to_string() == before.signature;
        let same = all.iter().find(is_it);
        let same = same.or_else(|| all.iter().find(|one| one.signature.rule == before.rule));
        if let Some(suspicion) = same.cloned() {
            return Ok(Some(Confirmed {
                input: before.input.clone(),
                session,
                suspicion,
                shown: (1, tries),
            }));
        }
    }
    Ok(None)
}
