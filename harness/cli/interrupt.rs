//! A run that is asked to end tells what it has found, and then ends as it was asked to.

use crate::failure::Failure;
use crate::terminal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether the run is to end.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Kept>);

#[derive(Default)]
struct Kept {
    /// The signal that came first; 0: none.
    signal: AtomicI32,
    /// Set by it.
    stop: AtomicBool,
}

/// The signals that ask for the end, but for those that whoever started the program wants
/// ignored.
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

/// From now on a signal that asks for the end ends the program, once something else is done.
///
/// # Errors
/// Where signals cannot be caught.
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
    /// From now on the first signal that asks for the end is kept here; a second one ends
    /// the program at once. Those that whoever started it wants ignored stay so.
    ///
    /// # Errors
    /// Where signals cannot be caught.
    pub fn catch() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let mut signals = signals()?;
        let kept = interrupt.clone();
        let listen = move || {
            for signal in signals.forever() {
                if kept.0.signal.swap(signal, Ordering::Relaxed) != 0 {
                    let _ = emulate_default_handler(signal);
                }
                kept.0.stop.store(true, Ordering::Relaxed);
                terminal::note(
                    "interrupted: the findings so far follow; interrupt again to exit at once",
                );
            }
        };
        listening().spawn(listen).map_err(|error| failed(&error))?;
        Ok(interrupt)
    }

    /// Set once a signal has come.
    pub fn stop(&self) -> &AtomicBool {
        &self.0.stop
    }

    /// Ends the program as the signal would have ended it, if one came.
    pub fn obey(&self) {
        let signal = self.0.signal.load(Ordering::Relaxed);
        if signal != 0 {
            // Where that fails, the exit code tells it.
            let _ = emulate_default_handler(signal);
        }
    }
}
