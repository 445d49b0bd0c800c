//! Items with similar texts: the subject must not confuse them.

use crate::builder::CaseBuilder;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::subjects::{code, subjects};
use crate::setting::Setting;
use stickler_reading::words::keyed;
use stickler_transcript::{Case, Purpose, Relation, Role, Value, Variation};

/// The end of a label, words for people, and the change to a text.
pub(super) type Near = (&'static str, &'static str, Change);
type Change = fn(&[u8]) -> Option<Vec<u8>>;

/// A text that begins with the original.
pub(super) const LONGER: Near = (":longer", "with one letter appended", |name| {
    Some([name, b"x"].concat())
});
/// A text that ends with the original.
pub(super) const PRECEDED: Near = (":preceded", "with one letter prepended", |name| {
    Some([b"x", name].concat())
});
/// A text with the same beginning.
const LAST: Near = (":last", "with a different last letter or digit", |name| {
    let (last, start) = name.split_last()?;
    let other = next(*last);
    (other != *last).then(|| [start, &[other]].concat())
});
/// A text that the original matches if it is used as a pattern.
pub(super) const DOT: Near = (":dot", "with a letter in place of a dot", |name| {
    in_place_of(b'.', name)
});

/// Texts that a careless comparison takes for the original: it compares only the beginning or end,
/// ignores the last letter, or treats the text as a pattern.
const NEAR: &[Near] = &[
    LONGER,
    PRECEDED,
    LAST,
    DOT,
    (":pattern", "with a dot in place of a letter", |name| {
        let inner = name.iter().skip(1).position(u8::is_ascii_alphabetic)? + 1;
        Some([&name[..inner], b".", &name[inner + 1..]].concat())
    }),
    (":quoted", "with a quote that ends an SQL string", |name| {
        Some([name, b"' OR '1'='1"].concat())
    }),
    (":like", "with an underscore in place of a letter", |name| {
        let inner = name.iter().skip(1).position(u8::is_ascii_alphabetic)? + 1;
        Some([&name[..inner], b"_", &name[inner + 1..]].concat())
    }),
];

/// The same word for some programs, but a different text.
const CASE: Near = (":case", "with upper and lower case swapped", |name| {
    let other = |byte: &u8| match byte {
        lower if lower.is_ascii_lowercase() => lower.to_ascii_uppercase(),
        other => other.to_ascii_lowercase(),
    };
    Some(name.iter().map(other).collect())
});

/// The changes for further texts of a list or an object.
const FURTHER: &[Near] = &[LONGER, LAST];

/// A number that begins with the original.
const DIGIT: Near = (":digit", "with one digit appended", |name| {
    Some([name, b"0"].concat())
});

/// How many attributes of an item are tried.
const MOST: usize = 6;

/// How many texts of a list or an object are tried, in addition to the first.
const MOST_FURTHER: usize = 2;

/// Parts of a text: a careless search for them finds the whole text.
const PARTS: &[Near] = &[
    (":shorter", "without its last letter", |name| {
        let (_, start) = name.split_last()?;
        (start.len() > 1).then(|| start.to_vec())
    }),
    (":inner", "without its first letter", |name| {
        let (_, end) = name.split_first()?;
        let starts = end.first().is_some_and(u8::is_ascii_alphabetic);
        (end.len() > 1 && starts).then(|| end.to_vec())
    }),
];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    let known = setting.knowledge;
    let mut cases = Vec::new();
    for instance in subjects(setting, effort) {
        if !known.repaired.contains(&instance.info.label) {
            continue;
        }
        let mut cases_of = |part: Part<'_>, id: &str, changes| {
            let near = field_cases(setting, &instance, part, id, changes);
            cases.extend(near.into_iter().flatten());
        };
        let name_field = instance.name_field();
        let name = Part {
            field: &name_field,
            words: format!("\"{name_field}\""),
            text: instance.name(),
        };
        let mut fields = instance.text_fields();
        let executes = &setting.config.subject.executes;
        fields.retain(|field| !executes.contains(field));
        if effort != Effort::Deep {
            fields.truncate(MOST);
        }
        let mut containers = instance.container_fields();
        containers.retain(|field| !executes.contains(field));
        for field in fields.iter().chain(&containers) {
            for (number, part) in parts_of(&instance, field).into_iter().enumerate() {
                match number {
                    0 => cases_of(part, "", (PARTS, NEAR)),
                    _ => cases_of(part, &format!("/{number}"), (&[], FURTHER)),
                }
            }
        }
        // The identity is tested alone; other attributes are tested beside the example's value.
        cases_of(name.clone(), "", (&[], NEAR));
        cases_of(name, "/parts", (&[], PARTS));
    }
    cases
}

