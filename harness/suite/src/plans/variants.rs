//! Attributes and names, changed one at a time.

use crate::effort::Effort;
use crate::instance::{Instance, first_text_mut, scratch_dir};
use crate::plans::batch::Batch;
use crate::plans::read_otherwise::{self, Tried};
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use crate::values::{self, Dice};
use std::collections::{BTreeMap, BTreeSet};
use stickler_transcript::{Provenance, Relation, Value, Variation};

pub(super) fn batches(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut tried = Tried::new();
    for instance in subjects(setting, effort) {
        let label = instance.info.label.clone();
        let group = Some(label.to_string());
        let made = setting.knowledge.made_by(&label);
        let mut batch = |id: &str, variants: Vec<Instance>, group: &Option<String>| {
            if !variants.is_empty() {
                batches.push(Batch {
                    id: format!("{id}/{label}"),
                    origin: instance.clone(),
                    variants,
                    part: 0,
                    relation: match group {
                        Some(_) => Relation::TEXT,
                        None => Relation::FIELDS,
                    },
                    group: group.clone(),
                    traps: Vec::new(),
                    evaluate: true,
                    again: !matches!(id, "unknown" | "odd") && instance.stays_kept(),
                    undone: match id {
                        "attributes" | "text-anew" => {
                            made.iter().map(|path| path.to_vec()).collect()
                        }
                        _ => Vec::new(),
                    },
                    apart: BTreeMap::new(),
                    whole: false,
                    partner: None,
                });
            }
        };
        batch("attributes", shapes(setting, &instance), &None);
        batch("unknown", unknown(setting, &instance), &None);
        let mut texts = texts(setting, &instance, effort);
        if !made.is_empty() && effort != Effort::Quick {
            // The code that creates a file often differs from the code that replaces it.
            batch("text-anew", texts.clone(), &group);
        }
        if effort == Effort::Deep {
            tried.clear();
        }
        texts.extend(read_otherwise::variants(setting, &instance, &mut tried));
        batch("text", texts, &group);
        batch("odd", odd(setting, &instance), &None);
    }
    batches
}

