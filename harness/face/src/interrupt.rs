//! Lets an interrupted run report its findings so far, and then end by the signal that interrupted
//! it.

use crate::failure::Failure;
use crate::terminal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Signals within this time are one.
const ONE: Duration = Duration::from_millis(500);

/// Must the run end?
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Kept>);

#[derive(Default)]
struct Kept {
    /// The first signal; 0 means none.
    signal: AtomicI32,
    /// Set when a signal has come.
    stop: Arc<AtomicBool>,
    /// What a second one does before it ends the program.
    last: Mutex<Option<Box<dyn Fn() + Send>>>,
}

/// The signals that end a run, except those that the parent process ignores.
fn signals() -> Result<Signals, Failure> {
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter();
    Signals::new(wanted.filter(|signal| !stickler_session::is_ignored(*signal)))
        .map_err(|error| failed(&error))
}

fn failed(error: &std::io::Error) -> Failure {
    Failure::harness(format!("catching signals: {error}"))
}

fn listening() -> std::thread::Builder {
    std::thread::Builder::new().name("signals".to_owned())
}

/// From now on, such a signal first runs `work` and then ends the program.
///
/// # Errors
/// If signals cannot be caught.
pub fn before_the_end(work: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let mut signals = signals()?;
    let listen = move || {
        for signal in signals.forever() {
            work();
            let _ = emulate_default_handler(signal);
        }
    };
    listening().spawn(listen).map_err(|error| failed(&error))?;
    Ok(())
}

impl Interrupt {
    /// From now on, the first such signal is noted here, and a second one ends the program at once.
    /// Signals that the parent process ignores stay ignored.
    ///
    /// # Errors
    /// If signals cannot be caught.
    pub fn catch() -> Result<Self, Failure> {
        Self::catch_saying("the findings so far follow; interrupt again to exit at once")
    }

    /// The same, where something else follows.
    ///
    /// # Errors
    /// If signals cannot be caught.
    pub fn catch_saying(follows: &'static str) -> Result<Self, Failure> {
        let interrupt = Self::default();
        let mut signals = signals()?;
        let kept = interrupt.clone();
        let mut first = None;
        let listen = move || {
            for signal in signals.forever() {
                if kept.0.signal.swap(signal, Ordering::Relaxed) != 0 {
                    // A program such as timeout sends its signal to the process and to its group.
                    if first.is_some_and(|first: Instant| first.elapsed() < ONE) {
                        continue;
                    }
                    if let Some(work) = kept.0.last.lock().ok().as_deref().and_then(Option::as_ref)
                    {
                        work();
                    }
                    let _ = emulate_default_handler(signal);
                }
                first.get_or_insert_with(Instant::now);
                kept.0.stop.store(true, Ordering::Relaxed);
                terminal::note(&format!("interrupted: {follows}"));
            }
        };
        listening().spawn(listen).map_err(|error| failed(&error))?;
        Ok(interrupt)
    }

    /// A second signal does this before it ends the program.
    pub fn at_the_second(&self, work: impl Fn() + Send + 'static) {
        if let Ok(mut last) = self.0.last.lock() {
            *last = Some(Box::new(work));
        }
    }

    /// Set once a signal has come.
    pub fn stop(&self) -> &AtomicBool {
        &self.0.stop
    }

    /// The same, for whoever outlives this.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.stop)
    }

    /// If a signal came, ends the program as that signal would have.
    pub fn obey(&self) {
        let signal = self.0.signal.load(Ordering::Relaxed);
        if signal != 0 {
            // If this fails, the exit code still tells.
            let _ = emulate_default_handler(signal);
        }
    }
}
