//! # Nothing of one promise shows up in another's outcome
//!
//! ## What it requires
//! Attributes, results, result classes and log messages of one promise have no
//! part in the outcome of the next one. B after A has the outcome that B has
//! alone.
//!
//! ## Why
//! One process serves many promises. State that survives a request (a list of
//! classes that is never emptied, attributes merged into the last ones) makes a
//! promise depend on its neighbours, which no policy writer can see.
//!
//! ## How it is judged
//! B is validated and evaluated in a session of its own, and in a session in which
//! A came before; their effects are apart. Compared are B's result, result
//! classes and effects. B's answers may not hold a text of A's promise that they
//! do not hold in the session without A, nor repeat log messages of A. Other
//! messages may differ: a first request may well say that it set something up.
//!
//! Besides, promises are made whose promiser or value is nearly that of an example:
//! a letter more or less at its end or beginning, another last letter, a letter in place of
//! a dot, a dot or an underscore in place of a letter. A
//! promise with quite other letters shows what two of this type are to each other: where it
//! is `repaired` beside the example, so is each of these, and where it leaves the example
//! `kept`, so do they. Those that are not `repaired` by themselves, or do not write their
//! own text then, say nothing. Of numbers only one with a digit more counts, where one with
//! other digits, each the next, is told from the example's. A value that is a part of the example's
//! counts only where each such promise adds a line to a file. The example's value with its letters
//! in the other case counts where one with quite other letters takes its place: several words are
//! a should, a single one is advice.
//!
//! What an evaluation did is undone from outside. The promise is to be repaired
//! again, if a fresh process repairs it: what this one remembers has no part in that.
//!
//! Where one example takes away what another makes, the latter makes things with names that are
//! nearly the one that is taken away: they are left, if one with other letters is. That is a
//! should.
//!
//! Last, a promise is evaluated with `action_policy` warn, and then without it: then it is
//! not `not_kept`, if it is not in a session without warnings.
//!
//! A value that is far from the example's is judged where nothing stands, too: where it
//! stands in what is written there, by its third evaluation as by its first, a `kept` beside the
//! example is a should. Values that by their names count where nothing stands yet
//! (`initial_…`, `default_…`, `template` and the like) are left out, and promises that look for
//! something (`pattern`, `replace_…` and the like): it may be gone then.
//!
//! ## Example
//! The list of result classes is made once, in the constructor: the second
//! promise reports the first one's classes too. Or: a line is found by how it
//! begins, and the promise about `port` overwrites what `port_http` promised.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Result
//! classes".

use stickler_judge::{Relation, Role, Variation};
use crate::phase;
use crate::compare::{Outcome, unstable};
use crate::partner::{Comparison, at, readable};
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{contains, has_word, shown};
use std::collections::BTreeMap;
use stickler_judge::{Check, Group, Ledger, Level};
use stickler_transcript::{FileType};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(memory),
    Check::Session(spared),
    Check::Group(&[Relation::Alone], check),
    Check::Group(&[Relation::Near], confusion),
    Check::Group(&[Relation::Near], ignored),
    Check::Group(&[Relation::Warn], sticks),
];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, variant) in group.role(Role::After) {
        Comparison::of("after another promise").judge(group, (index, variant), ledger);
        let Some((partner, baseline)) = group.baseline() else {
            continue;
        };
        for (alone, after) in crate::compare::pairs(baseline, variant) {
            if !readable(alone) || !readable(after) {
                continue;
            }
            let found = repeated_log(alone, after, variant).or_else(|| leak(alone, after, variant));
            let Some((message, quote)) = found else {
                continue;
            };
            let finding = ledger
                .finding_at(at(index, after), message)
                .expected("the outcome that the promise has alone")
                .quote(&quote)
                .graded(after.provenance)
                .also(at(partner, alone));
            ledger.report(finding);
        }
    }
}

