//! Order of requests, number of processes, and ends of sessions.

use crate::capabilities::Tells;
use crate::effort::Effort;
use crate::instance::{Instance, scratch_dir};
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use std::collections::BTreeSet;
use stickler_reading::within;
use stickler_transcript::{Answer, Case, Purpose, Relation, Role, Send, Step, Value, Variation};

/// The first examples.
fn first(setting: &Setting<'_>, effort: Effort) -> impl Iterator<Item = Instance> {
    subjects(setting, effort).into_iter().take(3)
}

/// Pauses.
pub(super) fn quiet(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let first = first(setting, effort).enumerate();
    first
        .map(|(turn, instance)| paused(setting, &instance, turn, effort))
        .collect()
}

/// One process after another.
pub(super) fn restarted(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let first = first(setting, effort);
    first
        .map(|instance| second_process(setting, &instance))
        .collect()
}

/// Other items between the validation and the evaluation of an item.
pub(super) fn invalid_between(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let first = first(setting, effort);
    first
        .map(|instance| others_between(setting, &instance))
        .collect()
}

/// An item after others that are probably invalid, and an item that lacks what the one before it has.
pub(super) fn after_others(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let first = first(setting, effort);
    let cases = |instance: Instance| {
        [
            bare_after(setting, &instance, true),
            bare_after(setting, &instance, false),
            after_invalid(setting, &instance),
        ]
    };
    first.flat_map(cases).collect()
}

/// Two items in one process, in several orders.
pub(super) fn paired(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let pairs = pairs(setting, effort).into_iter();
    pairs.flat_map(|(a, b)| pair(setting, &a, &b)).collect()
}

/// Items that lack something, after a complete one.
pub(super) fn lacking(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    let first = 0..setting.config.examples.len().min(3);
    first
        .flat_map(|index| {
            let (whole, second) = (setting.example(index, 0), setting.example(index, 1));
            less(setting, &whole, &second)
        })
        .collect()
}

/// Pairs of items: the second one uses the second scratch directory and another name.
fn candidates(setting: &Setting<'_>) -> Vec<(Instance, Instance)> {
    let indices = match setting.config.examples.len() {
        0 => Vec::new(),
        1 => vec![(0, 0)],
        2 => vec![(0, 1), (1, 0)],
        n => vec![(0, 1), (1, 2), (n - 1, 0)],
    };
    indices
        .into_iter()
        .map(|(a, b)| (setting.example(a, 0), setting.example(b, 1)))
        .filter(|(a, b)| a.identity != b.identity)
        .collect()
}

fn pair_name(a: &Instance, b: &Instance) -> String {
    format!("{}+{}", a.info.label, b.info.label)
}

/// The second item of each pair alone, to learn what it does in the second directory.
pub(super) fn seconds(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    candidates(setting)
        .iter()
        .map(|(a, b)| alone(setting, "alone", Role::Baseline, (a, b)))
        .collect()
}

/// The second item of a pair alone.
fn alone(setting: &Setting<'_>, id: &str, role: Role, (a, b): (&Instance, &Instance)) -> Case {
    let name = pair_name(a, b);
    let mut case = setting.case(format!("{id}/{name}"));
    case.member(Relation::ALONE, &name, role)
        .setup(b)
        .observing()
        .open()
        .validate(b)
        .evaluate(b);
    // What never converges depends on earlier evaluations even alone.
    if b.stays_kept() {
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, b);
    }
    case.terminate().build()
}

/// The pairs with disjoint effects, whose second item does in its directory what its example
/// does in the first.
fn pairs(setting: &Setting<'_>, effort: Effort) -> Vec<(Instance, Instance)> {
    let known = setting.knowledge;
    let touched = |label: &str| -> BTreeSet<&[u8]> {
        known
            .touched
            .iter()
            .filter(|(of, _)| of == label)
            .map(|(_, path)| &path[..])
            .collect()
    };
    let mut pairs = candidates(setting);
    pairs.retain(|(a, b)| {
        let (first, second) = (&a.info.label[..], &b.info.label[..]);
        let example = second.trim_end_matches('b');
        known.valid.contains(example) == known.valid.contains(second)
            && known.repaired.contains(example) == known.repaired.contains(second)
            && touched(first).is_disjoint(&touched(second))
    });
    if effort == Effort::Quick {
        pairs.truncate(1);
    }
    pairs
}