/// Attributes left out, doubled, emptied, or of another type.
fn shapes(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    let mut variants = Vec::new();
    if instance.attributes.len() > 1 {
        variants.push(instance.without_attributes(Variation::Drop, "", "without attributes"));
    }
    for (index, (name, value)) in instance.attributes.iter().enumerate() {
        let field = String::from_utf8_lossy(name).into_owned();
        let mut dropped = instance.variant(
            Variation::Drop,
            &field,
            "",
            format!("without attribute \"{field}\""),
        );
        dropped.attributes.remove(index);
        variants.push(dropped);
        let mut empty = instance.variant(
            Variation::Empty,
            &field,
            "",
            format!("\"{field}\" is empty"),
        );
        empty.set(
            &field,
            match value {
                Value::List(_) => Value::List(Vec::new()),
                Value::Object(_) => Value::Object(Vec::new()),
                _ => Value::text(""),
            },
        );
        variants.push(empty);
        match value.as_text() {
            Some(text) => {
                for (kind, value, provenance) in values::mistyped(text, setting.sends_any_value()) {
                    if provenance == Provenance::Beyond {
                        continue;
                    }
                    let mut changed = instance.variant(
                        kind,
                        &field,
                        "",
                        format!("\"{field}\" is {}", value.type_name()),
                    );
                    changed.set(&field, value);
                    variants.push(changed);
                }
                for (suffix, value) in [
                    (":empty-list", Value::List(Vec::new())),
                    (":empty-object", Value::Object(Vec::new())),
                ] {
                    if !setting.sends_any_value() {
                        continue;
                    }
                    let kind = if suffix == ":empty-list" {
                        Variation::List
                    } else {
                        Variation::Object
                    };
                    let mut changed = instance.variant(
                        kind,
                        &field,
                        suffix,
                        format!("\"{field}\" is {}, empty", value.type_name()),
                    );
                    changed.set(&field, value);
                    variants.push(changed);
                }
                let mut number = instance.variant(
                    Variation::String,
                    &field,
                    ":number",
                    format!("\"{field}\" is \"42\""),
                );
                number.set(&field, Value::text("42"));
                variants.push(number);
                if !text.iter().all(u8::is_ascii_digit) {
                    let words = format!("\"{field}\" is \"0\"");
                    let mut zero = instance.variant(Variation::String, &field, ":zero", words);
                    zero.set(&field, Value::text("0"));
                    variants.push(zero);
                }
                let mut other = instance.variant(
                    Variation::String,
                    &field,
                    ":negative",
                    format!("\"{field}\" is \"-1\""),
                );
                other.set(&field, Value::text("-1"));
                variants.push(other);
                variants.extend(nines(instance, &field, text));
                if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
                    for (suffix, number) in [
                        (":32-bits", "4294967296"),
                        (":many-digits", "99999999999999999999999"),
                    ] {
                        let words = format!("\"{field}\" is \"{number}\"");
                        let mut big = instance.variant(Variation::String, &field, suffix, words);
                        big.set(&field, Value::text(number));
                        variants.push(big);
                    }
                }
            }
            None => {
                variants.extend(other_leaves(instance, &field, value));
                let mut flat = instance.variant(
                    Variation::String,
                    &field,
                    "",
                    format!("\"{field}\" is text"),
                );
                flat.set(&field, Value::text("stickler"));
                variants.push(flat);
                if setting.sends_any_value() {
                    let nested = Value::List(vec![
                        Value::List(vec![Value::text("a")]),
                        Value::Object(vec![(b"k".to_vec(), Value::text("v"))]),
                    ]);
                    let mut deep = instance.variant(
                        Variation::List,
                        &field,
                        ":nested",
                        format!("\"{field}\" is a list of lists"),
                    );
                    deep.set(&field, nested);
                    variants.push(deep);
                    let (kind, other) = match value {
                        Value::List(items) => {
                            let first = items.first().cloned().unwrap_or(Value::text("a"));
                            (
                                Variation::Object,
                                Value::Object(vec![(b"key".to_vec(), first)]),
                            )
                        }
                        _ => (Variation::List, Value::List(vec![Value::text("a")])),
                    };
                    let words = format!("\"{field}\" is {}", other.type_name());
                    let mut changed = instance.variant(kind, &field, "", words);
                    changed.set(&field, other);
                    variants.push(changed);
                }
            }
        }
    }
    let name = instance.name_field();
    let mut empty = instance.altered(Variation::Empty, "", format!("\"{name}\" is empty"));
    empty.set_name("");
    variants.push(empty);
    let mut relative = instance.altered(
        Variation::String,
        ":word",
        format!("\"{name}\" is a plain word"),
    );
    relative.set_name("stickler");
    variants.push(relative);
    let mut root = instance.altered(Variation::String, ":dot", format!("\"{name}\" is \".\""));
    root.set_name(".");
    variants.push(root);
    let words = format!("\"{name}\" ends in a name that no file can have");
    let mut long = instance.altered(Variation::String, ":long", words);
    long.set_name([long.name(), &[b'n'; 300]].concat());
    variants.push(long);
    variants
}

/// A container whose first text is replaced by other values that a container of a policy may hold.
fn other_leaves(instance: &Instance, field: &str, value: &Value) -> Vec<Instance> {
    if !matches!(value, Value::Object(_)) {
        return Vec::new();
    }
    [
        ("a 54-bit number", Value::Number("9007199254740993".into())),
        ("a fraction", Value::Number("1.5".into())),
        ("a boolean", Value::Bool(true)),
        ("null", Value::Null),
        ("a list", Value::List(vec![Value::text("a")])),
        (
            "an object",
            Value::Object(vec![(b"k".to_vec(), Value::text("v"))]),
        ),
        ("an empty string", Value::text("")),
        ("an empty list", Value::List(Vec::new())),
        ("an empty object", Value::Object(Vec::new())),
    ]
    .into_iter()
    .enumerate()
    .filter_map(|(number, (what, leaf))| {
        let mut other = value.clone();
        *first_text_mut(&mut other)? = leaf;
        let words = format!("\"{field}\" holds {what}");
        let mut changed = instance.variant(Variation::Leaf, field, &format!(":{number}"), words);
        changed.set(field, other);
        Some(changed)
    })
    .collect()
}

/// Replaces digits by a zero and nines, which are no number for code that reads a leading zero as
/// octal.
fn nines(instance: &Instance, field: &str, text: &[u8]) -> Option<Instance> {
    if text.len() < 2 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = format!("0{}", "9".repeat(text.len() - 1));
    let words = format!("\"{field}\" is \"{number}\"");
    let mut changed = instance.variant(Variation::String, field, ":nines", words);
    changed.set(field, Value::text(number));
    Some(changed)
}

