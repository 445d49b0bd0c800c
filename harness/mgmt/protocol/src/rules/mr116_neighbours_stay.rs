//! # Resources with other keys leave each other alone
//!
//! ## What it requires
//! Two resources of a kind with other keys in one file or store leave each other alone: keys that are the beginning of
//! another, keys in another section, keys in another case.
//!
//! ## Why
//! One resource undoes what another one has made, and both fight forever: no graph of them converges.
//!
//! ## How it is judged
//! - Judged: the example and the same with nearly the same text in one field (a letter more or less, another case), one
//!   after the other, also with another value in a second field. Nobody says which field is the key: where a quite
//!   different text leaves the example right, a similar one has to leave it right, too. The same for its lines.
//! - Judged: where the text of a field is that of a section (`[text]`), the same entry in another section.
//! - Judged: one that is taken for right where only the other is there.
//! - Judged, as should: two that run at the same time, as the engine lets them, where what both do is there if one runs
//!   after the other.
//! - Not judged: what even a quite different text undoes: both manage one thing; parts of a text, which a longer text
//!   holds.
//! - Lowered to should: another case, since some names ignore it. Not judged: one that is taken for the same entry.
//!
//! ## Example
//! `strings.HasPrefix(line, obj.Key)`: the key `port` finds the line of `portal`.
//!
//! ## How to fix
//! Compare the whole key, and within its section: `key, _, ok := strings.Cut(line, "="); ok && key == obj.Key`. Hold a
//! `sync.Mutex` of the package from reading the file to writing it.
//!
//! ## Source
//! mgmt resource guide: resources are independent of each other.

use crate::phase;
use crate::purpose;
use crate::relation::TOGETHER;
use crate::session::{Call, Session};
use crate::visit::fate;
use crate::written::Written;
use stickler_json::Json;
use stickler_judge::{Check, Defect, Group, Ledger, Level, Role, RunPlace, Variant, Variation};
use stickler_reading::sections::{holds_in_any_case, is_header, section_of};
use stickler_reading::words::{contains, has_word};
use stickler_transcript::{Fate, Item, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[TOGETHER], judge),
    Check::Session(&[TOGETHER], at_once),
];

/// What the other one made is wrong afterwards.
const UNDONE: Variant = Variant::new("undone");
/// Its lines are gone.
const LINES: Variant = Variant::new("lost-lines");
/// An entry of another section is changed.
const SECTION: Variant = Variant::new("other-section");
/// What one of two did that ran at the same time is gone.
const AT_ONCE: Variant = Variant::new("at-once");
/// One is taken for the other.
const TAKEN: Variant = Variant::new("taken-for-right");

fn judge(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((first_at, first)) = group.baseline() else {
        return;
    };
    for (at, session) in group.role(Role::Beside) {
        if !after_the_example(first, (at, session), ledger) {
            before_the_example((first_at, first), (at, session), ledger);
        }
    }
}

/// Is what both did there when they ran at the same time? One after the other, in both orders, it is.
fn at_once(session: &Session, ledger: &mut Ledger) {
    let looks = |turn: usize| session.checked(Purpose::LOOK, turn).collect::<Vec<&Call>>();
    let is_right = |look: &&Call| look.succeeds() && look.ok() == Some(true);
    let works = |turn: usize| {
        let (looks, mut applied) = (looks(turn), session.checked(Purpose::EVALUATE, turn));
        let has_worked = applied.all(|call| fate(call) == Some(Fate::Changed));
        has_worked && looks.len() == 2 && looks.iter().all(is_right)
    };
    let rounds: Vec<(usize, &Call)> = session
        .calls(phase::CHECKAPPLY)
        .filter_map(|call| Some((call.key.turn_of(purpose::AT_ONCE)?, call)))
        .collect();
    if rounds.is_empty() || !works(1) || !works(2) {
        return;
    }
    for (round, call) in rounds {
        let beside = call.answer.as_ref();
        let beside = beside.and_then(|answer| answer.member("beside_error"));
        if !call.succeeds() || beside != Some(&Json::Null) {
            continue;
        }
        let looks = looks(2 + round);
        let lost = looks
            .iter()
            .find(|look| look.succeeds() && look.ok() == Some(false));
        let Some(lost) = lost else {
            ledger.pass(call.number);
            continue;
        };
        let others = session.case().items.iter();
        let mut others = others.filter(|item| item.variation.is_some());
        let other = others.next().map_or("another key", words);
        let defect = AT_ONCE.says(format!(
            "it runs at the same time as one with {other}: both succeed, and what one of them did is gone"
        ));
        let finding = ledger
            .finding(call.number, defect)
            .expected("what both did is there, as it is if one runs after the other")
            .at_most(Level::Should)
            .graded(call.provenance)
            .also(ledger.place(lost.number));
        ledger.report(finding);
        return;
    }
}

/// One that came after the example, and the example after it.
struct Pair<'s> {
    item: &'s Item,
    made: &'s Call,
    later: &'s Call,
}