fn pair(setting: &Setting<'_>, a: &Instance, b: &Instance) -> Vec<Case> {
    let name = pair_name(a, b);
    let begin = |id: &str| {
        let mut case = setting.case(format!("{id}/{name}"));
        case.setup(a).setup(b).observing();
        case
    };
    let one_by_one = |id: &str, roles: &[(Relation, Role)]| {
        let mut case = begin(id);
        for (relation, role) in roles {
            case.member(*relation, &name, role.clone());
        }
        case.open()
            .validate(a)
            .evaluate(a)
            .validate(b)
            .evaluate(b)
            .terminate()
            .build()
    };
    let mut after_kept = begin("after-kept");
    after_kept
        .member(Relation::ALONE, &name, Role::After)
        .open()
        .validate(a)
        .evaluate(a)
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, a)
        .validate(b)
        .evaluate(b)
        .terminate();
    let mut reversed = begin("order-reversed");
    reversed
        .member(Relation::ORDER, &name, Role::Reversed)
        .open()
        .validate(a)
        .validate(b)
        .evaluate(b)
        .evaluate(a)
        .terminate();
    let mut between = begin("between");
    between
        .member(Relation::BETWEEN, &a.info.label, Role::Between)
        .open()
        .validate(a)
        .validate(b)
        .validate_as(Purpose::VALIDATE.turn(2), b)
        .evaluate(b)
        .validate_as(Purpose::VALIDATE.turn(3), b)
        .evaluate(a)
        .terminate();
    let mut cases = vec![
        alone(setting, "alone-again", Role::Again, (a, b)),
        one_by_one(
            "order",
            &[
                (Relation::ORDER, Role::Baseline),
                (Relation::ALONE, Role::After),
                (Relation::RESTART, Role::Baseline),
            ],
        ),
        one_by_one(
            "order-again",
            &[
                (Relation::ORDER, Role::Again),
                (Relation::RESTART, Role::Again),
            ],
        ),
        after_kept.build(),
        reversed.build(),
        between.build(),
        concurrent(setting, a, b, &name),
    ];
    let state = &setting.knowledge.keeps_state;
    if state.contains(&a.info.label) || state.contains(&b.info.label) {
        cases.extend(apart(setting, a, b, &name));
    }
    cases
}

/// The two items in both orders, each in its own process. What differs there comes from a store that
/// both use, not from the memory of one process.
fn apart(setting: &Setting<'_>, a: &Instance, b: &Instance, name: &str) -> [Case; 2] {
    let in_turn = |id: &str, (first, second): (&Instance, &Instance)| {
        let mut case = setting.case(format!("{id}/{name}"));
        case.setup(a).setup(b).observing();
        for (process, instance) in [first, second].into_iter().enumerate() {
            case.start(process)
                .greet()
                .validate(instance)
                .evaluate(instance)
                .terminate();
        }
        case
    };
    let mut forward = in_turn("apart", (a, b));
    forward.member(Relation::ALONE, name, Role::Again);
    let mut reversed = in_turn("apart-reversed", (b, a));
    reversed
        .member(Relation::ORDER, name, Role::Again)
        .member(Relation::BETWEEN, &a.info.label, Role::Again)
        .member(Relation::RESTART, name, Role::Again);
    [forward.build(), reversed.build()]
}

