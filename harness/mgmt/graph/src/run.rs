//! Runs graphs: the engine does what is ready, the host tells what happens, waits are jumped over.

use crate::clock::Clock;
use crate::event::{GraphEvent, Summary, What};
use crate::given::Given;
use crate::host::Shared;
use crate::record::Record;
use crate::resource::HostResource;
use mgmt_engine::{Engine, Plan, PlanEdge};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickler_rpc::{Caller, Ended};

/// The choices of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// How long nothing may happen before the graph counts as converged.
    pub quiet: Duration,
    /// How long it may take to converge.
    pub limit: Duration,
    /// How long Watch may take to say that its watches are armed.
    pub arming: Duration,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            quiet: Duration::from_millis(500),
            limit: Duration::from_secs(300),
            arming: Duration::from_secs(10),
        }
    }
}

/// How long the host is listened to before the clock jumps.
const SETTLING: Duration = Duration::from_millis(30);

/// How long the first events are gathered, so that their order is the same each time.
const GATHERING: Duration = Duration::from_millis(200);

/// How many waits are jumped over until a graph counts as one that never converges.
const JUMPS: usize = 1_000;

/// How long a run without end listens before it looks whether it is interrupted.
const LOOK: Duration = Duration::from_millis(100);

/// How running a graph went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Went {
    /// It converged.
    Converged,
    /// Not within the time.
    Restless,
    /// The engine refused the graph.
    Refused,
    /// Someone interrupted it.
    Interrupted,
}

/// A run over a host.
pub struct Run<'r, C> {
    host: Shared<C>,
    engine: Engine<HostResource<C>>,
    clock: Clock,
    options: RunOptions,
    stop: &'r AtomicBool,
    record: Record<'r>,
    /// The vertices whose Watch is not waited for any more.
    unarmed: HashSet<String>,
    /// Since when nothing has happened.
    quiet_since: Instant,
    converged: bool,
    /// Whether the last graph has converged, once.
    settled: bool,
    interrupted: bool,
    /// The first events are being gathered: nobody hears of them yet.
    gathering: bool,
    /// All is told to end: what happens now says nothing of the graph.
    ending: bool,
}

impl<C: std::fmt::Debug> std::fmt::Debug for Run<'_, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}

impl<'r, C: Caller> Run<'r, C> {
    /// A run without a graph. `tell` hears all that happens; `stop` interrupts.
    pub fn new(
        host: Shared<C>,
        options: RunOptions,
        stop: &'r AtomicBool,
        tell: &'r mut dyn FnMut(&GraphEvent),
    ) -> Self {
        Run {
            host,
            engine: Engine::new(None),
            clock: Clock::start(),
            options,
            stop,
            record: Record::new(tell),
            unarmed: HashSet::new(),
            quiet_since: Instant::now(),
            converged: false,
            settled: false,
            interrupted: false,
            gathering: false,
            ending: false,
        }
    }

    /// Gives the engine a graph, and runs until it has converged. What is gone from the one before is reversed, if it
    /// says so.
    ///
    /// # Errors
    /// If the host ends.
    pub fn give(&mut self, given: Given<C>) -> Result<Went, Ended> {
        let keys: HashSet<String> = given.resources.iter().map(key).collect();
        let running = self.engine.running().iter();
        let running = running.filter_map(|id| self.engine.resource(*id));
        let gone = running.filter(|one| !keys.contains(&key(one)));
        let late: Vec<HostResource<C>> = gone.filter_map(HostResource::reversed).collect();

        self.record.graph(&given, &late, self.clock.now());
        let mut node = |resource: HostResource<C>| {
            let label = resource.label().to_owned();
            self.engine.instance(resource, label)
        };
        let mut plan = Plan::new(given.resources.into_iter().map(&mut node).collect());
        plan.late = late.into_iter().map(node).collect();
        for (from, to, name, notify) in given.edges {
            plan.add_edge(PlanEdge {
                from,
                to,
                name,
                notify,
            });
        }
        self.engine.load(plan, false);
        self.record.said(&mut self.engine, self.clock.now());
        self.quiet_since = Instant::now();
        self.converged = false;
        let went = self.until_quiet()?;
        self.settled = went == Went::Converged;
        Ok(went)
    }

    /// Goes on in real time until someone interrupts it.
    ///
    /// # Errors
    /// If the host ends.
    pub fn watch(&mut self) -> Result<(), Ended> {
        while !self.is_stopped() {
            self.run_ready()?;
            let now = self.clock.now();
            let next = self.engine.next_time().map(|next| next.saturating_sub(now));
            let wait = next.map_or(LOOK, Duration::from_millis).min(LOOK);
            if self.quiet_since.elapsed() >= self.options.quiet && !self.is_unsettled() {
                self.set_converged(true);
            }
            self.listen(wait);
        }
        Ok(())
    }

    /// Ends all that runs, and says how it went. Nothing is asked of a host that is gone.
    pub fn finish(mut self) -> Summary {
        let mut ends = self.engine.ends();
        self.ending = true;
        self.is_stopped();
        if self.host.borrow().lost().is_none() {
            self.engine.shutdown();
            let mut done = self.run_ready().is_err();
            while !done && self.engine.is_operating() {
                if let Some(next) = self.engine.next_time() {
                    self.clock.jump_to(next);
                } else {
                    break;
                }
                done = self.run_ready().is_err();
            }
        }
        if self.host.borrow().lost().is_some() {
            // Nobody knows how they stand.
            ends.clear();
        }
        self.record.look(&self.engine);
        let remarks = self.host.borrow_mut().remarks();
        self.record.remarks(remarks, self.clock.now());
        let summary = Summary {
            converged: self.settled,
            interrupted: self.interrupted,
            real_ms: self.clock.real(),
            ..Summary::default()
        };
        self.record.ends(ends, summary, self.clock.now())
    }

