//! Many requests to one process.

use crate::capabilities::Tells;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use stickler_transcript::{Case, Drift, Purpose, Step, Variation};

/// How many requests run between two samples of memory and descriptors.
const EVERY: usize = 50;
/// The time that the requests may take, microseconds.
const BUDGET_US: u64 = 1_500_000;
/// What takes longer than this, in microseconds, is slow: many times would take minutes.
const SLOW_US: u64 = 10_000;
/// What takes longer than this, in microseconds, is too slow for many repairs.
const SLOWER_US: u64 = 100_000;
/// What takes longer than this, in microseconds, and longer than the subject's start, is too slow even for a few
/// times. On a busy machine all takes longer, a start too.
const TOO_SLOW_US: u64 = 250_000;

/// How long an evaluation must take to be too slow for a few times, microseconds.
fn too_slow(setting: &Setting<'_>) -> u64 {
    TOO_SLOW_US.max(setting.knowledge.start_us.unwrap_or(0))
}

/// Many items, where the subject tells whether they are valid.
pub(super) fn many_items(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    let subjects = subjects(setting, Effort::Quick);
    let Some(instance) = subjects.first() else {
        return Vec::new();
    };
    let quickest = setting.knowledge.quickest_us.get(&instance.info.label);
    let per_request = quickest.copied().unwrap_or(1_000).max(20);
    // A slow subject evaluates less often, and one that is too slow never.
    let every = if per_request < SLOW_US {
        Some(2)
    } else if per_request < SLOWER_US {
        Some(4)
    } else if per_request < too_slow(setting) {
        Some(8)
    } else {
        None
    };
    let requests = usize::try_from(BUDGET_US / per_request)
        .unwrap_or(1_000)
        .clamp(300, 1_000);
    let mut case = setting.case("growth");
    case.unpinned().setup(instance).open();
    case.validate(instance);
    if every.is_some() {
        case.evaluate(instance);
    }
    for n in (0..requests).step_by(2) {
        if n % EVERY == 0 {
            case.step(Step::Sample { process: 0 });
        }
        let mut other = instance.altered(Variation::Growth, "", "many names".into());
        let more = format!("-{n:06}-{}", "x".repeat(120));
        other.set_name([other.name(), more.as_bytes()].concat());
        case.validate(&other);
        match every {
            Some(every) if n % (2 * every) == 0 && setting.knowledge.dry => {
                // This item is not kept, so there is something to warn about.
                case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &other.looked_at())
            }
            Some(every) if n % every == 0 => case.evaluate(instance),
            _ => case.validate(&other),
        };
    }
    case.step(Step::Sample { process: 0 });
    // After all that, the first question must get its first answer, however often it is repeated.
    for time in 2..10 {
        case.validate_as(Purpose::VALIDATE.turn(time), instance);
    }
    let mut cases = vec![case.terminate().build()];
    let undone = setting.knowledge.undone.get(&instance.info.label);
    if let Some(undone) = undone.filter(|_| every.is_some_and(|every| every < 8)) {
        cases.push(repairs(setting, instance, requests, undone));
    }
    cases
}

/// One item, undone and repaired again and again. In a session of its own: after many other requests, too few of these
/// would come to show that growth goes on, and what comes first in a session would hide it.
fn repairs(setting: &Setting<'_>, instance: &Instance, requests: usize, undone: &[Drift]) -> Case {
    let mut case = setting.case("growth-repairs");
    case.unpinned()
        .setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance);
    for n in 0..requests {
        if n % EVERY == 0 {
            case.step(Step::Sample { process: 0 });
        }
        match n % 4 {
            0 => case.drifts(undone).evaluate(instance),
            _ => case.validate_as(Purpose::VALIDATE.turn(n + 2), instance),
        };
    }
    case.step(Step::Sample { process: 0 });
    case.terminate().build()
}

/// One item, evaluated once. Then its state is read many times, or, if the subject tells no state, it is
/// evaluated many times.
pub(super) fn one_item(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, Effort::Quick);
    let took = |label: &str| setting.knowledge.quickest_us.get(label);
    let Some((item, &took)) = items
        .first()
        .and_then(|item| Some((item, took(&item.info.label)?)))
    else {
        return Vec::new();
    };
    let (requests, patient) = match effort {
        Effort::Deep => (1_000, true),
        Effort::Quick | Effort::Normal => (400, false),
    };
    let tells = setting.capabilities().tells;
    let most = match tells {
        Tells::Nothing => SLOW_US,
        // It is evaluated once, and read from then on.
        Tells::State | Tells::Validity => SLOWER_US,
    };
    let is_slow = took > most || !setting.config.fakes.is_empty();
    if is_slow && !patient {
        return Vec::new();
    }
    let mut case = setting.case(format!("growth/{}", item.info.label));
    case.unpinned().setup(item).open().evaluate(item);
    for turn in 2..requests + 2 {
        if turn % EVERY == 2 {
            case.step(Step::Sample { process: 0 });
        }
        match tells {
            Tells::Nothing => {
                case.evaluate_as(Purpose::EVALUATE.turn(turn), Purpose::VALIDATE, item)
            }
            Tells::State | Tells::Validity => case.validate_as(Purpose::VALIDATE.turn(turn), item),
        };
    }
    vec![case.step(Step::Sample { process: 0 }).terminate().build()]
}