/// Is a promise taken for satisfied, since this process satisfied it once?
fn memory(session: &Session, ledger: &mut Ledger) {
    let of_kind = |wanted: Option<Variation>| {
        session
            .evaluations()
            .filter(|exchange| {
                let promise = session.promise(exchange);
                promise.is_some_and(|promise| promise.variation == wanted)
            })
            .collect::<Vec<_>>()
    };
    let [again, fresh] = of_kind(Some(Variation::Undone))[..] else {
        return;
    };
    let repaired_first = of_kind(None).first().is_some_and(|first| first.is("repaired"));
    if !repaired_first || !fresh.is("repaired") || !readable(again) {
        return;
    }
    if again.is("repaired") {
        ledger.pass(again.number);
        return;
    }
    let message = format!(
        "once repaired, and undone from outside: it is {}, in a fresh process `repaired`",
        Outcome::of(again).words()
    );
    let also = ledger.place(fresh.number);
    let finding = ledger
        .finding(again.number, message)
        .expected("`repaired`: the state of the system counts, not what was found earlier")
        .graded(again.provenance)
        .also(also);
    ledger.report(finding);
}

/// Is more taken away than was promised? What one promise makes and another one takes away is
/// made beside things of other names, and taken away again.
fn spared(session: &Session, ledger: &mut Ledger) {
    let kind = |exchange: &Exchange| session.promise(exchange)?.variation;
    let evaluations: Vec<_> = session.evaluations().collect();
    // What becomes of a thing by the next evaluation of the one that takes it away.
    let then = |made: &Exchange| {
        let mut later = evaluations.iter().filter(|later| later.number > made.number);
        let taken = later.next().filter(|taken| taken.is("repaired"))?;
        let again = later.next().filter(|again| again.promise == made.promise)?;
        (made.is("repaired") && readable(again)).then_some((*taken, *again))
    };
    let mut made = evaluations.iter().filter(|made| kind(made) == Some(Variation::Made));
    let is_taken = made.next().and_then(|made| then(made)).is_some_and(|it| it.1.is("repaired"));
    if !is_taken {
        return;
    }
    let mut neighbours = evaluations
        .iter()
        .filter(|one| kind(one) == Some(Variation::Neighbour) && !one.key.starts_with("left"))
        .filter_map(|neighbour| then(neighbour));
    // Another thing altogether is left, or all of them are one.
    if !neighbours.next().is_some_and(|(_, far)| far.is("kept")) {
        return;
    }
    for (taken, left) in neighbours {
        if left.is("kept") {
            ledger.pass(left.number);
            continue;
        }
        let words = session
            .promise(left)
            .and_then(|promise| promise.description.clone())
            .unwrap_or_default();
        let message = format!(
            "{words}: after an evaluation that takes away the other one it is {}",
            Outcome::of(left).words()
        );
        let also = ledger.place(taken.number);
        let finding = ledger
            .finding(left.number, message)
            .expected("`kept`, as where all letters are others")
            .at_most(Level::Should)
            .graded(left.provenance)
            .also(also);
        ledger.report(finding);
    }
}

/// Does an evaluation only warn, since the one before it was asked to?
fn sticks(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let unstable = unstable(group);
    for (index, session) in group.role(Role::Warn) {
        let mut warned = false;
        for exchange in session.evaluations() {
            if exchange.warns() {
                warned = true;
                continue;
            }
            let usual = baseline
                .exchange(&exchange.key)
                .filter(|usual| usual.is("repaired") || usual.is("kept"))
                .filter(|usual| !unstable.contains(&usual.key));
            let Some(usual) = usual.filter(|_| warned && readable(exchange)) else {
                continue;
            };
            if !exchange.is("not_kept") {
                ledger.passes.push(at(index, exchange));
                continue;
            }
            let message = format!(
                "after an evaluation with `action_policy` warn: `not_kept` instead of {}",
                Outcome::of(usual).words()
            );
            let finding = ledger
                .finding_at(at(index, exchange), message)
                .expected("the policy of one request has no part in the next one")
                .graded(exchange.provenance)
                .also(at(partner, usual));
            ledger.report(finding);
        }
    }
}