impl Pair<'_> {
    fn variation(&self) -> Option<Variation> {
        self.item.variation
    }

    /// Was it brought about, and the example left as it is?
    fn is_apart(&self) -> bool {
        fate(self.made) == Some(Fate::Changed) && fate(self.later) == Some(Fate::Unchanged)
    }

    /// Was it brought about, and the example undone?
    fn undoes(&self) -> bool {
        fate(self.made) == Some(Fate::Changed) && fate(self.later) == Some(Fate::Changed)
    }
}

/// The pairs of a session, in order.
fn pairs(session: &Session) -> Vec<Pair<'_>> {
    let made = session
        .calls(phase::CHECKAPPLY)
        .filter(|call| call.key.is(Purpose::EVALUATE));
    let pairs = made.filter_map(|made| {
        let item = session.item(made).filter(|item| item.variation.is_some())?;
        let mut later = session.calls(phase::CHECKAPPLY);
        let later = later.find(|call| {
            call.number > made.number && call.key.is_part(Purpose::AFTER, &item.label)
        })?;
        Some(Pair { item, made, later })
    });
    pairs.collect()
}

/// The first evaluation of the example, if it brought something about.
fn example(session: &Session) -> Option<&Call> {
    let mut calls = session.calls(phase::CHECKAPPLY);
    calls.find(|call| {
        let item = session.item(call);
        call.key.is(Purpose::EVALUATE) && item.is_some_and(|item| item.variation.is_none())
    })
}