/// The items that are near to one in the first text of a field, for two of them in one place: those that are far from it
/// come first, and those in another case last. With `also`, another field has another value in all of them.
pub fn neighbours(instance: &Instance, field: &str, also: Option<(&str, &Value)>) -> Vec<Instance> {
    let Some(part) = parts_of(instance, field).into_iter().next() else {
        return Vec::new();
    };
    let near = match also {
        None => NEAR,
        Some(_) => FURTHER,
    };
    let in_case = case_of(instance, part.clone());
    let mut all = others(instance, part, also.is_none(), (PARTS, near)).unwrap_or_default();
    if !all.is_empty() {
        let is_case = |one: &Instance| one.info.variation == Some(Variation::Case);
        all.retain(|one| !is_case(one));
        all.extend(in_case);
    }
    all.sort_by_key(|one| match one.info.variation {
        Some(Variation::Far) => 0,
        Some(Variation::Part) => 2,
        Some(Variation::Case) => 3,
        _ => 1,
    });
    if let Some((other, value)) = also {
        for one in &mut all {
            one.set(other, value.clone());
            one.info.label = format!("{}+{other}", one.info.label).into();
            let words = one.info.description.take().unwrap_or_default();
            one.info.description = Some(format!("{words}, and another value of \"{other}\""));
        }
    }
    all
}

/// The item with upper and lower case swapped in a text.
fn case_of(instance: &Instance, Part { field, words, text }: Part<'_>) -> Option<Instance> {
    let (folder, name) = match text {
        [b'/', ..] => split_name(text),
        _ => (&b""[..], text),
    };
    let (suffix, how, change) = CASE;
    let name = change(name).filter(|other| other != name)?;
    let how = format!("{words} {how}, {}", code(&name));
    let mut changed = instance.variant(Variation::Case, field, suffix, how);
    changed.rename(field, text, &[folder, &name].concat());
    Some(changed)
}

/// A text of an item.
#[derive(Clone)]
struct Part<'i> {
    field: &'i str,
    /// Which text it is, for people.
    words: String,
    text: &'i [u8],
}

/// The text of a field. For a container: the name of a member, and some of its texts.
fn parts_of<'i>(instance: &'i Instance, field: &'i str) -> Vec<Part<'i>> {
    let quoted = format!("\"{field}\"");
    let part = |words: &str, text| Part {
        field,
        words: format!("{words}{quoted}"),
        text,
    };
    if let Some(text) = instance.text(field) {
        return vec![part("", text)];
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    parts.extend(
        instance
            .member_name(field)
            .map(|name| part("a name in ", name)),
    );
    for text in instance.leaves(field) {
        if parts.iter().all(|part| part.text != text) {
            parts.push(part("a text in ", text));
        }
    }
    parts.truncate(1 + MOST_FURTHER);
    parts
}

/// Runs each near item alone, and beside the example. A far item, with a quite different
/// text, shows how items of this kind affect each other.
fn field_cases(
    setting: &Setting<'_>,
    instance: &Instance,
    part: Part<'_>,
    id: &str,
    changes: (&[Near], &[Near]),
) -> Option<[Case; 2]> {
    let field = part.field;
    let group = format!("{}/{field}{id}", instance.info.label);
    if let Some(around) = around(instance, &part) {
        return counted(setting, instance, &around, &group);
    }
    let others = others(instance, part, id.is_empty(), changes)?;
    let mut apart = setting.case(format!("near-apart/{group}"));
    apart
        .member(Relation::NEAR, &group, Role::Baseline)
        .setup(instance)
        .observing()
        .open();
    for other in &others {
        apart.validate(other).evaluate(other);
    }
    if !instance.is_identity(field) {
        anew(setting, instance, &others, &mut apart);
    }
    let mut beside = setting.case(format!("near/{group}"));
    beside
        .member(Relation::NEAR, &group, Role::Beside)
        .setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance);
    for other in &others {
        beside.validate(other).evaluate(other);
        let variation = other.info.variation;
        let again = [Some(Variation::Far), Some(Variation::Doubled)].contains(&variation);
        if again && instance.stays_kept() {
            // The value that replaced the example's must stay as well.
            beside.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, other);
        }
        beside.evaluate_as(
            Purpose::AFTER.part(&other.info.label),
            Purpose::VALIDATE,
            instance,
        );
    }
    Some([apart.terminate().build(), beside.terminate().build()])
}

