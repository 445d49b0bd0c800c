//! # Nothing of one promise shows up in another's outcome
//!
//! ## What it requires
//! A promise has the outcome that it has alone, whichever promises the module served before.
//!
//! ## Why
//! One process serves many promises. State that survives a request makes a promise depend on
//! its neighbours, which no policy writer can see.
//!
//! ## How it is judged
//! - Judged: B after A, compared with B alone: outcome, effects, texts or logs of A; in campaigns, logs of its path.
//! - Judged: near promises, which differ from an example in one letter, digit or case. Beside
//!   the example they must act as a control with entirely different letters does; so must a list with an item
//!   twice, and a greater and a smaller number are not both `kept` if each makes something else alone.
//! - Judged: evaluations after a repair was undone from outside, and after one under `warn`.
//! - Not judged: what also shows up if the earlier promise ran in another process; outcomes that
//!   never converge (PM804); near promises that write no text of their own; parts of a text, unless
//!   each promise adds a line; values that count only at first (`default_…`) or are searched for.
//! - Lowered to should: another case (single words: may); near names, if an example removes
//!   what another makes; a control that is `kept`, but alone makes something else.
//!
//! ## Example
//! The list of result classes is created once, so a second promise reports the first one's classes.
//!
//! ## How to fix
//! - Create state for each request. Shell: reset all variables before you read one. Python:
//!   no lists in class bodies, no defaults like `def run(classes=[])`.
//! - Compare whole names and case: `name == other`, not `in`; `grep -Fxq -- "$line" "$file"`.
//! - Compare all attributes with the system in each evaluation; remember no outcomes.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Result classes".

use crate::compare::{UsedAnswer, unstable};
use crate::naming::named;
use crate::partner::{Comparison, at, readable};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use crate::words::{contains, has_word, keyed, shown};
use std::collections::BTreeMap;
use stickler_judge::{Check, Defect, Group, Ledger, Level, Relation, Role, Variant, Variation};
use stickler_transcript::{FileType, Key, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[Relation::UNDONE], memory),
    Check::Session(&[Relation::REMOVED], spared),
    Check::Group(&[Relation::ALONE], check),
    Check::Session(&[Relation::ALONE], repeats),
    Check::Group(&[Relation::NEAR], confusion),
    Check::Group(&[Relation::NEAR], ignored),
    Check::Group(&[Relation::WARN], sticks),
];

/// A text of an earlier promise appears.
const LEAKS: Variant = Variant::new("foreign-text");
/// A log message of an earlier promise is sent once more.
const REPEATS_LOG: Variant =
    Variant::new("repeated-log").titled("A log message belongs to one evaluation");
/// What the process repaired before decides, not the present state.
const REMEMBERS: Variant = Variant::new("remembers-repairs")
    .titled("The present state decides the result, not the memory of the process");
/// More is removed than the promise is about.
const REMOVES_MORE: Variant =
    Variant::new("removes-more").titled("A promise removes only what it names");
/// An earlier `action_policy` still applies.
const WARN_STAYS: Variant =
    Variant::new("warn-stays").titled("`action_policy` applies to one request");
/// A promise is confused with one of nearly the same name.
const CONFUSES: Variant = Variant::new("confuses-names")
    .titled("Promises of nearly the same name are different promises");
/// A promise is confused with one in other upper and lower case.
const IGNORES_CASE: Variant =
    Variant::new("ignores-case").titled("Promises in upper and lower case are different promises");
/// Another value exists, and the promise is `kept`.
const OVERLOOKS: Variant =
    Variant::new("overlooks-value").titled("Another value of an attribute is another promise");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, variant) in group.role(Role::After) {
        if group.baseline().is_none_or(|(_, alone)| !diverges(alone)) {
            Comparison::of("after another promise").judge(group, (index, variant), ledger);
        }
        let Some((partner, baseline)) = group.baseline() else {
            continue;
        };
        for (alone, after) in crate::compare::pairs(baseline, variant) {
            if !readable(alone) || !readable(after) {
                continue;
            }
            // What the promise does alone, and what it does after others in another process: that
            // comes from the system.
            let again = group.role(Role::Again).map(|(_, again)| again);
            let again = again.filter_map(|again| again.exchange(&after.key));
            let usual: Vec<&Exchange> = [alone].into_iter().chain(again).collect();
            let found =
                repeated_log(&usual, after, variant).or_else(|| leak(&usual, after, variant));
            let Some((defect, quote)) = found else {
                continue;
            };
            let finding = ledger
                .finding_at(at(index, after), defect)
                .expected("the outcome that the promise has alone")
                .quote(&quote)
                .graded(after.provenance)
                .also(at(partner, alone));
            ledger.report(finding);
        }
    }
}