/// Items without an attribute, or without a member of one: alone, and after a complete one. Each
/// runs in its own process.
fn less(setting: &Setting<'_>, whole: &Instance, second: &Instance) -> Vec<Case> {
    const MOST: usize = 3;
    let label = &whole.info.label;
    let here = scratch_dir(0);
    let mut touched = setting.knowledge.touched.iter();
    let mut own = touched.by_ref().filter(|(known, _)| known == label);
    if whole.identity == second.identity || !own.all(|(_, path)| within(path, here.as_bytes())) {
        return Vec::new();
    }
    let mut others = Vec::new();
    for (name, value) in &second.attributes {
        let field = String::from_utf8_lossy(name);
        if let Value::Object(members) = value
            && let Some((_, rest)) = members.split_first()
        {
            let words = format!("with less in \"{field}\"");
            let mut lacks = second.variant(Variation::Lacking, &field, ":member", words);
            lacks.set(&field, Value::Object(rest.to_vec()));
            others.push(lacks);
        }
        let words = format!("without \"{field}\"");
        let mut lacks = second.variant(Variation::Lacking, &field, "", words);
        lacks.attributes.retain(|(known, _)| known != name);
        others.push(lacks);
    }
    others.truncate(MOST);
    if second.attributes.len() < 2 && others.len() < 2 {
        return Vec::new();
    }
    [Role::Baseline, Role::Again, Role::After]
        .map(|role| {
            let mut case = setting.case(format!("lacking-{role}/{label}"));
            case.member(Relation::ALONE, &format!("{label}-lacking"), role.clone())
                .setup(whole)
                .setup(second)
                .observing();
            for (process, lacks) in others.iter().enumerate() {
                case.start(process).greet();
                if role == Role::After {
                    case.validate(whole).evaluate(whole);
                }
                case.validate(lacks).evaluate(lacks).terminate();
            }
            case.build()
        })
        .into()
}

/// Several processes at once, on different names.
fn concurrent(setting: &Setting<'_>, a: &Instance, b: &Instance, name: &str) -> Case {
    let mut case = setting.case(format!("concurrent/{name}"));
    case.member(Relation::RESTART, name, Role::Concurrent)
        .unpinned()
        .setup(a)
        .setup(b)
        .queued_fakes();
    case.start(0).start(1);
    case.with(0).greet().with(1).greet();
    let later = |send: &mut Send| send.answer = Answer::Later;
    for purpose in [Purpose::VALIDATE, Purpose::EVALUATE] {
        for (process, instance) in [(0, a), (1, b)] {
            case.with(process);
            match purpose {
                Purpose::VALIDATE => case.validate_with(Purpose::VALIDATE, instance, later),
                _ => case.evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, instance, later),
            };
        }
        case.step(Step::Await { process: 0 })
            .step(Step::Await { process: 1 });
    }
    case.with(0).terminate().with(1).terminate().build()
}

/// Starts a process, ends it, and starts another. What a subject tells of the state may depend on the process
/// that brought it about.
fn second_process(setting: &Setting<'_>, instance: &Instance) -> Case {
    let mut case = setting.case(format!("restarted/{}", instance.info.label));
    case.member(
        Relation::RESTART,
        &instance.info.label,
        Role::variant("restarted"),
    )
    .setup(instance)
    .open();
    let tells_state = setting.capabilities().tells == Tells::State;
    if tells_state {
        case.evaluate(instance);
    }
    case.terminate().start(1).greet().validate(instance);
    match tells_state {
        true => case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance),
        false => case.evaluate(instance),
    };
    case.terminate().build()
}

/// If a start takes longer than this, in microseconds, the interpreter is slow, and so is the whole
/// run.
const SLOW_START_US: u64 = 5_000;

/// Pauses after each answer, and for a long time after one of them. The long pause is shorter than
/// the other sessions take meanwhile, except in a deep run. The clock may move on to another second
/// between two evaluations.
fn paused(setting: &Setting<'_>, instance: &Instance, turn: usize, effort: Effort) -> Case {
    let is_slow = setting
        .knowledge
        .start_us
        .is_some_and(|us| us > SLOW_START_US);
    let long = match effort {
        Effort::Deep => 5_500_000,
        Effort::Normal if is_slow => 1_200_000,
        _ => 300_000,
    };
    let pause = |is_long| Step::Pause {
        us: if is_long { long } else { 50_000 },
    };
    let label = &instance.info.label;
    let mut case = setting.case(format!("quiet/{label}"));
    case.member(Relation::IDLE, label, Role::Later)
        .setup(instance)
        .open()
        .step(pause(turn == 1))
        .validate(instance)
        .step(pause(is_slow && turn < 2))
        .evaluate(instance);
    if instance.stays_kept() {
        case.step(pause(turn != 1)).evaluate_as(
            Purpose::EVALUATE.turn(2),
            Purpose::VALIDATE,
            instance,
        );
    }
    case.step(pause(false)).terminate().build()
}

