//! The same request in another form: in pieces, with other keys, log levels or sizes.

mod grown;
mod large;

use crate::requests::{Requests as _, Spoken as _};
use cfengine_protocol::phase;
use cfengine_protocol::relation;
use cfengine_protocol::wire::request::{Operation, Request};
use cfengine_protocol::wire::{Protocol, Style, Value};
use stickler_suite::plans::{ASCII, ascii, set_by_author, subjects};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, Speech};
use stickler_transcript::{
    Bytes, Case, Key, Piece, Provenance, Purpose, Relation, Role, Send, Variation,
};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, instance) in subjects(setting, effort).into_iter().enumerate() {
        cases.extend(pieces(setting, &instance));
        let data = data_field(setting, &instance);
        if data != "promiser" {
            cases.extend(beyond_ascii(setting, &instance, &data, &WAYS));
        }
        cases.extend(beyond_ascii(setting, &instance, "promiser", &WAYS));
        let others = instance.text_fields().into_iter();
        for other in others.filter(|other| *other != data).take(2) {
            cases.extend(beyond_ascii(
                setting,
                &instance,
                &other,
                &["baseline", "again", ASCII],
            ));
        }
        cases.extend(keys(setting, &instance));
        cases.extend(levels(setting, &instance));
        cases.extend(large::cases(setting, &instance, index == 0));
        cases.extend(absent_attributes(setting, &instance));
    }
    cases
}

/// The pause between two halves of a message, in microseconds. Many readers wait for a tenth of a
/// second.
const HALF_US: u64 = 150_000;

fn pieces(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    type Cut = fn(&[u8]) -> Vec<Piece>;
    let cuts: [(&str, Cut); 3] = [
        ("bytewise", |data| {
            data.iter()
                .map(|byte| Piece {
                    pause_us: 0,
                    data: Bytes::from(&[*byte][..]),
                })
                .collect()
        }),
        ("halves", |data| {
            let (head, tail) = data.split_at(data.len() / 2);
            vec![at_once(head), after(HALF_US, tail)]
        }),
        // The empty line comes late, and so does the end of the line.
        ("slow-end", |data| {
            let n = data.len();
            vec![
                at_once(&data[..n / 3]),
                after(5_000, &data[n / 3..n - 2]),
                after(25_000, &data[n - 2..n - 1]),
                after(25_000, &data[n - 1..]),
            ]
        }),
    ];
    cuts.iter()
        .map(|(role, cut)| {
            let mut case = setting.case(format!("pieces-{role}/{}", instance.info.label));
            case.member(relation::PIECES, &instance.info.label, Role::variant(role))
                .setup(instance)
                .open();
            let in_pieces = |send: &mut Send| send.pieces = cut(&send.message());
            case.validate_with(Purpose::VALIDATE, instance, in_pieces)
                .evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, instance, in_pieces)
                .terminate()
                .build()
        })
        .collect()
}

/// How a value beyond ASCII is sent: whole, cut inside its characters, and with a locale that has
/// none of them.
const WAYS: [&str; 4] = ["baseline", "again", "characters", ASCII];

fn beyond_ascii(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    ways: &[&str],
) -> Vec<Case> {
    let Some(base) = instance.text(field) else {
        return Vec::new();
    };
    let mut changed = instance.variant(
        Variation::Text,
        field,
        ":characters",
        format!("\"{field}\" with non-ASCII characters"),
    );
    changed.set(
        field,
        Value::Text([base, " Grüße, 世界 🦀".as_bytes()].concat()),
    );
    let label = changed.info.label.clone();
    ways.iter()
        .copied()
        .filter(|role| *role != ASCII || !set_by_author(setting, role))
        .map(|role| {
            let name = if role == ASCII { "locale" } else { role };
            let mut case = setting.case(format!("beyond-ascii-{name}/{label}"));
            if role != ASCII {
                case.member(relation::PIECES, &label, Role::variant(role));
            }
            if role != "characters" {
                case.member(Relation::ENVIRONMENT, &label, Role::variant(role));
            }
            if role == ASCII {
                case.surroundings(ascii);
            }
            let cut = |send: &mut Send| {
                if role == "characters" {
                    send.pieces = inside_characters(&send.message());
                }
            };
            case.setup(instance).observing().open();
            case.validate_with(Purpose::VALIDATE, &changed, cut);
            if !is_probe(instance) {
                case.evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, &changed, cut);
            }
            case.terminate().build()
        })
        .collect()
}

/// Cuts before each continuation byte of a character.
fn inside_characters(data: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, byte) in data.iter().enumerate() {
        if byte & 0xc0 == 0x80 {
            pieces.push(after(3_000, &data[start..at]));
            start = at;
        }
    }
    pieces.push(after(3_000, &data[start..]));
    pieces
}

/// A free-text attribute if there is one, otherwise the promiser.
fn data_field(setting: &Setting<'_>, instance: &Instance) -> String {
    instance
        .text_fields()
        .into_iter()
        .find(|field| !setting.config.subject.executes.contains(field))
        .unwrap_or_else(|| "promiser".to_owned())
}

fn at_once(data: &[u8]) -> Piece {
    after(0, data)
}

fn after(pause_us: u64, data: &[u8]) -> Piece {
    Piece {
        pause_us,
        data: data.into(),
    }
}

fn is_probe(instance: &Instance) -> bool {
    instance.info.variation == Some(Variation::Probe)
}

