//! Each command of `drift` by itself, once the example holds: what the author says of it has to be so.

use super::watch::declared;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting, Spoil};
use stickler_transcript::{Bytes, Case, Purpose, Step};

/// How long the world may go on changing after a command, in microseconds: a process that was killed ends later.
pub(super) const SETTLING: u64 = 100_000;

pub(super) fn cases(setting: &Setting<'_>) -> Vec<Case> {
    let items = subjects(setting, Effort::Normal);
    let items = items.iter().filter(|item| item.info.original);
    let each = items.flat_map(|item| {
        let commands = declared(setting, item, 0).into_iter().enumerate();
        commands.map(|(at, command)| one(setting, item, at, &command))
    });
    each.collect()
}

fn one(setting: &Setting<'_>, item: &Instance, at: usize, command: &[Bytes]) -> Case {
    let mut case = setting.case(format!("spoilt/{}-{}", item.info.label, at + 1));
    case.setup(item).observing().open().validate(item);
    case.evaluate(item);
    for turn in [2, 3] {
        if turn == 3 {
            case.spoil(&Spoil::Command(command.to_owned()), true)
                .step(Step::Pause { us: SETTLING })
                .observe("drift");
            // A look repairs nothing, whatever is wrong.
            case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &item.looked_at());
        }
        case.evaluate_as(Purpose::EVALUATE.turn(turn), Purpose::VALIDATE, item);
    }
    case.terminate().build()
}