/// Names that all objects have in some languages of modules: a lookup there finds something.
const INHERITED: [&str; 2] = ["constructor", "__class__"];

/// Attributes that no module knows.
fn unknown(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    if setting.config.subject.open_attributes {
        return Vec::new();
    }
    let mut dice = Dice::new(setting.seed, "unknown");
    let known: Vec<(&str, &Value)> = instance
        .attributes
        .iter()
        .filter_map(|(name, value)| Some((std::str::from_utf8(name).ok()?, value)))
        .collect();
    // If the subject copies an attribute into its answer, it may replace a member of the answer.
    let of_answers = setting.vocabulary().answer_names;
    let made_up = [dice.name(9), format!("{}_{}", dice.name(5), dice.name(4))];
    let mut names: Vec<(String, Value)> = made_up
        .into_iter()
        .chain(INHERITED.map(str::to_owned))
        .chain(of_answers.iter().map(|&name| name.to_owned()))
        .map(|name| (name, Value::text("x")))
        .collect();
    // Names that only extend or shorten known ones, with a value that would be valid there.
    for (name, value) in known.iter().take(3) {
        names.push((format!("{name}_{}", dice.name(4)), (*value).clone()));
    }
    for (name, value) in &known {
        let shorter = name.get(..name.len().saturating_sub(1)).unwrap_or_default();
        let others = [
            Some(shorter.to_owned()).filter(|name| name.len() > 3),
            capital(name),
        ];
        let is_new = |other: &String| known.iter().all(|(name, _)| name != other);
        names.extend(
            others
                .into_iter()
                .flatten()
                .filter(is_new)
                .map(|other| (other, (*value).clone())),
        );
    }
    let patterns = values::PATTERNS
        .iter()
        .map(|name| ((*name).to_owned(), Value::text("x"), Provenance::Beyond));
    names
        .into_iter()
        .map(|(name, value)| (name, value, instance.provenance))
        .chain(patterns)
        .map(|(name, value, provenance)| {
            let mut changed = instance.variant(
                Variation::Unknown,
                &name,
                "",
                format!("with an unknown attribute \"{name}\""),
            );
            changed.set(&name, value);
            changed.provenance = provenance;
            changed
        })
        .chain(of_other_types(setting, instance))
        .collect()
}

/// Attributes of the module's other kinds that no example of this type has.
fn of_other_types(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    let all = (0..setting.config.examples.len()).map(|index| setting.example(index, 0));
    let (own, others): (Vec<Instance>, Vec<Instance>) =
        all.partition(|other| other.kind == instance.kind);
    let mut known: BTreeSet<&[u8]> = own
        .iter()
        .flat_map(|one| one.attributes.iter().map(|(name, _)| &name[..]))
        .collect();
    let mut variants = Vec::new();
    for other in &others {
        for (name, value) in &other.attributes {
            if !known.insert(name) {
                continue;
            }
            let field = String::from_utf8_lossy(name);
            let words = format!("with \"{field}\", an attribute of `{}`", other.kind);
            let mut changed = instance.variant(Variation::OtherType, &field, "", words);
            changed.set(&field, value.clone());
            variants.push(changed);
        }
    }
    variants
}

/// The name with a capital letter.
fn capital(name: &str) -> Option<String> {
    let mut letters = name.chars();
    let first = letters.next().filter(char::is_ascii_lowercase)?;
    Some(format!(
        "{}{}",
        first.to_ascii_uppercase(),
        letters.as_str()
    ))
}