/// Is a promise repaired again and again? Then each evaluation depends on the one before it (PM804), and
/// so it does on those of other promises.
fn diverges(alone: &Session) -> bool {
    let repaired = || alone.evaluations().filter(|one| one.is("repaired"));
    repaired().any(|first| {
        let mut later = repaired().filter(|later| later.number > first.number);
        later.any(|later| later.item == first.item)
    })
}

/// A campaign does not hold each session with one promise alone: what an answer repeats word for word of the answer
/// before it, with the promiser of that, is the other promise's nevertheless.
fn repeats(session: &Session, ledger: &mut Ledger) {
    // Other names, and shorter ones, may be words of any message.
    const TELLING: usize = 6;
    let is_telling = |text: &&[u8]| text.starts_with(b"/") && text.len() >= TELLING;
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| member.relation == Relation::FUZZ) {
        return;
    }
    for pair in session.exchanges.windows(2) {
        let [before, after] = pair else {
            continue;
        };
        let promiser = before
            .request
            .as_ref()
            .and_then(|one| one.promiser.as_deref());
        let Some(promiser) = promiser.filter(is_telling) else {
            continue;
        };
        let is_other = earlier(session, after).any(|other| other.number == before.number);
        let names = |text: &[u8]| contains(text, promiser);
        let is_asked_for = names(&after.sent) || values(after).iter().any(|(_, text)| names(text));
        if !is_other || is_asked_for || !readable(before) || !readable(after) {
            continue;
        }
        let mut own = after
            .logs()
            .filter(|(level, _)| !matches!(*level, b"debug" | b"verbose"));
        let repeated = own
            .find(|(_, message)| names(message) && before.logs().any(|(_, sent)| sent == *message));
        let Some((_, message)) = repeated else {
            ledger.pass(after.number);
            continue;
        };
        let text = shown(message, session.case(), 60);
        let defect = REPEATS_LOG.says(format!(
            "repeats the log message `{text}` of an earlier promise"
        ));
        let also = ledger.place(before.number);
        let finding = ledger
            .finding(after.number, defect)
            .expected("only messages about its own promise")
            .quote(message)
            .graded(after.provenance)
            .also(also);
        ledger.report(finding);
    }
}

/// Does the process answer `kept` for a promise only because it repaired it before?
fn memory(session: &Session, ledger: &mut Ledger) {
    let of_kind = |wanted: Option<Variation>| {
        session
            .evaluations()
            .filter(|exchange| {
                let promise = session.item(exchange);
                promise.is_some_and(|promise| promise.variation == wanted)
            })
            .collect::<Vec<_>>()
    };
    let [again, fresh] = of_kind(Some(Variation::Undone))[..] else {
        return;
    };
    let repaired_first = of_kind(None)
        .first()
        .is_some_and(|first| first.is("repaired"));
    if !repaired_first || !fresh.is("repaired") || !readable(again) {
        return;
    }
    if again.is("repaired") {
        ledger.pass(again.number);
        return;
    }
    let message = format!(
        "after its repair was undone from outside, the promise is {}; a fresh process answers `repaired`",
        UsedAnswer::of(again).words()
    );
    let also = ledger.place(fresh.number);
    let finding = ledger
        .finding(again.number, REMEMBERS.says(message))
        .expected("`repaired`: the state of the system counts, not what the process remembers")
        .graded(again.provenance)
        .also(also);
    ledger.report(finding);
}