/// Is a promise taken for one that is nearly the same?
fn confusion(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, apart)) = group.baseline() else {
        return;
    };
    for (index, beside) in group.role(Role::Beside) {
        let of_kind = |wanted: Variation| {
            beside.evaluations().filter(move |exchange| {
                let promise = beside.promise(exchange);
                promise.and_then(|promise| promise.variation) == Some(wanted)
            })
        };
        let by_itself = |exchange: &Exchange| {
            let alone = apart.exchange(&exchange.key)?;
            (alone.is("repaired") && readable(alone)).then_some(alone)
        };
        // The example, after this one.
        let then = |exchange: &Exchange| {
            let key = format!("after-{}:", exchange.promise.as_deref().unwrap_or_default());
            beside
                .evaluations()
                .find(|other| other.key.starts_with(&key))
                .filter(|other| readable(other))
        };
        let Some((far, far_then)) = of_kind(Variation::Far)
            .find(|far| far.is("repaired") && by_itself(far).is_some())
            .and_then(|far| Some((far, then(far)?)))
        else {
            continue;
        };
        // A part of what is there may do, but where each promise adds a line.
        let parts = of_kind(Variation::Part).filter(|part| {
            let alone = by_itself(part).zip(by_itself(far));
            !part.is("kept") || alone.is_some_and(|alone| adds_a_line(apart, beside, alone))
        });
        let numbers = of_kind(Variation::Number);
        // Only of values that replace each other; names are often told apart by no case.
        let cases = of_kind(Variation::Case).filter(|_| !far_then.is("kept"));
        let others = of_kind(Variation::Near).chain(parts).chain(numbers).chain(cases);
        for near in others.filter(|near| readable(near)) {
            // What it writes is its own text: it is no pattern, no part of another.
            let own = by_itself(near).is_some_and(|alone| writes_itself(apart, beside, alone));
            let Some(near_then) = then(near).filter(|_| own) else {
                continue;
            };
            let promise = beside.promise(near);
            let is_number = promise.and_then(|it| it.variation) == Some(Variation::Number);
            let wrong = if near.is("repaired") {
                // A text may well hold the example's, as a longer one does; no number does.
                let undone = far_then.is("kept") && !near_then.is("kept");
                let held = is_number && far_then.is("repaired") && near_then.is("kept");
                (undone || held).then_some((near_then, far_then))
            } else {
                Some((near, far))
            };
            let Some((one, other)) = wrong else {
                ledger.passes.push(at(index, near));
                continue;
            };
            let words = promise
                .and_then(|promise| promise.description.clone())
                .unwrap_or_default();
            let relation = if one.number == near.number {
                "beside the example"
            } else {
                "the example after it"
            };
            let result = Outcome::of(one).words();
            // Single words are often the same in capitals, as names of machines are.
            let is_case = promise.and_then(|it| it.variation) == Some(Variation::Case);
            let is_word = changed_text(beside, beside, near)
                .is_some_and(|(text, _)| !contains(text, b" "));
            let most = match (is_case, is_word) {
                (true, true) => Level::May,
                (true, false) => Level::Should,
                (false, _) => Level::Must,
            };
            let finding = ledger
                .finding_at(at(index, one), format!("{words}: {relation} is {result}"))
                .at_most(most)
                .expected(format!(
                    "{}, as where all letters are others",
                    Outcome::of(other).words()
                ))
                .graded(near.provenance)
                .also(at(index, other));
            ledger.report(finding);
        }
    }
}

/// Words in the names of values that count once, where nothing stands yet.
const AT_FIRST: [&str; 9] =
    ["initial", "default", "seed", "once", "first", "create", "skel", "template", "fallback"];

/// Words in the names of values that are looked for: what another one makes of them is made no
/// more where they are gone.
const SOUGHT: [&str; 8] =
    ["pattern", "regex", "match", "search", "find", "replace", "before", "from"];