/// An item without attributes, alone or after one with attributes.
fn bare_after(setting: &Setting<'_>, instance: &Instance, after: bool) -> Case {
    let bare = instance.without_attributes(Variation::Bare, "", "without attributes");
    let role = if after { Role::After } else { Role::Baseline };
    let label = &instance.info.label;
    let mut case = setting.case(format!("bare-{role}/{label}"));
    case.member(Relation::ALONE, &format!("{label}-bare"), role)
        .setup(instance)
        .open();
    if after {
        case.validate(instance);
    }
    case.validate(&bare).terminate().build()
}

/// Items that are probably invalid.
fn odd(setting: &Setting<'_>, instance: &Instance) -> Vec<Instance> {
    let words = "with an unknown attribute".to_owned();
    let mut unknown = instance.variant(Variation::Odd, "attributes", ":unknown", words);
    unknown.set("stickler_unknown", Value::text("x"));
    let mut odd = vec![unknown];
    if setting.sends_any_value() {
        for field in instance.text_fields() {
            let words = format!("\"{field}\" is a list");
            let mut list = instance.variant(Variation::List, &field, ":before", words);
            list.set(&field, Value::List(vec![Value::text("x")]));
            odd.push(list);
        }
    }
    odd.push(instance.without_attributes(Variation::Bare, ":before", "without any"));
    let mut empty = instance.altered(
        Variation::Empty,
        ":before",
        format!("no {}", instance.name_field()),
    );
    empty.set_name("");
    odd.push(empty);
    odd
}

/// An item after some that are probably invalid: what they left in the process must not show.
fn after_invalid(setting: &Setting<'_>, instance: &Instance) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("after-invalid/{label}"));
    case.member(Relation::ALONE, label, Role::After)
        .setup(instance)
        .open();
    let odd = odd(setting, instance);
    for turn in [1, 2] {
        for item in &odd {
            case.validate_as(Purpose::VALIDATE.nth(turn), item);
        }
    }
    case.validate(instance)
        .evaluate(instance)
        .terminate()
        .build()
}

/// The same invalid items between the validation of an item and its evaluation.
fn others_between(setting: &Setting<'_>, instance: &Instance) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("invalid-between/{label}"));
    case.member(Relation::BETWEEN, label, Role::Between)
        .setup(instance)
        .open()
        .validate(instance);
    for item in &odd(setting, instance) {
        case.validate(item);
    }
    case.evaluate(instance).terminate().build()
}

/// Several kinds in one process, compared with one process for each.
pub(super) fn types(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    let config = setting.config;
    if config.subject.kinds.len() < 2 {
        return Vec::new();
    }
    let mut of_type = Vec::new();
    for name in &config.subject.kinds {
        let index = config
            .examples
            .iter()
            .position(|example| example.kind.as_deref().unwrap_or(setting.usual_kind()) == name);
        if let Some(index) = index {
            of_type.push(setting.example(index, usize::from(!of_type.is_empty())));
        }
    }
    let [a, b, ..] = &of_type[..] else {
        return Vec::new();
    };
    let apart = |role: Role| {
        let mut case = setting.case(format!("types/{role}"));
        case.member(Relation::TYPES, "types", role)
            .setup(a)
            .setup(b)
            .open()
            .validate(a)
            .evaluate(a)
            .terminate()
            .start(1)
            .greet()
            .validate(b)
            .evaluate(b)
            .terminate()
            .build()
    };
    let mut interleaved = setting.case("types/interleaved");
    interleaved
        .member(Relation::TYPES, "types", Role::variant("interleaved"))
        .setup(a)
        .setup(b)
        .open()
        .validate(a)
        .validate(b)
        .evaluate(a)
        .evaluate(b)
        .terminate();
    vec![
        apart(Role::Baseline),
        apart(Role::Again),
        interleaved.build(),
    ]
}