/// Does an evaluation remove more than it promised? One example makes things with several
/// names, and after each of them another example removes the one that it is about.
fn spared(session: &Session, ledger: &mut Ledger) {
    let kind = |exchange: &Exchange| session.item(exchange)?.variation;
    let evaluations: Vec<_> = session.evaluations().collect();
    // The next removal after a thing was made, and the evaluation of that thing after it.
    let then = |made: &Exchange| {
        let mut later = evaluations
            .iter()
            .filter(|later| later.number > made.number);
        let taken = later.next().filter(|taken| taken.is("repaired"))?;
        let again = later.next().filter(|again| again.item == made.item)?;
        (made.is("repaired") && readable(again)).then_some((*taken, *again))
    };
    let mut made = evaluations
        .iter()
        .filter(|made| kind(made) == Some(Variation::Made));
    let is_taken = made
        .next()
        .and_then(|made| then(made))
        .is_some_and(|it| it.1.is("repaired"));
    if !is_taken {
        return;
    }
    let mut neighbours = evaluations
        .iter()
        .filter(|one| kind(one) == Some(Variation::Neighbour) && !one.key.is(Purpose::LEFT))
        .filter_map(|neighbour| then(neighbour));
    // The control with other letters must stay, or all names mean the same thing.
    if !neighbours.next().is_some_and(|(_, far)| far.is("kept")) {
        return;
    }
    for (taken, left) in neighbours {
        if left.is("kept") {
            ledger.pass(left.number);
            continue;
        }
        let result = UsedAnswer::of(left).words();
        let message = match names(session, session, left) {
            Some((near, usual)) => format!("{near} is {result} after {usual} was removed"),
            None => format!("a similar promise is {result} after this one was removed"),
        };
        let also = ledger.place(taken.number);
        let finding = ledger
            .finding(left.number, REMOVES_MORE.says(message))
            .expected("`kept`, as with unrelated names")
            .at_most(Level::Should)
            .graded(left.provenance)
            .also(also);
        ledger.report(finding);
    }
}

/// Does an evaluation only warn because an earlier one had `action_policy` warn?
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
                UsedAnswer::of(usual).words()
            );
            let finding = ledger
                .finding_at(at(index, exchange), WARN_STAYS.says(message))
                .expected("`action_policy` counts only for its own request")
                .graded(exchange.provenance)
                .also(at(partner, usual));
            ledger.report(finding);
        }
    }
}

/// Does the module confuse a promise with one that is nearly the same?
fn confusion(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, apart)) = group.baseline() else {
        return;
    };
    for (index, beside) in group.role(Role::Beside) {
        let of_kind = |wanted: Variation| {
            beside.evaluations().filter(move |exchange| {
                let promise = beside.item(exchange);
                promise.and_then(|promise| promise.variation) == Some(wanted)
            })
        };
        let by_itself = |exchange: &Exchange| {
            let alone = apart.exchange(&exchange.key)?;
            (alone.is("repaired") && readable(alone)).then_some(alone)
        };
        // The evaluation of the example after this one.
        let then = |exchange: &Exchange| {
            let label = exchange.item.as_deref()?;
            beside
                .evaluations()
                .find(|other| other.key.is_part(Purpose::AFTER, label))
                .filter(|other| readable(other))
        };
        let Some((far, far_then)) = of_kind(Variation::Far)
            .find(|far| far.is("repaired") && by_itself(far).is_some())
            .and_then(|far| Some((far, then(far)?)))
        else {
            continue;
        };
        // A part of the example's text may be `kept`, unless each promise adds a line.
        let parts = of_kind(Variation::Part).filter(|part| {
            let alone = by_itself(part).zip(by_itself(far));
            !part.is("kept") || alone.is_some_and(|alone| adds_a_line(apart, beside, alone))
        });
        let numbers = of_kind(Variation::Number);
        // Names often ignore case. Attributes that do take the other spelling for theirs, or both are apart.
        let is_attribute = |one: &Exchange| {
            let field = beside.item(one).and_then(|item| item.field.as_deref());
            field.is_some_and(|field| field != "promiser")
        };
        let cases = of_kind(Variation::Case)
            .filter(|one| !far_then.is("kept") || is_attribute(one) && one.is("repaired"));
        let others = of_kind(Variation::Near)
            .chain(parts)
            .chain(numbers)
            .chain(cases);
        for near in others.filter(|near| readable(near)) {
            // It must write its own text: otherwise it may be a pattern or a part of another.
            let own = by_itself(near).is_some_and(|alone| writes_itself(apart, beside, alone));
            let Some(near_then) = then(near).filter(|_| own) else {
                continue;
            };
            let promise = beside.item(near);
            let is_number = promise.and_then(|it| it.variation) == Some(Variation::Number);
            let wrong = if near.is("repaired") {
                // A text may contain the example's, as a longer one does; a number does not. One with its key may
                // replace it, if each other value of that key does.
                let is_replaced = shares_key(beside, near)
                    && of_kind(Variation::Far)
                        .filter(|far| shares_key(beside, far))
                        .all(|far| !then(far).is_some_and(|then| then.is("kept")));
                let undone = far_then.is("kept") && !near_then.is("kept") && !is_replaced;
                let held = is_number && far_then.is("repaired") && near_then.is("kept");
                (undone || held).then_some((near_then, far_then))
            } else {
                Some((near, far))
            };
            let Some((one, other)) = wrong else {
                ledger.passes.push(at(index, near));
                continue;
            };
            let (near_name, usual) = names(beside, beside, near)
                .unwrap_or_else(|| ("a similar promise".into(), "the example".into()));
            let (result, apart) = (UsedAnswer::of(one).words(), UsedAnswer::of(other).words());
            let message = if one.number == near.number {
                format!(
                    "{near_name} is {result} once {usual} is there; unrelated names are {apart}"
                )
            } else {
                format!(
                    "{usual} is {result} after {near_name}; after unrelated names it is {apart}"
                )
            };
            // For single words, such as names of machines, case often does not matter.
            let is_case = promise.and_then(|it| it.variation) == Some(Variation::Case);
            let is_word =
                changed_text(beside, beside, near).is_some_and(|(text, _)| !contains(text, b" "));
            let most = match (is_case, is_word && !far_then.is("kept")) {
                (true, true) => Level::May,
                (true, false) => Level::Should,
                (false, _) => Level::Must,
            };
            let variant = if is_case { IGNORES_CASE } else { CONFUSES };
            let finding = ledger
                .finding_at(at(index, one), variant.says(message))
                .at_most(most)
                .expected(format!("{apart}, as with unrelated names"))
                .graded(near.provenance)
                .also(at(index, other));
            ledger.report(finding);
        }
    }
}

