//! # The module exits in time at the end of input
//!
//! ## What it requires
//! When the agent closes the module's stdin, the module exits within the deadline, whatever
//! its state.
//!
//! ## Why
//! A killed agent cannot send `terminate`. Modules that stay fill the machine, and a loop
//! around a read that returns nothing uses a whole processor.
//!
//! ## How it is judged
//! - Judged: sessions that close the input before the header, within it, after it, between
//!   requests and within a request. The module runs on, or prints, starts processes or uses
//!   memory without end, or crashes: a signal of its own (such as SIGSEGV or SIGABRT) ends it.
//! - Not judged: processes that were sent `terminate` (PM307).
//!
//! ## Example
//! ```text
//! while true; do read -r line; handle "$line"; done
//! ```
//! At the end of input `read` fails at once, again and again.
//!
//! ## How to fix
//! Leave the loop as soon as a read returns nothing, discard half a request, and exit. Make
//! threads daemons, and stop timers.
//! - Shell: `while IFS= read -r line; do …; done; exit 0`. Ruby: `while $stdin.gets`.
//! - Python: `line = sys.stdin.buffer.readline()`, then `if not line: break`
//! - C: `getline` returns -1. Go: `err == io.EOF`. Node: the event `end` of `process.stdin`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (silent on an agent that vanishes). cf-agent
//! closes the module's input and then waits for its exit.

use crate::phase;
use crate::reads::STARTS_AND_ENDS;
use crate::session::Session;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::{Event, ExitCause, Silence, Stream};

pub(super) const CHECKS: super::Checks = &[Check::Session(STARTS_AND_ENDS, check)];

/// It runs on, busy or idle.
const RUNS_ON: Variant = Variant::new("runs-on");
/// It prints without end.
const PRINTS: Variant = Variant::new("endless-output");
/// It starts processes without end.
const FORKS: Variant = Variant::new("endless-processes");
/// It uses memory without end.
const MEMORY: Variant = Variant::new("endless-memory");
/// It crashes.
const CRASHES: Variant = Variant::new("crashes");

/// The signals of programs that went wrong: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, see signal(7).
const CRASH: [i32; 6] = [4, 5, 6, 7, 8, 11];

fn check(session: &Session, ledger: &mut Ledger) {
    for number in 0..session.processes.len() {
        let last = session
            .exchanges
            .iter()
            .filter(|exchange| exchange.process == number);
        if last
            .clone()
            .any(|exchange| exchange.phase == phase::TERMINATE)
        {
            continue;
        }
        let last = last.map(|exchange| exchange.number).max();
        match after_close(session, number) {
            None => {}
            Some(Ok(())) => ledger.pass(last),
            Some(Err(defect)) => {
                let finding = ledger
                    .finding(last, defect)
                    .expected("an exit within the deadline");
                ledger.report(finding);
            }
        }
    }
}

/// How a process behaves after the harness closed its input. `None` if the harness
/// closed it only to end the session.
fn after_close(session: &Session, number: usize) -> Option<Result<(), Defect>> {
    let mut closed = false;
    let mut silent: Option<(Silence, u64)> = None;
    for event in &session.transcript.events {
        match event {
            Event::Start { process, .. } if *process == number => closed = false,
            Event::Closed {
                process,
                stream: Stream::Stdin,
                by_harness: true,
                ..
            } if *process == number => closed = true,
            Event::Silent {
                process,
                why,
                waited_us,
                ..
            } if *process == number => {
                if !closed {
                    // The process was silent before: the harness closed the input because of that.
                    return None;
                }
                silent = Some((*why, *waited_us));
            }
            Event::Killed { process, .. } if *process == number && silent.is_none() => {
                return None;
            }
            Event::Exit {
                process,
                cause,
                usage,
                ..
            } if *process == number && closed => {
                let Some((why, waited_us)) = silent else {
                    let crash = match cause {
                        ExitCause::Signal(signal) if CRASH.contains(signal) => {
                            let text = "crashes after its input was closed";
                            Err(CRASHES.says(format!("{text} (signal {signal})")))
                        }
                        _ => Ok(()),
                    };
                    return Some(crash);
                };
                let busy = usage.user_us + usage.system_us > waited_us / 2;
                return Some(Err(words(why, waited_us, busy)));
            }
            _ => {}
        }
    }
    silent.map(|(why, waited_us)| Err(words(why, waited_us, false)))
}

fn words(why: Silence, waited_us: u64, busy: bool) -> Defect {
    let seconds = Seconds(waited_us);
    match why {
        Silence::Flood => PRINTS.says("prints without end after its input was closed"),
        Silence::Deadline if busy => RUNS_ON.says(format!(
            "still runs {seconds} after its input was closed, and keeps the processor busy"
        )),
        Silence::Deadline | Silence::Input => {
            RUNS_ON.says(format!("still runs {seconds} after its input was closed"))
        }
        Silence::Processes => FORKS.says("starts processes without end after its input was closed"),
        Silence::Memory => MEMORY.says("uses memory without end after its input was closed"),
    }
}

struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} s", self.0 / 1_000_000, self.0 / 100_000 % 10)
    }
}