/// Hard text in every value that is or contains text, and in the name.
fn texts(setting: &Setting<'_>, instance: &Instance, effort: Effort) -> Vec<Instance> {
    let mut variants = Vec::new();
    let mut fields = instance.leaf_fields();
    fields.retain(|field| !setting.config.subject.executes.contains(field));
    if effort != Effort::Deep {
        fields.truncate(4);
    }
    fields.extend(instance.identity_fields());
    for field in fields {
        let Some(base) = instance.leaf(&field).map(<[u8]>::to_vec) else {
            continue;
        };
        for hard in values::HARD {
            if hard.json_only && !setting.sends_any_value() {
                continue;
            }
            let mut changed = instance.variant(
                hard.kind,
                &field,
                &format!(":{}", hard.name),
                format!("\"{field}\" with {}", hard.name),
            );
            // Before a path it would make another path.
            let before: &[u8] = if base.starts_with(b"/") {
                b""
            } else {
                hard.before
            };
            changed.set_leaf(&field, [before, &base, hard.after].concat());
            changed.provenance = hard.provenance;
            // Control characters are only well-formed JSON if they are escaped.
            if matches!(hard.name, "unicode" | "control") && setting.sends_any_value() {
                let mut escaped = changed.clone();
                escaped.info.label = format!("{}-escaped", escaped.info.label).into();
                let words = format!("\"{field}\" with {}, escaped", hard.name);
                escaped.info.description = Some(words);
                escaped.ascii = true;
                escaped.provenance = Provenance::Spec;
                variants.push(escaped);
            }
            variants.push(changed);
        }
        if setting.sends_any_value() {
            variants.push(lone_surrogate(instance, &field, &base));
        }
        variants.extend(other_types(instance, &field, &base));
        variants.extend(placeholders(instance, &field, &base));
    }
    variants.extend(instance.attributes.iter().filter_map(|(name, value)| {
        let name = String::from_utf8_lossy(name);
        backwards(instance, &name, value)
    }));
    variants.extend(named(setting, instance));
    variants.extend(spaced(instance));
    variants.extend(detours(instance));
    variants.extend(other_spellings(instance));
    variants
}

/// Texts that code which guesses types takes for nothing or for another type, and names that all
/// JavaScript objects have. Not instead of a path or a number, where such a value may have a
/// meaning.
fn other_types(instance: &Instance, field: &str, base: &[u8]) -> Vec<Instance> {
    if base.starts_with(b"/") || base.iter().all(u8::is_ascii_digit) {
        return Vec::new();
    }
    ["0", "true", "constructor", "__proto__"]
        .map(|text| {
            let words = format!("\"{field}\" is \"{text}\"");
            let mut changed = instance.variant(Variation::Text, field, &format!(":{text}"), words);
            changed.set_leaf(field, text.into());
            changed
        })
        .into()
}

/// The name of another attribute, as templates refer to it. A value is no template, unless the
/// author writes it as one.
fn placeholders(instance: &Instance, field: &str, base: &[u8]) -> Option<Instance> {
    let text = String::from_utf8_lossy(base);
    let is_template = ["{", "$", "%", "@", "<"]
        .iter()
        .any(|sign| text.contains(sign));
    if instance.is_identity(field) || is_template || base.starts_with(b"/") {
        return None;
    }
    let mut others = instance.text_fields();
    // For a member of a container, templates refer to the other members.
    let members = instance.siblings_of_leaf(field);
    if !members.is_empty() {
        others = members;
    }
    let mut others = others.iter().filter(|other| *other != field);
    // Names with the same beginning may be referred to by their ends.
    let kin = |other: &String| {
        let (start, end) = other.split_once('_')?;
        (field.split_once('_')?.0 == start).then(|| end.to_owned())
    };
    let other = others.clone().find_map(kin);
    let other = other.or_else(|| others.next_back().cloned());
    let other = other.unwrap_or_else(|| instance.name_field());
    let words = format!("\"{field}\" with \"{other}\" as a placeholder");
    let mut changed = instance.variant(Variation::Text, field, ":placeholder", words);
    let placeholders =
        format!("{text} {{{{{other}}}}} ${{{other}}} ${other} %({other})s {{{other}}} @{other}@");
    changed.set_leaf(field, placeholders.into_bytes());
    Some(changed)
}

/// Hard text in the names of members, in the first one at each depth.
fn named(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    let hard = values::HARD.iter().filter(|hard| {
        let usual = hard.kind == Variation::Text && hard.provenance == Provenance::Agent;
        usual && (setting.sends_any_value() || !hard.json_only)
    });
    let mut variants = Vec::new();
    for (field, value) in &instance.attributes {
        let field = String::from_utf8_lossy(field);
        for (depth, name) in first_names(value).into_iter().enumerate() {
            for hard in hard.clone() {
                let suffix = format!(":{}-{depth}", hard.name);
                let words = format!("a name in \"{field}\" with {}", hard.name);
                let mut changed = instance.variant(Variation::Name, &field, &suffix, words);
                changed.rename(&field, name, &[hard.before, name, hard.after].concat());
                variants.push(changed);
            }
        }
    }
    variants
}

/// The name of the first member, of the first member in its value, and so on.
fn first_names(value: &Value) -> Vec<&[u8]> {
    let mut names = Vec::new();
    let mut value = value;
    while let Value::Object(members) = value
        && let Some((name, inner)) = members.first()
    {
        names.push(&name[..]);
        value = inner;
    }
    names
}