/// Words in the names of values that count only when something is made for the first time.
const AT_FIRST: [&str; 9] = [
    "initial", "default", "seed", "once", "first", "create", "skel", "template", "fallback",
];

/// Words in the names of values that the module searches for: once they are replaced, it finds
/// nothing to do.
const SOUGHT: [&str; 8] = [
    "pattern", "regex", "match", "search", "find", "replace", "before", "from",
];

/// Is a promise `kept` although another value is there, and although it makes something else
/// where there is nothing?
fn ignored(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, apart)) = group.baseline() else {
        return;
    };
    for (index, beside) in group.role(Role::Beside) {
        for variation in [Variation::Far, Variation::Doubled] {
            let of = of_variation(beside, variation);
            let mut judged = of.filter_map(|one| Some((one, makes_another(apart, beside, one)?)));
            let Some((one, alone)) = judged.next() else {
                continue;
            };
            if !one.is("kept") {
                ledger.passes.push(at(index, one));
                continue;
            }
            let there = match names(beside, beside, one) {
                Some((far, usual)) if variation == Variation::Far => {
                    format!("{far} is `kept`, although {usual} is there")
                }
                _ if variation == Variation::Far => {
                    "it is `kept`, although the example's value is there".into()
                }
                _ => "with an item of a list twice, it is `kept`, although it is there once".into(),
            };
            report(group, (index, one, alone), there, ledger);
        }
        let numbers: Vec<_> = of_variation(beside, Variation::Number)
            .filter_map(|one| Some((one, makes_another(apart, beside, one)?)))
            .collect();
        // One that is greater may do for what is asked for, or one that is smaller, but not both.
        let [(one, alone), (other, _)] = numbers[..] else {
            continue;
        };
        if !one.is("kept") || !other.is("kept") {
            ledger.passes.push(at(index, one));
            continue;
        }
        let field = beside.item(one).and_then(|item| item.field.as_deref());
        let there = format!(
            "with a greater \"{field}\" and with a smaller one it is `kept`, although the example's is there",
            field = field.unwrap_or_default()
        );
        report(group, (index, one, alone), there, ledger);
    }
}

