//! # Only debug log messages contain internals of the module
//!
//! ## What it requires
//! Messages of all levels but `debug` contain no stack frames of the module, no addresses of
//! its objects and no protocol text.
//!
//! ## Why
//! People who write policy and run machines read these messages. A traceback tells them
//! nothing about their promise.
//!
//! ## How it is judged
//! - Judged: every log message that is not of level debug. The suite looks for stack frames of
//!   common languages, and for source files with a line number.
//! - Judged: objects without a text form (`<function read at 0x7f…>`, `HASH(0x55…)`,
//!   `[object Object]`); names of operations, and the key `operation`.
//! - Not judged: text that the request contains, and lines of a file that it names; the name
//!   of the program before a message (`module.sh: no such user`).
//!
//! ## Example
//! A module logs `Traceback (most recent call last): File "git.py", line 12` at level
//! critical.
//!
//! ## How to fix
//! Log one sentence for the reader, and the traceback at level `debug`, line by line:
//! - Python: `log("critical", f"Bug in the module: {e}")`, then
//!   `for line in filter(str.strip, traceback.format_exc().splitlines()): log("debug", line)`
//! - Perl: `die "No such user\n"`; without the newline, Perl adds file and line.
//! - Ruby and Java: log the exception's message, not `full_message` or `printStackTrace`.
//! - Bash: `${text##*: }` cuts off script and line. Objects: log a name or value of theirs.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" (levels other than debug: for non-developers).

use crate::internals::internals;
use crate::logs;
use crate::reads::OUTCOMES;
use crate::session::{Exchange, Session};
use crate::words::{contains, cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let subject = &session.case().subject.name;
    for exchange in logs::all_own(session).filter(|exchange| exchange.owed) {
        let mut judged = exchange
            .logs()
            .filter(|(level, _)| logs::meant(level) != Some("debug"))
            .map(|(_, message)| String::from_utf8_lossy(message))
            .peekable();
        if judged.peek().is_none() {
            continue;
        }
        let found = judged.find_map(|message| {
            let (kind, part) = internals(&message, subject)
                .into_iter()
                .find(|(_, part)| !is_copied(part, exchange, subject))?;
            Some((kind, part.to_owned()))
        });
        let Some(((variant, what), part)) = found else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                variant.says(format!(
                    "{what} in a log message: `{}`",
                    cut(&visible(part.as_bytes()), 80)
                )),
            )
            .expected("words for people; details at level debug")
            .quote(part.as_bytes())
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// Does the request contain this part, or name the file that it is a line of?
fn is_copied(part: &str, exchange: &Exchange, subject: &str) -> bool {
    let file = part.split(':').next().filter(|file| !file.is_empty());
    let file = file.filter(|file| file.rsplit('/').next() != Some(subject));
    logs::quotable(exchange).iter().any(|text| {
        contains(text, part.as_bytes()) || file.is_some_and(|file| contains(text, file.as_bytes()))
    })
}