/// Keys in another order, and keys of a later agent version.
fn keys(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    let label = &instance.info.label;
    let mut cases = Vec::new();
    let mut spec = setting.case(format!("keys-spec/{label}"));
    spec.speech = match setting.speech {
        Speech::Agent => Speech::Spec,
        Speech::Spec => Speech::Agent,
    };
    spec.member(relation::KEYS, label, Role::Spec)
        .setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance)
        .terminate();
    cases.push(spec.build());
    let mut later = setting.case(format!("keys-unknown/{label}"));
    later.member(relation::KEYS, label, Role::UnknownKey);
    let mut unknown = vec![(b"future_key".to_vec(), Value::text("x=1"))];
    if setting.json() {
        let value = Value::Object(vec![(b"list".to_vec(), Value::List(Vec::new()))]);
        unknown.push((b"another_key".to_vec(), value));
    }
    cases.push(sent_as(later, instance, |request| {
        request.extra.extend_from_slice(&unknown);
    }));
    if setting.protocol() == Protocol::Line {
        cases.push(reversed_lines(setting, instance));
    }
    cases
}

/// Validates and evaluates with something in the requests that this agent version does not send.
fn sent_as(mut case: CaseBuilder<'_>, instance: &Instance, change: impl Fn(&mut Request)) -> Case {
    case.setup(instance).open();
    for (key, operation) in [
        (Purpose::VALIDATE, Operation::Validate),
        (Purpose::EVALUATE, Operation::Evaluate),
    ] {
        if operation == Operation::Evaluate && is_probe(instance) {
            continue;
        }
        let mut send = changed(&case, operation, key.into(), instance, &change);
        send.provenance = Provenance::Spec;
        case.send(send);
    }
    case.terminate().build()
}

/// Encodes a request with a change.
fn changed(
    case: &CaseBuilder<'_>,
    operation: Operation,
    key: Key,
    instance: &Instance,
    change: impl Fn(&mut Request),
) -> Send {
    let (phase, requires) = match operation {
        Operation::Validate => (phase::VALIDATE, None),
        _ => (
            phase::EVALUATE,
            Some(Purpose::VALIDATE.of(&instance.info.label)),
        ),
    };
    let mut request = case.request(operation, instance);
    change(&mut request);
    Send {
        requires,
        ..case.about(phase, key, instance, &request)
    }
}

/// The lines of a request in reverse order.
fn reversed_lines(setting: &Setting<'_>, instance: &Instance) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("keys-reversed/{label}"));
    case.member(relation::KEYS, label, Role::OtherOrder)
        .setup(instance)
        .open();
    let reverse = |send: &mut Send| {
        let data = send.message();
        let mut lines: Vec<&[u8]> = data
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .collect();
        lines.reverse();
        let mut data = lines.join(&b'\n');
        data.extend_from_slice(b"\n\n");
        send.pieces = vec![at_once(&data)];
        send.provenance = Provenance::Spec;
    };
    case.validate_with(Purpose::VALIDATE, instance, reverse)
        .evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, instance, reverse)
        .terminate()
        .build()
}

const LEVELS: [&str; 6] = ["error", "warning", "notice", "info", "verbose", "debug"];

fn levels(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    let label = &instance.info.label;
    let mut cases = Vec::new();
    let mut all = setting.case(format!("level-all/{label}"));
    all.member(relation::LEVEL, label, Role::variant("all"))
        .setup(instance)
        .open();
    for level in LEVELS {
        at_level(
            &mut all,
            level,
            Operation::Validate,
            Purpose::VALIDATE.into(),
            instance,
        );
    }
    all.terminate();
    cases.push(all.build());
    if is_probe(instance) {
        return cases;
    }
    // The baseline uses level info.
    for level in LEVELS.into_iter().filter(|level| *level != "info") {
        let mut case = setting.case(format!("level-{level}/{label}"));
        case.member(relation::LEVEL, label, Role::variant(level))
            .setup(instance)
            .observing()
            .open();
        at_level(
            &mut case,
            level,
            Operation::Validate,
            Purpose::VALIDATE.into(),
            instance,
        );
        if case.may_evaluate(instance) {
            for turn in [1, 2] {
                at_level(
                    &mut case,
                    level,
                    Operation::Evaluate,
                    Purpose::EVALUATE.nth(turn),
                    instance,
                );
            }
        }
        case.terminate();
        cases.push(case.build());
    }
    cases
}

/// Sends a request that asks for log messages of one level.
fn at_level(
    case: &mut CaseBuilder<'_>,
    level: &str,
    operation: Operation,
    key: Key,
    instance: &Instance,
) {
    let send = changed(case, operation, key, instance, |request| {
        request.log_level = Some(level.into());
    });
    case.send(send);
}

/// No attributes: the key is absent, or its object is empty.
fn absent_attributes(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    if !setting.json() {
        return Vec::new();
    }
    let label = &instance.info.label;
    let bare = instance.without_attributes(Variation::Bare, "", "without attributes");
    [("baseline", true), ("absent", false)]
        .into_iter()
        .map(|(role, present)| {
            let mut case = setting.case(format!("attributes-{role}/{label}"));
            case.member(
                relation::ATTRIBUTES,
                &format!("{label}-attributes"),
                Role::variant(role),
            )
            .setup(instance)
            .open();
            case.provide(&bare);
            let mut request = case.request(Operation::Validate, &bare);
            request.attributes = present.then(Vec::new);
            let mut send = case.about(phase::VALIDATE, Purpose::VALIDATE.into(), &bare, &request);
            if present {
                // The specification's form: the key is present.
                let data = request.encode(setting.protocol(), Style::Spec);
                send.pieces = vec![at_once(&data)];
                send.provenance = Provenance::Spec;
            }
            case.send(send).terminate().build()
        })
        .collect()
}