fn report(
    group: &Group<'_, Session>,
    (index, one, alone): (usize, &Exchange, &Exchange),
    message: String,
    ledger: &mut Ledger,
) {
    let Some((apart, _)) = group.baseline() else {
        return;
    };
    let finding = ledger
        .finding_at(at(index, one), OVERLOOKS.says(message))
        .expected("`repaired`, since it makes something else on an empty system")
        .at_most(Level::Should)
        .graded(one.provenance)
        .also(at(apart, alone));
    ledger.report(finding);
}

/// The first evaluations of the items that were changed in this way.
fn of_variation(session: &Session, variation: Variation) -> impl Iterator<Item = &Exchange> {
    session.evaluations().filter(move |exchange| {
        let item = session.item(exchange);
        exchange.key.is(Purpose::EVALUATE)
            && item.is_some_and(|item| item.variation == Some(variation))
    })
}

/// The evaluation in which an item makes something else than the example where there is nothing, each time the same.
fn makes_another<'s>(apart: &'s Session, beside: &Session, one: &Exchange) -> Option<&'s Exchange> {
    let made = |key: Key| {
        let exchange = apart.exchange(&key)?;
        (exchange.is("repaired") && readable(exchange))
            .then(|| Some((exchange, made(apart, exchange)?)))?
    };
    let mut evaluations = beside.evaluations();
    let example = evaluations.next().filter(|it| it.is("repaired"))?;
    let usual = example.item.as_deref().unwrap_or_default();
    let item = beside.item(one)?;
    let field = item.field.as_deref().unwrap_or_default();
    let seeks = one.request.as_ref().is_some_and(|request| {
        let mut names = request.attributes.iter().flatten().map(|(name, _)| name);
        names.any(|name| SOUGHT.iter().any(|word| contains(name, word.as_bytes())))
    });
    if seeks || AT_FIRST.iter().any(|word| field.contains(word)) {
        return None;
    }
    let label = one.item.as_deref().unwrap_or_default();
    let (alone, anew) = made(Purpose::ANEW.of(label))?;
    let (_, usual) = made(Purpose::ANEW.of(usual))?;
    // Of two numbers, one is enough to show what differs each time.
    let again = made(Purpose::ANEW.nth(2).of(label));
    let is_number = item.variation == Some(Variation::Number);
    let is_same = again.map_or(is_number, |(_, again)| again == anew);
    let own = writes_itself(apart, beside, alone);
    (is_same && anew != usual && anew.keys().eq(usual.keys()) && own).then_some(alone)
}