    fn is_stopped(&mut self) -> bool {
        self.interrupted |= self.stop.load(Ordering::Relaxed);
        self.interrupted
    }

    fn set_converged(&mut self, converged: bool) {
        if self.converged != converged && !self.ending {
            self.converged = converged;
            let what = What::Converged { converged };
            self.record.tell(self.clock.now(), what);
        }
    }

    /// Whether something is still to come by itself.
    fn is_unsettled(&self) -> bool {
        self.engine.is_delayed() || self.engine.is_operating() || self.arming().next().is_some()
    }

    /// The labels of those whose Watch has not said yet that it is ready.
    fn arming(&self) -> impl Iterator<Item = &str> {
        let running = self.engine.running().iter();
        let arming = running.filter(|id| self.engine.is_arming(**id));
        let labels = arming.filter_map(|id| Some(self.engine.resource(*id)?.label()));
        labels.filter(|label| !self.unarmed.contains(*label))
    }

    fn until_quiet(&mut self) -> Result<Went, Ended> {
        self.gather()?;
        let begun = Instant::now();
        let mut jumps = 0;
        let mut arms_until = None;
        loop {
            self.run_ready()?;
            if self.is_stopped() {
                return Ok(Went::Interrupted);
            }
            match self.engine.take_outcome() {
                Some(outcome) if outcome != "ok" => {
                    let what = What::Refused { error: outcome };
                    self.record.tell(self.clock.now(), what);
                    return Ok(Went::Refused);
                }
                _ => {}
            }
            if begun.elapsed() > self.options.limit || jumps > JUMPS {
                return Ok(Went::Restless);
            }
            if self.arming().next().is_some() {
                let until = *arms_until.get_or_insert_with(|| Instant::now() + self.options.arming);
                if Instant::now() < until {
                    self.listen(LOOK);
                } else {
                    let late: Vec<String> = self.arming().map(str::to_owned).collect();
                    self.unarmed.extend(late);
                }
                continue;
            }
            arms_until = None;
            if self.engine.is_delayed() || self.engine.is_operating() {
                if self.listen(SETTLING) {
                    continue;
                }
                if let Some(next) = self.engine.next_time() {
                    self.clock.jump_to(next);
                    jumps += 1;
                    continue;
                }
            }
            let left = self
                .options
                .quiet
                .saturating_sub(self.quiet_since.elapsed());
            if left.is_zero() {
                self.set_converged(true);
                return Ok(Went::Converged);
            }
            let next = self.engine.next_time();
            let next = next.map(|next| next.saturating_sub(self.clock.now()));
            self.listen(next.map_or(left, Duration::from_millis).min(left).min(LOOK));
        }
    }

    /// Starts all, and waits for the first event of each Watch, but not for long.
    fn gather(&mut self) -> Result<(), Ended> {
        self.gathering = true;
        self.run_ready()?;
        let until = Instant::now() + GATHERING;
        let silent = |run: &Self| {
            let host = run.host.borrow();
            run.arming().any(|label| !host.is_heard_of(label))
        };
        while silent(self) && Instant::now() < until && self.host.borrow().lost().is_none() {
            self.host.borrow_mut().listen(until);
        }
        self.gathering = false;
        Ok(())
    }

    /// Listens to the host; whether it told something.
    fn listen(&mut self, wait: Duration) -> bool {
        let mut host = self.host.borrow_mut();
        if !host.has_fresh() {
            host.listen(Instant::now() + wait);
        }
        host.has_fresh()
    }

    /// Does all that is ready.
    fn run_ready(&mut self) -> Result<(), Ended> {
        loop {
            self.engine.set_clock(self.clock.now());
            let woken = self.wake();
            let did = self.engine.run_one();
            let remarks = self.host.borrow_mut().remarks();
            self.record.remarks(remarks, self.clock.now());
            if self.record.look(&self.engine) {
                self.quiet_since = Instant::now();
                self.set_converged(false);
            }
            if let Some(lost) = self.host.borrow().lost() {
                return Err(lost);
            }
            if (!did && !woken) || self.stop.load(Ordering::Relaxed) && !self.engine.is_operating()
            {
                return Ok(());
            }
        }
    }

    /// Asks those again about whom the host told something.
    fn wake(&mut self) -> bool {
        if self.gathering {
            return false;
        }
        let fresh: HashSet<String> = self.host.borrow_mut().fresh().into_iter().collect();
        if fresh.is_empty() {
            return false;
        }
        // In the order of the graph, whoever was first.
        let running = self.engine.running().iter().copied();
        let told = running.filter(|id| {
            let resource = self.engine.resource(*id);
            resource.is_some_and(|resource| fresh.contains(resource.label()))
        });
        let told: Vec<usize> = told.collect();
        for id in told {
            self.engine.wake_watch(id);
        }
        true
    }
}

fn key<C: Caller>(resource: &HostResource<C>) -> String {
    use mgmt_engine::Resource;
    format!("{}[{}]", resource.kind(), resource.name())
}