/// Do those that come after the example leave it alone? Whether there is a finding.
fn after_the_example(
    first: &Session,
    (at, session): (usize, &Session),
    ledger: &mut Ledger,
) -> bool {
    let Some(example) = example(session).filter(|call| fate(call) == Some(Fate::Changed)) else {
        return false;
    };
    let own = Written::by(example);
    let all = pairs(session);
    let place = |call: &Call| RunPlace::at(at, call.number);
    let is_far = |pair: &Pair<'_>| pair.variation() == Some(Variation::Far);
    // What even the plain far one undoes is one thing that both manage.
    let plain = all.iter().find(|pair| is_far(pair));
    let may_be_sections = plain.is_some_and(|far| fate(far.later) == Some(Fate::Unchanged));
    let has_section = is_in_section(first);
    // The far ones before the near ones that they are the control of.
    let mut controls: Vec<&Pair<'_>> = Vec::new();
    let mut ignores_case = false;
    for (number, pair) in all.iter().enumerate() {
        if is_far(pair) {
            if number > 0 && !is_far(&all[number - 1]) {
                controls.clear();
            }
            controls.push(pair);
            if may_be_sections
                && pair.undoes()
                && has_section(pair.item)
                && own.loses_its_section_in(pair.made)
            {
                let message = format!(
                    "one with {} changes the entry of the example in its own section",
                    words(pair.item)
                );
                let finding = ledger
                    .finding_at(place(pair.made), SECTION.says(message))
                    .expected("an entry in another section stays as it is")
                    .graded(pair.made.provenance)
                    .also(place(example))
                    .also(place(pair.later));
                ledger.report(finding);
                return true;
            }
            continue;
        }
        let Some(far) = controls.iter().find(|far| far.is_apart()) else {
            continue;
        };
        // Where case makes no difference, it is the same entry, which may well have another value.
        if pair.variation() == Some(Variation::Case) {
            ignores_case |= fate(pair.made) == Some(Fate::Unchanged);
            if ignores_case {
                continue;
            }
        }
        // What shares a line even with a far one shows nothing by its lines.
        let keeps_lines = own.lost_in(far.made).is_none();
        let lost = own.lost_in(pair.made).filter(|_| keeps_lines);
        let is_taken = fate(pair.made) == Some(Fate::Unchanged)
            && matches!(pair.variation(), Some(Variation::Near | Variation::Number))
            && is_made_by_itself(first, pair.item);
        let defect = match (pair.undoes(), lost) {
            (true, _) => UNDONE.says(format!(
                "one with {} undoes the example; one with {} leaves it as it is",
                words(pair.item),
                words(far.item)
            )),
            (false, Some(line)) if fate(pair.made) == Some(Fate::Changed) => LINES.says(format!(
                "one with {} takes away a line of the example, `{line}`; one with {} leaves it",
                words(pair.item),
                words(far.item)
            )),
            _ if is_taken => TAKEN.says(format!(
                "one with {} is taken for right where only the example is there; alone it makes something else",
                words(pair.item)
            )),
            _ => {
                if pair.is_apart() {
                    kept(ledger, place(pair.later), pair.later);
                }
                continue;
            }
        };
        let mut finding = ledger
            .finding_at(place(pair.made), defect)
            .expected("resources with other keys leave each other alone")
            .graded(pair.made.provenance)
            .also(place(pair.later))
            .also(place(far.later));
        if pair.variation() == Some(Variation::Case) {
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
        return true;
    }
    false
}

/// Does the example leave those alone that came before it?
fn before_the_example(
    (at, session): (usize, &Session),
    (after_at, after): (usize, &Session),
    ledger: &mut Ledger,
) {
    let Some(own) = example(session) else {
        return;
    };
    // Which ones are apart from the example, as they show after it.
    let apart = pairs(after);
    let apart = apart.iter().find(|pair| pair.is_apart());
    let Some(apart) = apart.filter(|pair| pair.variation() == Some(Variation::Far)) else {
        return;
    };
    let looked = |turn: usize, item: &Item| {
        let mut looks = session.checked(Purpose::LOOK, turn);
        looks.find(|call| {
            session
                .item(call)
                .is_some_and(|one| one.label == item.label)
        })
    };
    let is_right = |call: &Call| call.succeeds() && call.ok() == Some(true);
    let items = session.case().items.iter();
    let items = items.filter(|item| item.variation.is_some());
    let both = items.filter_map(|item| Some((item, looked(1, item)?, looked(2, item)?)));
    let both: Vec<_> = both.filter(|(_, before, _)| is_right(before)).collect();
    let far = both
        .iter()
        .find(|(item, _, later)| item.variation == Some(Variation::Far) && is_right(later));
    let Some((far, ..)) = far else {
        return;
    };
    let place = |call: &Call| RunPlace::at(at, call.number);
    if fate(own) == Some(Fate::Unchanged)
        && let Some(wanted) = missing(session, own, after)
    {
        let message = format!(
            "the example is taken for right where only others are there: no section of its own holds `{wanted}`"
        );
        let finding = ledger
            .finding_at(place(own), TAKEN.says(message))
            .expected("an entry in another section is another entry")
            .graded(own.provenance)
            .also(RunPlace::at(after_at, apart.made.number));
        ledger.report(finding);
        return;
    }
    if fate(own) != Some(Fate::Changed) {
        return;
    }
    for (item, before, later) in &both {
        if item.variation == Some(Variation::Far) {
            continue;
        }
        if !later.succeeds() || is_right(later) {
            kept(ledger, place(later), later);
            continue;
        }
        let message = format!(
            "the example undoes one with {}; it leaves one with {} as it is",
            words(item),
            words(far)
        );
        let mut finding = ledger
            .finding_at(place(own), UNDONE.says(message))
            .expected("resources with other keys leave each other alone")
            .graded(own.provenance)
            .also(place(before))
            .also(place(later));
        if item.variation == Some(Variation::Case) {
            finding = finding.at_most(Level::Should);
        }
        ledger.report(finding);
        return;
    }
}

fn kept(ledger: &mut Ledger, place: RunPlace, call: &Call) {
    ledger.check_at(place, call.provenance, None::<Defect>);
}

/// What was changed in an item.
fn words(item: &Item) -> &str {
    item.description.as_deref().unwrap_or("another key")
}

/// Does an item make something with its own text, where the example is not there?
fn is_made_by_itself(first: &Session, item: &Item) -> bool {
    let mut calls = first.calls(phase::CHECKAPPLY);
    let own = calls
        .find(|call| call.key.is(Purpose::EVALUATE) && call.item.as_ref() == Some(&item.label));
    let Some(own) = own.filter(|own| fate(own) == Some(Fate::Changed)) else {
        return false;
    };
    let Some(text) = item.description.as_deref().and_then(quoted) else {
        return false;
    };
    let name = text.rsplit('/').next().unwrap_or(text).as_bytes();
    own.effects.iter().flatten().any(|change| {
        let content = |entry: Option<&stickler_transcript::Entry>| {
            let content = entry.and_then(|entry| entry.content.as_ref());
            content.is_some_and(|content| contains(content, name))
        };
        let is_new = content(change.after.as_ref()) && !content(change.before.as_ref());
        is_new || contains(&change.path, name)
    })
}

/// What a description has in backticks: the text of the changed field.
fn quoted(words: &str) -> Option<&str> {
    stickler_reading::words::in_backticks(words).next()
}

/// Do items have sections of their own, as they show where the example is not there?
fn is_in_section(first: &Session) -> impl Fn(&Item) -> bool {
    move |item: &Item| {
        let Some(text) = item.description.as_deref().and_then(quoted) else {
            return false;
        };
        let mut calls = first.calls(phase::CHECKAPPLY);
        calls.any(|call| {
            let added = Written::by(call).files;
            added.iter().any(|file| {
                let mut headers = file.lines.iter().filter(|line| is_header(line));
                headers.any(|line| has_word(line, text.as_bytes()))
            })
        })
    }
}

/// A line that the example wrote below a header after others, and that is nowhere below that header in a session in which
/// the example was taken for right.
fn missing(session: &Session, own: &Call, after: &Session) -> Option<String> {
    let made = example(after).filter(|call| fate(call) == Some(Fate::Changed))?;
    let before = session
        .exchanges
        .iter()
        .filter(|call| call.number < own.number);
    Written::by(made).files.iter().find_map(|file| {
        let mut changes = before
            .clone()
            .flat_map(|call| call.effects.iter().flatten());
        let last = changes.rfind(|change| change.path[..] == *file.path)?;
        let content = &last.after.as_ref()?.content.as_ref()?[..];
        let lost = file
            .lines
            .iter()
            .filter(|line| !is_header(line))
            .find(|line| {
                section_of(file.content, line)
                    .is_some_and(|section| !holds_in_any_case(content, section, line))
            });
        lost.map(|line| stickler_reading::words::visible(line))
    })
}
