//! # The author's examples have the outcomes that the author declared
//!
//! ## What it requires
//! An example is `valid`, its evaluations have the outcomes in its `expect` (the last one
//! repeats), the first one defines its `classes`, and promises under `[[invalid]]` are `invalid`.
//!
//! ## Why
//! Only the author knows these outcomes: no specification says that a file exists after the
//! first run, or that a relative path is refused.
//!
//! ## How it is judged
//! - Judged: sessions with an agent's ordinary requests: the first validation of each example
//!   and invalid promise, and evaluations of examples with `expect` or `classes`.
//! - Judged: a file that an evaluation restores byte for byte. With other content of the same
//!   length in it, the promise must not be `kept`.
//! - Not judged: evaluations under `action_policy` or after other promises' requests (PM306).
//! - Lowered to should: `kept`, although a removed line is back, or a written line starts with
//!   `#` (if it is `repaired` with `x` instead).
//!
//! ## Example
//! An example declares `expect = ["repaired", "kept"]`, and its first evaluation is `kept`.
//!
//! ## How to fix
//! Find out which side is wrong. Correct the example's `setup` or `expect`, or correct the
//! module:
//! - `valid` instead of `invalid`: add the check to the validation.
//! - `kept` despite other content: compare the content, not its length or time.
//! - `kept` despite a missing line: compare whole lines, `grep -Fxq -- "$line" "$file"`.
//!
//! ## Source
//! The author's configuration; CFEngine: Custom promise types, "Results".

use crate::ending::{has_company, is_plain, out_of_step};
use crate::partner::{at, readable};
use crate::phase;
use crate::purpose;
use crate::session::{Exchange, Session};
use crate::words::{cut, shown, visible};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Check, Defect, Group, Ledger, Level, Relation, Role, Variant};
use stickler_transcript::Variation;
use stickler_transcript::{Bytes, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(
        &[
            Relation::DISTURBED,
            Relation::DRIFT,
            Relation::UNDONE,
            Relation::GROWTH,
            Relation::INVALID,
        ],
        check,
    ),
    Check::Session(&[Relation::LINES], single_lines),
    Check::Group(&[Relation::DRIFT], foreign_content),
];

/// A promise that was declared invalid is not.
const ACCEPTED: Variant = Variant::new("accepts-invalid");
/// An example is not valid.
const REFUSED: Variant = Variant::new("refuses-example");
/// An evaluation of an example has another outcome than declared.
const OTHER_OUTCOME: Variant = Variant::new("other-outcome");
/// The first evaluation of an example does not define a declared class.
const NO_CLASS: Variant = Variant::new("missing-class");
/// A line that is commented out counts as written.
const OVERLOOKS_COMMENT: Variant = Variant::new("overlooks-comment");
/// A removed line that is back goes unnoticed.
const OVERLOOKS_LINE: Variant = Variant::new("overlooks-line");
/// Other content goes unnoticed.
const OVERLOOKS_CONTENT: Variant = Variant::new("overlooks-content");

fn check(session: &Session, ledger: &mut Ledger) {
    if !is_plain(session) || has_several(session) {
        return;
    }
    validations(session, ledger);
    evaluations(session, ledger);
}

/// Is the session about several promises? What the author declares holds after the setup of that promise
/// alone.
fn has_several(session: &Session) -> bool {
    let asked = session
        .exchanges
        .iter()
        .filter_map(|exchange| session.item(exchange));
    let mut promises = asked.filter(|promise| promise.variation.is_none());
    let first = promises.next();
    promises.any(|other| first.is_some_and(|first| first.label != other.label))
}

fn validations(session: &Session, ledger: &mut Ledger) {
    let mut seen = BTreeSet::new();
    for exchange in session
        .exchanges
        .iter()
        .filter(|e| e.phase == phase::VALIDATE)
    {
        let Some(promise) = session.item(exchange) else {
            continue;
        };
        if !matches!(exchange.key.turn_of(Purpose::VALIDATE), Some(1 | 2))
            || !seen.insert(&promise.label)
            || out_of_step(session, exchange)
        {
            continue;
        }
        if promise.variation.is_some()
            || !(promise.original || promise.invalid)
            || !readable(exchange)
        {
            continue;
        }
        // PM401 reports any other result.
        if !["valid", "invalid", "error"]
            .iter()
            .any(|known| exchange.is(known))
        {
            continue;
        }
        let wanted = if promise.invalid { "invalid" } else { "valid" };
        if exchange.is(wanted) {
            ledger.pass(exchange.number);
            continue;
        }
        let result = words(exchange);
        let defect = if promise.invalid {
            ACCEPTED.says(format!(
                "the author declared this promise invalid, but its validation is `{result}`"
            ))
        } else {
            REFUSED.says(format!(
                "this promise is an example, but its validation is `{result}`"
            ))
        };
        report(exchange, defect, wanted, ledger);
    }
}

