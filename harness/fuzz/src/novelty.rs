//! What is new about a session's answers, so that a campaign can follow it without knowing the
//! subject's code.

use std::borrow::Borrow;
use std::hash::{DefaultHasher, Hash, Hasher};
use stickler_judge::View;
use stickler_reading::{Ended, Exchange};
use stickler_transcript::ExitCause;

/// The number of marks that answers can set.
pub const MARKS: usize = 1 << 14;
/// The most words of one answer that count.
const WORDS: usize = 400;
/// Answers that take longer than this, in microseconds, are a class of their own for each
/// fourfold.
const SLOW_US: u64 = 500_000;

/// Notes the marks of a map, each at the highest class that it had. Is something new? `first` is
/// called with the place of each mark that was never seen.
pub(crate) fn see(seen: &mut [u8], map: &[u8], mut first: impl FnMut(usize)) -> bool {
    // Nearly all marks are unset. To compare a whole piece is quick, even where each is counted.
    const PIECE: usize = 256;
    let mut is_new = false;
    let pieces = seen.chunks_mut(PIECE).zip(map.chunks(PIECE)).enumerate();
    for (piece, (known, marks)) in pieces.filter(|(_, (_, marks))| **marks != [0; PIECE]) {
        for (at, (known, mark)) in known.iter_mut().zip(marks).enumerate() {
            if *mark > *known {
                is_new = true;
                if std::mem::replace(known, *mark) == 0 {
                    first(piece * PIECE + at);
                }
            }
        }
    }
    is_new
}

/// The marks of a session, each below [`MARKS`]: one for the form of each answer, one for the
/// classes of each two answers in a row, one for each kind of effect. `outcomes` are the words that
/// tell classes of answers apart.
pub fn marks<V: View>(session: &V, outcomes: &[&str]) -> Vec<usize> {
    let mut marks = Vec::new();
    let mut mark = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        marks.push(usize::try_from(hasher.finish() % MARKS as u64).unwrap_or(0));
    };
    let mut before = 0;
    for exchange in &session.reading().exchanges {
        let exchange: &Exchange = exchange.borrow();
        let form = form(exchange);
        mark(&|hasher| ("answer", form).hash(hasher));
        let class = class(exchange, outcomes);
        mark(&|hasher| ("pair", before, class).hash(hasher));
        before = class;
        for change in exchange.effects.iter().flatten() {
            let after = change
                .after
                .as_ref()
                .map(|entry| (entry.kind as u8, entry.mode));
            mark(&|hasher| {
                ("effect", change.kind, after, exchange.phase.name()).hash(hasher);
            });
        }
    }
    marks
}

/// The class of an answer: how it ended, and which outcome it names.
fn class(exchange: &Exchange, outcomes: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    exchange.phase.name().hash(&mut hasher);
    ended(exchange).hash(&mut hasher);
    for outcome in outcomes {
        stickler_reading::words::has_word(&exchange.output, outcome.as_bytes()).hash(&mut hasher);
    }
    hasher.finish()
}

fn ended(exchange: &Exchange) -> i64 {
    match exchange.ended {
        Ended::Answered => 0,
        Ended::NoAnswer => 1,
        Ended::ClosedOutput => 2,
        Ended::Killed => 3,
        Ended::Silent(_) => 4,
        Ended::Exited(ExitCause::Code(code)) => 1_000 + i64::from(code),
        Ended::Exited(ExitCause::Signal(signal)) => 2_000 + i64::from(signal),
        Ended::Exited(ExitCause::Lost) => 5,
    }
}

/// The form of an answer: its words without those of the message, and how it ended.
fn form(exchange: &Exchange) -> u64 {
    let mut hasher = DefaultHasher::new();
    exchange.phase.name().hash(&mut hasher);
    ended(exchange).hash(&mut hasher);
    words(&exchange.output, &exchange.sent, &mut hasher);
    words(&exchange.errors, &exchange.sent, &mut hasher);
    let slow = exchange.took().unwrap_or(0) / SLOW_US;
    (u64::BITS - slow.leading_zeros())
        .div_ceil(2)
        .hash(&mut hasher);
    hasher.finish()
}

/// Hashes the words of a text that do not come from the message.
fn words(text: &[u8], sent: &[u8], hasher: &mut DefaultHasher) {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let all = text
        .split(|byte| !is_letter(byte))
        .filter(|word| word.len() > 1);
    for word in all.take(WORDS) {
        if !stickler_reading::words::contains(sent, word) {
            word.hash(hasher);
        }
    }
}