/// What an evaluation made: files with their contents, and links. Other files that stand-ins for
/// commands write, such as notifications, are left out: nobody promised them.
fn made<'e>(session: &Session, exchange: &'e Exchange) -> Option<BTreeMap<&'e [u8], &'e [u8]>> {
    let after = exchange.all_effects()?.iter().filter_map(|change| {
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

/// Does what the evaluation wrote contain the changed text?
fn writes_itself(session: &Session, beside: &Session, exchange: &Exchange) -> bool {
    let Some((name, _)) = changed_text(session, beside, exchange) else {
        return false;
    };
    (exchange.effects.iter().flatten()).any(|change| contains(&change.path, name))
        || contents(exchange).any(|content| contains(content, name))
}

/// Does the evaluation write the changed text to a line other than the example's, and does a
/// later promise keep that line?
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

/// Does a text contain `part` outside of the places where it contains `whole`?
fn stands_beside(text: &[u8], part: &[u8], whole: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest
        .windows(whole.len().max(1))
        .position(|window| window == whole)
    {
        if contains(&rest[..at], part) {
            return true;
        }
        rest = &rest[at + whole.len()..];
    }
    contains(rest, part)
}

fn lines(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    contents(exchange).flat_map(stickler_reading::sections::lines)
}

/// The files' contents after an evaluation.
fn contents(exchange: &Exchange) -> impl Iterator<Item = &[u8]> {
    let after = (exchange.effects.iter().flatten()).filter_map(|change| change.after.as_ref());
    after.filter_map(|entry| Some(&entry.content.as_ref()?[..]))
}

/// The changed text and the example's own text; for paths, their last components.
fn changed_text<'s>(
    session: &'s Session,
    beside: &'s Session,
    exchange: &'s Exchange,
) -> Option<(&'s [u8], &'s [u8])> {
    let field = session.item(exchange)?.field.as_deref()?;
    let example = beside.evaluations().next()?.request.as_ref()?;
    let request = exchange.request.as_ref()?;
    let (text, usual) = match field {
        "promiser" => (request.promiser.as_deref()?, example.promiser.as_deref()?),
        field => {
            let texts = request.attribute(field.as_bytes())?.words();
            let usual = example.attribute(field.as_bytes())?.words();
            // An additional list item has no counterpart.
            let usual = usual.into_iter().chain(std::iter::repeat(&b""[..]));
            let mut pairs = texts.into_iter().zip(usual);
            pairs.find(|(text, usual)| text != usual)?
        }
    };
    let name = |path: &'s [u8]| path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    Some((name(text), name(usual)))
}

/// Does the changed text begin with the key of the example's, as `port = 80` and `port = 8` do?
fn shares_key(beside: &Session, exchange: &Exchange) -> bool {
    let texts = changed_text(beside, beside, exchange);
    texts.is_some_and(|(text, usual)| {
        keyed(usual).is_some_and(|(key, value)| !value.is_empty() && text.starts_with(key))
    })
}

/// A promise and the example, by the texts in which they differ, for messages.
fn names(session: &Session, beside: &Session, exchange: &Exchange) -> Option<(String, String)> {
    let (near, usual) = changed_text(session, beside, exchange)?;
    let field = session.item(exchange)?.field.as_deref()?;
    if usual.is_empty() || near == usual {
        return None;
    }
    let case = session.case();
    Some((named(field, near, case), named(field, usual, case)))
}

/// The exchanges before this one in its process, about other promises.
fn earlier<'s>(session: &'s Session, exchange: &'s Exchange) -> impl Iterator<Item = &'s Exchange> {
    session.exchanges.iter().filter(|other| {
        other.process == exchange.process
            && other.number < exchange.number
            && matches!(other.phase, phase::VALIDATE | phase::EVALUATE)
            && other.item != exchange.item
    })
}

/// A log message of an earlier promise that is sent once more than usual here.
fn repeated_log(
    usual: &[&Exchange],
    after: &Exchange,
    session: &Session,
) -> Option<(Defect, Vec<u8>)> {
    let counted = |exchange: &Exchange| {
        let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (_, message) in exchange.logs().filter(|(_, message)| !message.is_empty()) {
            *counts.entry(without_digits(message)).or_default() += 1;
        }
        counts
    };
    let usual: Vec<_> = usual.iter().map(|usual| counted(usual)).collect();
    let now = counted(after);
    after
        .logs()
        // Messages for developers may mention earlier requests.
        .filter(|(level, _)| !matches!(*level, b"debug" | b"verbose"))
        .map(|(_, message)| message)
        .filter(|message| {
            let key = without_digits(message);
            usual.iter().all(|usual| now.get(&key) > usual.get(&key))
        })
        .find(|message| {
            earlier(session, after).any(|other| other.logs().any(|(_, sent)| sent == *message))
        })
        .map(|message| {
            let text = shown(message, session.case(), 60);
            (
                REPEATS_LOG.says(format!(
                    "repeats the log message `{text}` of an earlier promise"
                )),
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

/// A text of an earlier promise that appears in this outcome, but in none of the usual ones.
fn leak(usual: &[&Exchange], after: &Exchange, session: &Session) -> Option<(Defect, Vec<u8>)> {
    let own = &after.sent[..];
    let is_usual = |text: &[u8]| usual.iter().any(|usual| shows(usual, text));
    earlier(session, after)
        .flat_map(values)
        .find(|(_, text)| {
            text.len() >= 4 && !contains(own, text) && !is_usual(text) && shows(after, text)
        })
        .map(|(name, text)| {
            let text_shown = shown(text, session.case(), 60);
            let message = match name {
                None => format!("the promiser `{text_shown}` of an earlier promise appears"),
                Some(name) => format!(
                    "`{text_shown}` appears, the value of `{}` in an earlier promise",
                    shown(name, session.case(), 40)
                ),
            };
            (LEAKS.says(message), text.to_vec())
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

/// Does a text appear in the exchange's logs, classes, echoes or written files?
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
        || response.attributes().any(|(_, value)| in_value(value))
        || exchange.effects.iter().flatten().any(|change| {
            change
                .after
                .as_ref()
                .and_then(|entry| entry.content.as_ref())
                .is_some_and(|content| contains(content, text))
        })
}