fn evaluations(session: &Session, ledger: &mut Ledger) {
    // How often each promise was evaluated; `None` if that is uncertain.
    let mut counts: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for exchange in session
        .exchanges
        .iter()
        .filter(|e| e.phase == phase::EVALUATE)
    {
        let Some(promise) = session.item(exchange) else {
            continue;
        };
        let count = counts.entry(&promise.label).or_insert(Some(0));
        let key = &exchange.key;
        if key.turn_of(Purpose::DRY_EVALUATE).is_some() {
            continue;
        }
        if key.is(purpose::NOP_EVALUATE) || key.is(purpose::FIX_EVALUATE) {
            *count = None;
            continue;
        }
        let Some(index) = *count else {
            continue;
        };
        if !readable(exchange) || out_of_step(session, exchange) {
            *count = None;
            continue;
        }
        *count = Some(index + 1);
        // PM402 reports any other result.
        if !["kept", "repaired", "not_kept", "error"]
            .iter()
            .any(|known| exchange.is(known))
        {
            continue;
        }
        if !promise.original || promise.invalid || has_company(session, exchange) {
            continue;
        }
        let wanted = promise.expect.get(index).or(promise.expect.last());
        if let Some(wanted) = wanted.filter(|wanted| !exchange.is(wanted)) {
            let message = format!(
                "evaluation number {} is `{}`, but the author declared `{wanted}`",
                index + 1,
                words(exchange)
            );
            report(exchange, OTHER_OUTCOME.says(message), wanted, ledger);
            continue;
        }
        if wanted.is_some() {
            ledger.pass(exchange.number);
        }
        if index == 0 {
            classes(exchange, &promise.classes, ledger);
        }
    }
}

/// Does an evaluation define the classes that the author declared?
fn classes(exchange: &Exchange, declared: &[String], ledger: &mut Ledger) {
    let told = exchange.response.as_ref();
    let told = told.and_then(|response| response.result_classes.as_ref());
    // PM602 reports a list in another form.
    if declared.is_empty() || told.is_some_and(|told| told.malformed.is_some()) {
        return;
    }
    let own = exchange.classes().into_iter();
    let own: BTreeSet<Vec<u8>> = own.map(|name| as_class(&name)).collect();
    let mut missing = declared.iter();
    match missing.find(|name| !own.contains(&as_class(name.as_bytes()))) {
        None => ledger.pass(exchange.number),
        Some(name) => {
            let message = format!(
                "evaluation number 1 does not define the class `{name}`, which the author declared"
            );
            report(exchange, NO_CLASS.says(message), name, ledger);
        }
    }
}

/// The class that an agent makes of a name.
fn as_class(name: &[u8]) -> Vec<u8> {
    let letter = |byte: &u8| match byte.is_ascii_alphanumeric() {
        true => *byte,
        false => b'_',
    };
    name.iter().map(letter).collect()
}

/// Is the promise `kept` although one of its lines is commented out, or a removed one is back?
fn single_lines(session: &Session, ledger: &mut Ledger) {
    let of = |exchange: &Exchange| session.item(exchange)?.variation;
    let mut lettered: Option<&Exchange> = None;
    for judged in session.evaluations() {
        let (variant, expected, beside) = match (of(judged), lettered) {
            (Some(Variation::Lettered), _) => {
                lettered = Some(judged).filter(|it| it.is("repaired"));
                continue;
            }
            (Some(Variation::Commented), Some(_)) => {
                let expected = "`repaired`, as with a letter in front of the line";
                (OVERLOOKS_COMMENT, expected, lettered)
            }
            (Some(Variation::TakenBack), _) => (
                OVERLOOKS_LINE,
                "`repaired`, as when it removed that line",
                None,
            ),
            _ => continue,
        };
        if !readable(judged) {
            continue;
        }
        if !judged.is("kept") {
            ledger.pass(judged.number);
            continue;
        }
        let promise = session.item(judged);
        let words = promise.and_then(|promise| promise.description.clone());
        let message = format!("the promise is `kept` {}", words.unwrap_or_default());
        let mut finding = ledger
            .finding(judged.number, variant.says(message))
            .expected(expected)
            .at_most(Level::Should)
            .graded(judged.provenance);
        if let Some(beside) = beside {
            finding = finding.also(ledger.place(beside.number));
        }
        ledger.report(finding);
    }
}

/// Is the promise `kept` although its file has other content than the one that it wrote twice?
fn foreign_content(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (index, session) in group.role(Role::Drift) {
        let in_turn = |turn| {
            session
                .evaluations()
                .find(|exchange| exchange.key.turn_of(Purpose::EVALUATE) == Some(turn))
        };
        let (Some(first), Some(mended)) = (in_turn(1), in_turn(2)) else {
            continue;
        };
        let written = |exchange: &Exchange| -> BTreeSet<(Bytes, Bytes)> {
            let changes = exchange.effects.iter().flatten();
            changes
                .filter_map(|change| {
                    let content = change.after.as_ref()?.content.clone()?;
                    Some((change.path.clone(), content))
                })
                .collect()
        };
        let both = &written(first) & &written(mended);
        let Some((path, _)) = both.iter().next() else {
            continue;
        };
        // First with another mode as well, then with other content only.
        for judged in [4, 7].into_iter().filter_map(in_turn) {
            let place = at(index, judged);
            let mut effects = judged.effects.iter().flatten();
            let touched = effects.any(|change| change.path == *path);
            if !readable(judged) || judged.all_effects().is_none() {
                break;
            }
            if touched || !judged.is("kept") {
                ledger.passes.push(place);
                continue;
            }
            let path = shown(path, session.case(), 80);
            let message = format!("`kept`, although `{path}` has other content");
            let finding = ledger
                .finding_at(place, OVERLOOKS_CONTENT.says(message))
                .expected("`repaired`, as with content of another length")
                .graded(judged.provenance)
                .also(at(index, mended));
            ledger.report(finding);
            break;
        }
    }
}

fn words(exchange: &Exchange) -> String {
    cut(&visible(exchange.result().unwrap_or_default()), 60)
}

fn report(exchange: &Exchange, defect: Defect, wanted: &str, ledger: &mut Ledger) {
    let mut finding = ledger
        .finding(exchange.number, defect)
        .expected(wanted)
        .graded(exchange.provenance);
    if let Some(result) = exchange.result() {
        finding = finding.quote(result);
    }
    ledger.report(finding);
}