/// The items that are near to the example in one of its texts, and those that are far from it.
/// `first`: is it the first text of its field? Only then are there variants with one more list item
/// and with swapped case.
fn others(
    instance: &Instance,
    Part { field, words, text }: Part<'_>,
    first: bool,
    (parts, near): (&[Near], &[Near]),
) -> Option<Vec<Instance>> {
    let (folder, name) = match text {
        [b'/', ..] => split_name(text),
        _ => (&b""[..], text),
    };
    let made = |kind: Variation, suffix: &str, how: &str, name: Vec<u8>| {
        let how = format!("{words} {how}, {}", code(&name));
        let mut changed = instance.variant(kind, field, suffix, how);
        changed.rename(field, text, &[folder, &name].concat());
        changed
    };
    if is_told_apart(instance, field, name) {
        let (suffix, how, change) = DIGIT;
        return Some(vec![
            made(Variation::Number, suffix, how, change(name)?),
            made(Variation::Far, "", "with other digits", unlike(name)),
        ]);
    }
    // Other numbers have an order, so one may satisfy an item about another.
    if !name.iter().any(u8::is_ascii_alphabetic) || is_size(name) {
        return None;
    }
    let more = longer(instance, field, name).filter(|_| first);
    let (parts, near) = match name.len() {
        // One letter has no parts, and nearly any other text resembles it.
        1 if more.is_some() => (&[][..], &[][..]),
        0 | 1 => return None,
        _ => (parts, near),
    };
    let parts = parts.iter().map(|part| (Variation::Part, part));
    let near = near.iter().map(|near| (Variation::Near, near));
    let mut others: Vec<Instance> = parts
        .chain(near)
        .filter_map(|(kind, (suffix, how, change))| Some(made(kind, suffix, how, change(name)?)))
        .collect();
    if first && !instance.is_identity(field) {
        let (suffix, how, change) = CASE;
        others.extend(change(name).map(|name| made(Variation::Case, suffix, how, name)));
    }
    others.extend(more);
    others.extend(doubled(instance, field).filter(|_| first));
    others.push(made(Variation::Far, "", "with other letters", unlike(name)));
    // An entry with a key is replaced by one with the same key.
    if let Some((key, value)) = keyed(name) {
        let how = "with other letters behind its key";
        others.push(made(
            Variation::Far,
            ":value",
            how,
            [key, &unlike(value)].concat(),
        ));
    }
    // For values that must begin in a certain way.
    let (start, end) = name.split_at(name.len() / 2);
    let how = "with other letters in its second half";
    others.push(made(
        Variation::Far,
        ":half",
        how,
        [start, &unlike(end)].concat(),
    ));
    Some(others)
}

/// A list with one item more.
fn longer(instance: &Instance, field: &str, name: &[u8]) -> Option<Instance> {
    let words = format!("\"{field}\" with one more item");
    let mut changed = instance.variant(Variation::Near, field, ":more", words);
    changed
        .append(field, Value::Text(unlike(&unlike(name))))
        .then_some(changed)
}

/// A list whose first item is in it twice.
fn doubled(instance: &Instance, field: &str) -> Option<Instance> {
    let Some(Value::List(items)) = instance.value(field) else {
        return None;
    };
    let first = items.first().filter(|first| first.as_text().is_some())?;
    let words = format!("\"{field}\" with its first item once more");
    let mut changed = instance.variant(Variation::Doubled, field, ":twice", words);
    changed.append(field, first.clone()).then_some(changed)
}

/// The next greater and the next smaller number in place of one that others may satisfy, too: some mean the least, others
/// the most.
fn around(instance: &Instance, part: &Part<'_>) -> Option<[Instance; 2]> {
    let Part { field, words, text } = part;
    let is_plain = text.iter().all(u8::is_ascii_digit) && text.len() <= 15;
    let is_alone = instance.text(field) == Some(text) && !instance.is_identity(field);
    if !is_plain || !is_alone || is_told_apart(instance, field, text) {
        return None;
    }
    let number: u64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    if number.to_string().as_bytes() != *text {
        return None;
    }
    let other = |suffix: &str, other: u64| {
        let words = format!("{words} {other}");
        let mut changed = instance.variant(Variation::Number, field, suffix, words);
        changed.set(field, Value::Text(other.to_string().into_bytes()));
        changed
    };
    Some([
        other(":above", number + 1),
        other(":below", number.checked_sub(1)?),
    ])
}

