//! Requests of 64 KiB and 1 MiB, and short ones of the same form.

use super::grown::Growing;
use super::sent_as;
use cfengine_protocol::relation;
use cfengine_protocol::wire::Value;
use stickler_suite::{Instance, Setting, Speech};
use stickler_transcript::{Case, Purpose, Role, Variation};

/// Large values, in bytes.
const SIZES: [(&str, usize); 2] = [("64k", 64 << 10), ("1m", 1 << 20)];

/// The transcript keeps several copies of a mebibyte, so one example with all sizes is enough.
pub(super) fn cases(setting: &Setting<'_>, instance: &Instance, all_sizes: bool) -> Vec<Case> {
    let executes = &setting.config.subject.executes;
    let mut fields = instance.text_fields();
    fields.retain(|field| !executes.contains(field) && growing(instance, field).is_some());
    fields.truncate(3);
    if fields.is_empty() {
        fields.push("promiser".to_owned());
    }
    let mut cases = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let suffix = if index == 0 {
            String::new()
        } else {
            format!(":{field}")
        };
        let all = index == 0 && all_sizes;
        let sizes = if all { &SIZES[..] } else { &SIZES[..1] };
        for &(role, size) in sizes {
            cases.extend(large_field(setting, instance, field, &suffix, (role, size)));
        }
    }
    if setting.speech == Speech::Agent {
        let mut long = setting.case(format!("large-filename/{}", instance.info.label));
        long.member(
            relation::LARGE,
            &instance.info.label,
            Role::variant("64k in `filename`"),
        );
        let name = [b"/", &[b'x'; SIZES[0].1][..], b".cf"].concat();
        cases.push(sent_as(long, instance, |request| {
            request.filename = Some(name.clone());
        }));
    }
    cases
}

fn growing<'i>(instance: &'i Instance, field: &str) -> Option<Growing<'i>> {
    Growing::of(instance.text(field)?)
}

/// A large value, and a short one: if both fail, the size is not the cause.
fn large_field(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    suffix: &str,
    (role, size): (&str, usize),
) -> Vec<Case> {
    let label = &instance.info.label;
    let Some(growing) = growing(instance, field) else {
        return Vec::new();
    };
    // A single word, such as a name, may become an argument of a program, and no program accepts a
    // mebibyte.
    let in_words = size > SIZES[0].1;
    let value = |size| match in_words {
        true => growing.in_words(size),
        false => Some(growing.in_one_word(size)),
    };
    [
        (Variation::Huge, role.to_owned(), size),
        (Variation::Part, format!("short-{role}"), 0),
    ]
    .into_iter()
    .filter_map(|(kind, name, size)| {
        let words = format!("\"{field}\" of {name}");
        let mut changed = instance.variant(kind, field, &format!(":{role}"), words);
        changed.set(field, Value::Text(value(size)?));
        let mut case = setting.case(format!("large-{name}{suffix}/{label}"));
        case.member(relation::LARGE, label, Role::variant(&name))
            .setup(instance)
            .observing()
            .open()
            .validate(&changed);
        if field != "promiser" {
            case.evaluate(&changed);
            // No program accepts a mebibyte as an argument, so a script may lose it.
            if instance.stays_kept() && !in_words {
                case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &changed);
            }
        }
        Some(case.terminate().build())
    })
    .collect()
}