/// The list in reverse order.
fn backwards(instance: &Instance, field: &str, value: &Value) -> Option<Instance> {
    let Value::List(items) = value else {
        return None;
    };
    let turned: Vec<Value> = items.iter().rev().cloned().collect();
    if turned == *items {
        return None;
    }
    let words = format!("\"{field}\" in reverse order");
    let mut changed = instance.variant(Variation::Backwards, field, "", words);
    changed.set(field, Value::List(turned));
    Some(changed)
}

/// A path in the scratch directory with a space in its last name: any name there is as good.
fn spaced(instance: &Instance) -> Option<Instance> {
    let path = instance.name();
    let at = path.iter().rposition(|byte| *byte == b'/')? + 1;
    if !path.starts_with(scratch_dir(0).as_bytes()) {
        return None;
    }
    let words = format!("\"{}\" with a space in its name", instance.name_field());
    let mut changed = instance.altered(Variation::Spaced, "", words);
    changed.set_name([&path[..at], b"my ", &path[at..]].concat());
    Some(changed)
}

/// Other spellings of a path, as policies produce them when they join paths.
fn detours(instance: &Instance) -> Vec<Instance> {
    let path = instance.name();
    let Some(at) = path.iter().rposition(|byte| *byte == b'/') else {
        return Vec::new();
    };
    let (folder, name) = path.split_at(at);
    if !path.starts_with(b"/") || folder.is_empty() {
        return Vec::new();
    }
    [
        (
            ":slashes",
            "with two slashes",
            [folder, b"/", name].concat(),
        ),
        (
            ":dot",
            "with a dot in the path",
            [folder, b"/.", name].concat(),
        ),
        (":below", "below that", [path, &b"/stickler"[..]].concat()),
    ]
    .into_iter()
    .map(|(suffix, words, other)| {
        let words = format!("\"{}\" {words}", instance.name_field());
        let mut changed = instance.altered(Variation::Path, suffix, words);
        changed.set_name(other);
        changed
    })
    .collect()
}

/// Values that some programs take for the same, but that differ as text: a path with a trailing
/// slash, a number with leading zeros.
fn other_spellings(instance: &Instance) -> Vec<Instance> {
    let mut variants = Vec::new();
    for field in instance.text_fields() {
        let text = instance.text(&field).unwrap_or_default();
        let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let others = if text.contains(&b'/') && !text.ends_with(b"/") {
            vec![(
                Variation::Path,
                "with a trailing slash",
                [text, b"/"].concat(),
            )]
        } else if is_number {
            vec![
                (
                    Variation::Padded,
                    "with leading zeros",
                    [b"00", text].concat(),
                ),
                (
                    Variation::Padded,
                    "with a leading zero",
                    [b"0", text].concat(),
                ),
            ]
        } else {
            vec![(Variation::Padded, "is \"007\"", b"007".to_vec())]
        };
        for (number, (kind, words, other)) in others.into_iter().enumerate() {
            let words = format!("\"{field}\" {words}");
            let suffix = format!(":spelling{number}");
            let mut changed = instance.variant(kind, &field, &suffix, words);
            changed.set(&field, Value::Text(other));
            variants.push(changed);
        }
    }
    variants
}

/// Half of a surrogate pair, which only an escape can represent.
fn lone_surrogate(instance: &Instance, field: &str, base: &[u8]) -> Instance {
    let mut changed = instance.variant(
        Variation::Surrogate,
        field,
        "",
        format!("\"{field}\" with half a surrogate pair"),
    );
    changed.set_leaf(field, [base, b"\xed\xa0\x80"].concat());
    changed.ascii = true;
    changed.provenance = Provenance::Beyond;
    changed
}

/// Values that no agent sends: numbers, booleans, null.
fn odd(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    let mut variants = Vec::new();
    for field in instance.text_fields() {
        let Some(base) = instance.text(&field).map(<[u8]>::to_vec) else {
            continue;
        };
        for (kind, value, provenance) in values::mistyped(&base, setting.sends_any_value()) {
            if provenance != Provenance::Beyond {
                continue;
            }
            let mut changed = instance.variant(
                kind,
                &field,
                "",
                format!("\"{field}\" is {}", value.type_name()),
            );
            changed.set(&field, value);
            changed.provenance = provenance;
            variants.push(changed);
        }
    }
    variants
}