/// Is a promise `kept` where another value stands, though it makes something else of its own
/// where nothing does?
fn ignored(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((apart_at, apart)) = group.baseline() else {
        return;
    };
    let made = |key: &str| {
        let exchange = apart.exchange(key)?;
        (exchange.is("repaired") && readable(exchange)).then(|| Some((exchange, made(apart, exchange)?)))?
    };
    for (index, beside) in group.role(Role::Beside) {
        let Some(example) = beside.evaluations().next().filter(|it| it.is("repaired")) else {
            continue;
        };
        let usual = example.promise.as_deref().unwrap_or_default();
        for far in beside.evaluations() {
            let Some(promise) = beside.promise(far) else {
                continue;
            };
            let field = promise.field.as_deref().unwrap_or_default();
            let seeks = far.request.as_ref().is_some_and(|request| {
                let mut names = request.attributes.iter().flatten().map(|(name, _)| name);
                names.any(|name| SOUGHT.iter().any(|word| contains(name, word.as_bytes())))
            });
            let counts_once = seeks || AT_FIRST.iter().any(|word| field.contains(word));
            if promise.variation != Some(Variation::Far) || counts_once {
                continue;
            }
            let label = far.promise.as_deref().unwrap_or_default();
            let anew = made(&format!("anew:{label}"));
            let again = made(&format!("anew2:{label}"));
            let (Some((alone, anew)), Some((_, again)), Some((_, usual))) =
                (anew, again, made(&format!("anew:{usual}")))
            else {
                continue;
            };
            let place = at(index, far);
            let own = writes_itself(apart, beside, alone);
            if anew != again || anew == usual || !anew.keys().eq(usual.keys()) || !own {
                continue;
            }
            if !far.is("kept") {
                ledger.passes.push(place);
                break;
            }
            let words = promise.description.clone().unwrap_or_default();
            let finding = ledger
                .finding_at(
                    place,
                    format!("{words}: `kept`, though the example's value stands there"),
                )
                .expected("`repaired`, since it makes something else where nothing stands")
                .at_most(Level::Should)
                .graded(far.provenance)
                .also(at(apart_at, alone));
            ledger.report(finding);
            break;
        }
    }
}

/// What an evaluation made: files with their contents, and links. What stand-ins for commands
/// write beside them, who is told of a change for instance, is nothing that stays promised.
fn made<'e>(session: &Session, exchange: &'e Exchange) -> Option<BTreeMap<&'e [u8], &'e [u8]>> {
    let after = exchange.effects.as_ref()?.iter().filter_map(|change| {
        let entry = change.after.as_ref()?;
        (entry.kind != FileType::Directory).then_some((&change.path[..], entry))
    });
    let mut made = after
        .map(|(path, entry)| Some((path, &entry.content.as_ref()?[..])))
        .collect::<Option<BTreeMap<_, _>>>()?;
    if made.keys().any(|path| !session.is_foreign(path)) {
        made.retain(|path, _| !session.is_foreign(path));
    }
    (!made.is_empty()).then_some(made)
}

/// Does the text that was changed stand in what the evaluation wrote?
fn writes_itself(session: &Session, beside: &Session, exchange: &Exchange) -> bool {
    let Some((name, _)) = changed_text(session, beside, exchange) else {
        return false;
    };
    (exchange.effects.iter().flatten()).any(|change| contains(&change.path, name))
        || contents(exchange).any(|content| contains(content, name))
}

/// Does the text that was changed stand in a line by itself, not in the example's, and does a
/// later promise leave that line there?
fn adds_a_line(
    session: &Session,
    beside: &Session,
    (exchange, later): (&Exchange, &Exchange),
) -> bool {
    let Some((name, usual)) = changed_text(session, beside, exchange) else {
        return false;
    };
    let is_left = |line| lines(later).any(|other| other == line);
    lines(exchange).any(|line| stands_beside(line, name, usual) && is_left(line))
}

/// Does a text hold a part of another one where that does not stand?
fn stands_beside(text: &[u8], part: &[u8], whole: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.windows(whole.len().max(1)).position(|window| window == whole) {
        if contains(&rest[..at], part) {
            return true;
        }
        rest = &rest[at + whole.len()..];
    }
    contains(rest, part)
}

fn lines(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    contents(exchange).flat_map(|content| content.split(|byte| *byte == b'\n'))
}

/// The files' contents after an evaluation.
fn contents(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    let after = (exchange.effects.iter().flatten()).filter_map(|change| change.after.as_ref());
    after.filter_map(|entry| Some(&entry.content.as_ref()?[..]))
}

/// The text that was changed, and the example's own: of paths, their last names.
fn changed_text<'s>(
    session: &'s Session,
    beside: &'s Session,
    exchange: &'s Exchange,
) -> Option<(&'s [u8], &'s [u8])> {
    let field = session.promise(exchange)?.field.as_deref()?;
    let example = beside.evaluations().next()?.request.as_ref()?;
    let request = exchange.request.as_ref()?;
    let (text, usual) = match field {
        "promiser" => (request.promiser.as_deref()?, example.promiser.as_deref()?),
        field => {
            let texts = request.attribute(field.as_bytes())?.words();
            let usual = example.attribute(field.as_bytes())?.words();
            // An item more has none beside it.
            let usual = usual.into_iter().chain(std::iter::repeat(&b""[..]));
            let mut pairs = texts.into_iter().zip(usual);
            pairs.find(|(text, usual)| text != usual)?
        }
    };
    let name = |path: &'s [u8]| path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    Some((name(text), name(usual)))
}