/// What each of these numbers makes by itself, and what comes of it beside the example.
fn counted(
    setting: &Setting<'_>,
    instance: &Instance,
    around: &[Instance; 2],
    group: &str,
) -> Option<[Case; 2]> {
    let drifts = setting.knowledge.undone.get(&instance.info.label)?;
    let [above, below] = around;
    let mut apart = setting.case(format!("near-apart/{group}"));
    apart
        .member(Relation::NEAR, group, Role::Baseline)
        .setup(instance)
        .observing()
        .open();
    for one in [above, below, instance] {
        apart.validate(one);
    }
    for (turn, one) in [(1, above), (1, below), (1, instance), (2, above)] {
        apart.drifts(drifts).observe("undone").evaluate_as(
            Purpose::ANEW.nth(turn),
            Purpose::VALIDATE,
            one,
        );
    }
    let mut beside = setting.case(format!("near/{group}"));
    beside
        .member(Relation::NEAR, group, Role::Beside)
        .setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance);
    for other in around {
        beside.validate(other).evaluate(other).evaluate_as(
            Purpose::AFTER.part(&other.info.label),
            Purpose::VALIDATE,
            instance,
        );
    }
    Some([apart.terminate().build(), beside.terminate().build()])
}

/// The far item and the example, each from the undone state, show what each makes. The far one
/// again shows what differs each time. The same for a list with an item twice.
fn anew(setting: &Setting<'_>, instance: &Instance, others: &[Instance], case: &mut CaseBuilder) {
    let Some(drifts) = setting.knowledge.undone.get(&instance.info.label) else {
        return;
    };
    let of = |wanted: Variation| {
        let mut others = others.iter();
        others.find(|other| other.info.variation == Some(wanted))
    };
    let Some(far) = of(Variation::Far) else {
        return;
    };
    case.validate(instance);
    let mut all = vec![(1, far), (1, instance), (2, far)];
    all.extend(
        of(Variation::Doubled)
            .into_iter()
            .flat_map(|twice| [(1, twice), (2, twice)]),
    );
    for (turn, one) in all {
        case.drifts(drifts).observe("undone").evaluate_as(
            Purpose::ANEW.nth(turn),
            Purpose::VALIDATE,
            one,
        );
    }
}

/// Replaces a character, unless it is the first, by a letter.
pub(super) fn in_place_of(sign: u8, name: &[u8]) -> Option<Vec<u8>> {
    let at = name.iter().skip(1).position(|byte| *byte == sign)? + 1;
    Some([&name[..at], b"x", &name[at + 1..]].concat())
}

/// Splits a text after its last slash into folder and name.
pub(super) fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let at = text.iter().rposition(|byte| *byte == b'/');
    text.split_at(at.map_or(0, |at| at + 1))
}

/// A text with nothing in common with this one; for a number, another number.
pub fn unlike(name: &[u8]) -> Vec<u8> {
    let mut other: Vec<u8> = name.iter().map(|byte| next(*byte)).collect();
    if !name.iter().all(u8::is_ascii_digit) {
        other.extend(b"qq");
    }
    other
}

/// Is it a number whose larger variant must have another effect? Numbers that are bounds are
/// excluded: a larger one may satisfy the same item.
fn is_told_apart(instance: &Instance, field: &str, name: &[u8]) -> bool {
    const ORDERED: [&str; 6] = ["max", "min", "limit", "most", "least", "size"];
    let rises = name.iter().all(|byte| matches!(byte, b'1'..=b'8')) && name.len() <= 9;
    let is_bound = ORDERED.iter().any(|word| field.contains(word));
    rises && !name.is_empty() && !instance.is_identity(field) && !is_bound
}

/// Is it a size: a number that may have a letter after it or `0x` before it? A text of several
/// words is no size.
fn is_size(name: &[u8]) -> bool {
    let digits = name.strip_prefix(b"0x").unwrap_or(name);
    digits.first().is_some_and(u8::is_ascii_digit) && !name.contains(&b' ')
}

/// The next letter or digit; any other byte stays.
pub(super) fn next(byte: u8) -> u8 {
    match byte {
        b'z' => b'a',
        b'Z' => b'A',
        b'9' => b'0',
        letter if letter.is_ascii_alphanumeric() => letter + 1,
        other => other,
    }
}
