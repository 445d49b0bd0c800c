//! A session with a promise module, chosen by the bytes and judged by the rules. The variable
//! `STICKLER_FUZZ_SUBJECT` names the module; `docs/fuzz-services.md` says how.
#![no_main]

#[path = "session/counters.rs"]
mod counters;
#[path = "session/reproducer.rs"]
mod reproducer;

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use stickler_fuzz::{Guided, MAP};
use stickler_suite::Redactor;
use stickler_targets::subject;

struct Target {
    sessions: Guided,
    redactor: Redactor,
    /// What a session shows.
    map: Vec<u8>,
}

thread_local! {
    /// `libFuzzer` calls from one thread, and never returns.
    static TARGET: RefCell<Option<Target>> = const { RefCell::new(None) };
}

fn open() -> Result<Target, String> {
    let (guide, about) = subject::guide()?;
    eprintln!("session: {about}");
    Ok(Target {
        redactor: Redactor::of(&guide.config),
        sessions: Guided::open(guide).map_err(|error| error.to_string())?,
        map: vec![0; MAP],
    })
}

fuzz_target!(
    init: {
        match open() {
            Ok(target) => TARGET.set(Some(target)),
            Err(why) => {
                eprintln!("session: {why}");
                std::process::exit(2);
            }
        }
    },
    |bytes: &[u8]| {
        TARGET.with_borrow_mut(|target| {
            if let Some(target) = target {
                run(target, bytes);
            }
        });
    }
);

fn run(target: &mut Target, bytes: &[u8]) {
    target.map.fill(0);
    let found = target.sessions.run(bytes, &mut target.map);
    counters::show(&target.map);
    match found {
        Ok(None) => {}
        Ok(Some(finding)) => {
            let rule = &finding.signature.rule;
            let path = reproducer::save(&finding, &target.redactor);
            panic!("{rule} must: {}\n  stickler replay {path}", finding.message);
        }
        // The module is not to blame.
        Err(error) => {
            eprintln!("session: {error}");
            std::process::exit(2);
        }
    }
}