/// The exchanges before this one in its process, about other promises.
fn earlier<'s>(session: &'s Session, exchange: &'s Exchange) -> impl Iterator<Item = &'s Exchange> {
    session.exchanges.iter().filter(|other| {
        other.process == exchange.process
            && other.number < exchange.number
            && matches!(other.phase, phase::VALIDATE | phase::EVALUATE)
            && other.promise != exchange.promise
    })
}

/// A log message that was sent for an earlier promise, and is one too many here.
fn repeated_log(
    alone: &Exchange,
    after: &Exchange,
    session: &Session,
) -> Option<(String, Vec<u8>)> {
    let counted = |exchange: &Exchange| {
        let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (_, message) in exchange.logs().filter(|(_, message)| !message.is_empty()) {
            *counts.entry(without_digits(message)).or_default() += 1;
        }
        counts
    };
    let (usual, now) = (counted(alone), counted(after));
    after
        .logs()
        // What only developers see may tell of earlier requests.
        .filter(|(level, _)| !matches!(*level, b"debug" | b"verbose"))
        .map(|(_, message)| message)
        .filter(|message| {
            let key = without_digits(message);
            now.get(&key) > usual.get(&key)
        })
        .find(|message| {
            earlier(session, after).any(|other| other.logs().any(|(_, sent)| sent == *message))
        })
        .map(|message| {
            let text = shown(message, session.case(), 60);
            (
                format!("repeats the log message `{text}` of an earlier promise"),
                message.to_vec(),
            )
        })
}

fn without_digits(text: &[u8]) -> Vec<u8> {
    text.iter()
        .copied()
        .filter(|byte| !byte.is_ascii_digit())
        .collect()
}

/// A text of an earlier promise that shows in this outcome, and not where the
/// promise stands alone.
fn leak(alone: &Exchange, after: &Exchange, session: &Session) -> Option<(String, Vec<u8>)> {
    let own = &after.sent[..];
    earlier(session, after)
        .flat_map(values)
        .find(|(_, text)| {
            text.len() >= 4 && !contains(own, text) && !shows(alone, text) && shows(after, text)
        })
        .map(|(name, text)| {
            let text_shown = shown(text, session.case(), 60);
            let message = match name {
                None => format!("the promiser `{text_shown}` of an earlier promise shows up"),
                Some(name) => format!(
                    "`{text_shown}` shows up, the value of `{}` in an earlier promise",
                    shown(name, session.case(), 40)
                ),
            };
            (message, text.to_vec())
        })
}

/// The texts of a request, with their attribute's name; the promiser has none.
fn values(exchange: &Exchange) -> Vec<(Option<&[u8]>, &[u8])> {
    let mut texts = Vec::new();
    let Some(request) = &exchange.request else {
        return texts;
    };
    texts.extend(request.promiser.as_deref().map(|text| (None, text)));
    for (name, value) in request.attributes.iter().flatten() {
        match value {
            Value::Text(text) => texts.push((Some(&name[..]), text)),
            Value::List(items) => {
                texts.extend(
                    items
                        .iter()
                        .filter_map(Value::as_text)
                        .map(|text| (Some(&name[..]), text)),
                );
            }
            _ => {}
        }
    }
    texts
}

/// Does a text show in what the exchange came to: logs, classes, echoes, what
/// was written?
fn shows(exchange: &Exchange, text: &[u8]) -> bool {
    let in_value = |value: &Value| match value {
        Value::Text(value) => contains(value, text),
        Value::List(items) => items
            .iter()
            .filter_map(Value::as_text)
            .any(|value| contains(value, text)),
        _ => false,
    };
    let Some(response) = &exchange.response else {
        return false;
    };
    exchange.logs().any(|(_, message)| has_word(message, text))
        || exchange.classes().iter().any(|class| contains(class, text))
        || response.promiser.values.iter().any(in_value)
        || response
            .attributes()
            .any(|(_, value)| in_value(value))
        || exchange.effects.iter().flatten().any(|change| {
            change
                .after
                .as_ref()
                .and_then(|entry| entry.content.as_ref())
                .is_some_and(|content| contains(content, text))
        })
}
