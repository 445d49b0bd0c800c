//! Many calls of one process.

use crate::requests::{get_all, open};
use puppet_protocol::purpose;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Setting};
use stickler_transcript::{Case, Step};

/// How many calls run between two samples of memory and descriptors.
const EVERY: usize = 100;
/// What takes longer than this, in microseconds, or starts commands, is called often only in deep runs.
const SLOW_US: u64 = 10_000;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Option<Case> {
    let calls = match effort {
        Effort::Quick => return None,
        Effort::Normal => 400,
        Effort::Deep => 1_000,
    };
    let item = subjects(setting, Effort::Quick).into_iter().next()?;
    let label = &item.info.label;
    let took = setting.knowledge.evaluation_of(label)?;
    let is_slow = took > SLOW_US || !setting.config.fakes.is_empty();
    if is_slow && effort != Effort::Deep {
        return None;
    }
    let mut case = setting.case(format!("growth/{label}"));
    case.setup(&item).open().evaluate(&item);
    open(&mut case, &item);
    for number in 0..calls {
        if number % EVERY == 0 {
            case.step(Step::Sample { process: 0 });
        }
        let send = get_all(&case, purpose::AGAIN.turn(number).of(label), &item);
        case.send(send);
    }
    Some(case.step(Step::Sample { process: 0 }).terminate().build())
}
