//! Kills, failing calls and commands, targets that refuse writes, and files that may not be read.

use crate::builder::PATH;
use crate::capabilities::Tells;
use crate::effort::Effort;
use crate::instance::{Instance, SCRATCH};
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use stickler_transcript::{
    AtWrite, Bytes, Case, Drift, Protection, Purpose, Relation, Role, Step, Target, Variation,
};

/// The examples whose target refuses writes, or whose file may not be read.
pub(super) fn refusing_targets(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let made = setting.knowledge.made_by(&instance.info.label);
        if !made.is_empty() {
            cases.extend(unreadable(setting, &instance, &made));
        }
        if !made.is_empty() && setting.targets {
            cases.extend(protected(setting, &instance));
            cases.push(full_beside_old(setting, &instance, &made));
        }
    }
    cases
}

/// The examples, each killed at some moments.
pub(super) fn kills(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.flat_map(|instance| killed(setting, &instance, effort))
        .collect()
}

/// The examples, each with one call that fails.
pub(super) fn failing_calls(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.flat_map(|instance| failing_writes(setting, &instance, effort))
        .collect()
}

/// The examples, each with commands that fail.
pub(super) fn failing_commands(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    // Stand-ins count their calls outside the scratch directory: only some sandboxes isolate that.
    if setting.config.fakes.is_empty() || !setting.targets {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        if setting.knowledge.repaired.contains(&instance.info.label) {
            cases.extend(failing(setting, &instance));
            cases.extend(failing_once(setting, &instance, effort));
        }
        // Who reads the state in a message of its own is asked for it elsewhere.
        if setting.capabilities().tells != Tells::State {
            cases.extend(asked(setting, &instance));
        }
    }
    cases
}

/// Counts how often each example changes files, without killing it.
pub(super) fn counted(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    (0..setting.config.examples.len())
        .map(|index| {
            let instance = setting.example(index, 0);
            let mut case = setting.case(format!("count/{}", instance.info.label));
            case.setup(&instance)
                .open()
                .validate_as(Purpose::DISTURBED_VALIDATE, &instance)
                .evaluate_with(
                    Purpose::COUNTED,
                    Purpose::DISTURBED_VALIDATE,
                    &instance,
                    |send| {
                        send.at_write = Some(AtWrite::Count);
                    },
                )
                .terminate()
                .build()
        })
        .collect()
}

/// Counts how often each example calls the author's stand-ins for commands, which work.
pub(super) fn called(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    if setting.config.fakes.is_empty() || !setting.targets {
        return Vec::new();
    }
    (0..setting.config.examples.len())
        .map(|index| {
            let instance = setting.example(index, 0);
            let mut case = setting.case(format!("calls/{}", instance.info.label));
            case.setup(&instance)
                .fail_fakes(1_000_000, 1)
                .observing()
                .open()
                .validate_as(Purpose::DISTURBED_VALIDATE, &instance)
                .evaluate_as(Purpose::COUNTED, Purpose::DISTURBED_VALIDATE, &instance)
                .terminate()
                .build()
        })
        .collect()
}

/// When a process is killed.
enum Moment {
    AfterHeader,
    AfterValidation,
    /// This many microseconds after the start of an evaluation.
    After(u64),
    /// Before the n-th of all calls of an evaluation that change files.
    Write(u32, u32),
}

/// The moments for an example: before its writes, if they can be counted, and by the clock, for
/// examples whose changes are not counted.
fn moments(setting: &Setting<'_>, label: &str, effort: Effort) -> Vec<Moment> {
    let took = setting.knowledge.evaluation_of(label).unwrap_or(2_000);
    let writes = setting.knowledge.writes.get(label).copied().unwrap_or(0);
    let (points, most) = match (effort, writes) {
        (Effort::Quick, 0) => (2, 0),
        (Effort::Quick, _) => (0, 2),
        (Effort::Normal, 0) => (6, 0),
        (Effort::Normal, _) => (2, 10),
        (Effort::Deep, _) => (60, 200),
    };
    // From the very beginning to shortly before the usual end.
    let clock = (0..points).map(|point| Moment::After(took * (2 * point + 1) / (2 * points)));
    [Moment::AfterHeader, Moment::AfterValidation]
        .into_iter()
        .chain(clock)
        .chain(spread(writes, most).map(|write| Moment::Write(write, writes)))
        .collect()
}

/// At most `most` numbers from 1 to `all`: the first, the last, and others evenly spaced.
fn spread(all: u32, most: u32) -> impl Iterator<Item = u32> {
    let count = all.min(most);
    (0..count).map(move |point| 1 + point * (all - 1) / (count.max(2) - 1))
}

/// One of the calls that change files fails.
fn failing_writes(setting: &Setting<'_>, instance: &Instance, effort: Effort) -> Vec<Case> {
    let label = &instance.info.label;
    if !setting.knowledge.repaired.contains(label) {
        return Vec::new();
    }
    let writes = setting.knowledge.writes.get(label).copied().unwrap_or(0);
    let most = match effort {
        Effort::Quick => 1,
        Effort::Normal => 16,
        Effort::Deep => 200,
    };
    spread(writes, most)
        .map(|write| {
            let mut case = setting.case(format!("write/{label}/{write}"));
            case.member(
                Relation::WRITE,
                label,
                Role::variant(&format!("write {write} of {writes} fails")),
            )
            .setup(instance)
            .observing()
            .observe("setup")
            .open()
            .validate(instance)
            .evaluate_with(Purpose::EVALUATE, Purpose::VALIDATE, instance, |send| {
                send.at_write = Some(AtWrite::Fail(write));
            })
            .evaluate_as(Purpose::AFTER, Purpose::VALIDATE, instance)
            .terminate()
            .build()
        })
        .collect()
}

/// Kills the process at some moment; a fresh process must finish the work.
fn killed(setting: &Setting<'_>, instance: &Instance, effort: Effort) -> Vec<Case> {
    let label = &instance.info.label;
    let moments = moments(setting, label, effort).into_iter().enumerate();
    moments
        // Without a validation, this would be the moment before.
        .filter(|(_, moment)| {
            let validates = setting.capabilities().tells != Tells::Nothing;
            validates || !matches!(moment, Moment::AfterValidation)
        })
        .map(|(number, moment)| {
            let role = match moment {
                Moment::AfterHeader => "after header".to_owned(),
                Moment::AfterValidation => "after validation".to_owned(),
                Moment::After(us) => format!("{us} µs into evaluation"),
                Moment::Write(write, all) => format!("before write {write} of {all}"),
            };
            let mut case = setting.case(format!("kill/{label}/{number}"));
            case.member(Relation::KILL, label, Role::variant(&role))
                .setup(instance)
                .observe("setup")
                .open();
            if !matches!(moment, Moment::AfterHeader) {
                case.validate_as(Purpose::DISTURBED_VALIDATE, instance);
            }
            let (kill_after_us, at_write) = match moment {
                Moment::After(us) => (Some(us), None),
                Moment::Write(write, _) => (None, Some(AtWrite::Kill(write))),
                Moment::AfterHeader | Moment::AfterValidation => (None, None),
            };
            if kill_after_us.is_some() || at_write.is_some() {
                case.observe("validated").evaluate_with(
                    Purpose::KILLED,
                    Purpose::DISTURBED_VALIDATE,
                    instance,
                    |send| {
                        send.kill_after_us = kill_after_us;
                        send.at_write = at_write;
                    },
                );
            }
            // What is left now explains what a second run meets.
            case.step(Step::Kill { process: 0 })
                .observe("killed")
                .start(1)
                .greet()
                .validate(instance)
                .evaluate(instance)
                .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance)
                // As often as in the undisturbed run.
                .evaluate_as(Purpose::EVALUATE.turn(3), Purpose::VALIDATE, instance)
                .terminate()
                .build()
        })
        .collect()
}

/// So many calls of stand-ins an evaluation makes if they could not be counted.
const FAILING: u32 = 6;

/// After how many of `all` calls stand-ins begin to fail: each number if there are few. Else the first,
/// the last, among which are those that change something, and some between.
fn ending(all: u32) -> Vec<u32> {
    const FIRST: u32 = 4;
    const LAST: u32 = 6;
    if all <= FIRST + LAST + 2 {
        return (0..all).collect();
    }
    let between = spread(all - FIRST - LAST, 4).map(|one| FIRST - 1 + one);
    let mut chosen: Vec<u32> = (0..FIRST).chain(between).chain(all - LAST..all).collect();
    chosen.dedup();
    chosen
}

/// The author's stand-ins for commands work for some calls, and then fail.
fn failing(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    let label = &instance.info.label;
    let known = setting.knowledge;
    // Many commands answer "no" with 1; the shell reports a missing command with 127.
    let not_there = (0..2_u32).map(|works| (works, 127));
    let called = known.calls.get(label).copied().unwrap_or(FAILING);
    let no = ending(called).into_iter().map(|works| (works, 1));
    let case = |(works, code)| {
        let words = format!("whose commands exit with {code} after {works} calls");
        let suffix = format!(":{works}:{code}");
        let changed = instance.altered(Variation::Commands, &suffix, words);
        let mut case = setting.case(format!("commands/{label}/{works}/{code}"));
        case.member(
            Relation::COMMANDS,
            label,
            Role::variant(&format!("{code} after {works} calls")),
        )
        .setup(&changed)
        .fail_fakes(works as usize, code)
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed)
        .mend_fakes();
        // What an example does each time tells nothing about an earlier failure.
        if instance.stays_kept() {
            case.evaluate_as(Purpose::AFTER, Purpose::VALIDATE, &changed);
        }
        case.terminate().build()
    };
    let fails = not_there.chain(no).map(case);
    fails.chain(absent(setting, instance)).collect()
}

/// With this code, a command says that it is broken. Many answer "no" with 1.
const BROKEN: u8 = 70;
/// How many calls of stand-ins fail alone.
const ALONE: u32 = 3;

/// A single call of the author's stand-ins fails, and all others work.
fn failing_once(setting: &Setting<'_>, instance: &Instance, effort: Effort) -> Vec<Case> {
    let label = &instance.info.label;
    let called = setting.knowledge.calls.get(label).copied();
    // If there is one call, others fail with it.
    let called = called.unwrap_or(FAILING);
    let most = match effort {
        Effort::Quick => 1,
        Effort::Normal => ALONE,
        Effort::Deep => 20,
    };
    // What comes last changes something, and what comes first asks.
    let calls = (0..called).rev().take(most as usize);
    calls
        .map(|works| {
            let words = format!("one of whose commands exits with {BROKEN} after {works} calls");
            let changed = instance.altered(Variation::Commands, &format!(":one:{works}"), words);
            let mut case = setting.case(format!("commands/{label}/one/{works}"));
            case.member(
                Relation::COMMANDS,
                label,
                Role::variant(&format!("one after {works} calls")),
            )
            .setup(&changed)
            .fail_one_fake(works as usize, BROKEN, false)
            .observing()
            .open()
            .validate(&changed)
            .evaluate(&changed)
            .mend_fakes();
            if instance.stays_kept() {
                case.evaluate_as(Purpose::AFTER, Purpose::VALIDATE, &changed);
            }
            case.terminate().build()
        })
        .collect()
}

/// Once all is right, one command after the other that tells what there is fails.
fn asked(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let called = setting.knowledge.calls.get(label).copied();
    let called = called.unwrap_or(FAILING).min(ALONE);
    if called == 0 || !instance.stays_kept() {
        return None;
    }
    let words = format!("one of whose questions is answered with exit code {BROKEN} alone");
    let changed = instance.altered(Variation::Commands, ":asked", words);
    let mut case = setting.case(format!("commands/{label}/asked"));
    case.member(Relation::COMMANDS, label, Role::variant("asked"))
        .setup(&changed)
        .fail_one_fake(1_000_000, BROKEN, true)
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed);
    for works in 0..called {
        let key = Purpose::ASKED.turn(works as usize);
        case.fail_call(works as usize)
            .evaluate_as(key, Purpose::VALIDATE, &changed);
    }
    Some(case.terminate().build())
}

/// The commands with stand-ins are missing altogether, if the machine has none of these names.
fn absent(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let names = setting.config.fakes.iter().map(|(name, _)| name);
    let on_machine = |name: &String| {
        let mut folders = std::env::split_paths(PATH);
        folders.any(|folder| folder.join(name).exists())
    };
    if names.clone().any(on_machine) {
        return None;
    }
    let label = &instance.info.label;
    let words = "whose commands are missing".to_owned();
    let changed = instance.altered(Variation::Commands, ":absent", words);
    let planted = names.map(|name| format!("{SCRATCH}/bin/{name}").into());
    let remove = ["rm", "-f", "--"].map(Bytes::from).into_iter();
    let mut case = setting.case(format!("commands/{label}/absent"));
    case.member(Relation::COMMANDS, label, Role::Absent)
        .setup(&changed)
        .run(remove.chain(planted).collect())
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed)
        .terminate();
    Some(case.build())
}

/// The scratch directory refuses writes.
fn protected(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    [
        ("read_only", Protection::ReadOnly, Target::Separate),
        ("full", Protection::Full, Target::Small),
        ("forbidden", Protection::Forbidden, Target::Separate),
    ]
    .into_iter()
    .map(|(role, how, target)| {
        let mut case = setting.case(format!("protect-{role}/{}", instance.info.label));
        case.member(Relation::PROTECT, &instance.info.label, Role::variant(role))
            .target(target)
            .setup(instance)
            .surroundings(|command| command.unprivileged = how == Protection::Forbidden)
            .observing()
            .observe("setup")
            .protect(how)
            .open()
            .validate(instance)
            .evaluate(instance)
            .terminate()
            .build()
    })
    .collect()
}

/// No space is left, and the item's file already exists.
fn full_beside_old(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("protect-full-old/{label}"));
    case.member(Relation::PROTECT, label, Role::FullOld)
        .target(Target::Small)
        .setup(instance)
        .drift(Drift::Write {
            path: Bytes::from(instance.file_among(made)),
            content: vec![0; 18].into(),
        })
        .observing()
        .observe("setup")
        .protect(Protection::Full)
        .open()
        .validate(instance)
        .evaluate(instance)
        .terminate()
        .build()
}

/// The item's file exists and may not be read; before, the same file when it may be read.
fn unreadable(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> [Case; 2] {
    let file = instance.file_among(made);
    let words = "whose file exists".to_owned();
    let mut changed = instance.altered(Variation::Drifted, ":input-old", words);
    let script = "[ -e \"$1\" ] || printf 'stickler was here\\n' 2>/dev/null >\"$1\" || :";
    let script = ["sh", "-c", script, "sh"].into_iter().map(Bytes::from);
    changed.setup.push(script.chain([file.into()]).collect());
    [
        ("old", Role::Baseline, None),
        ("unreadable", Role::Unreadable, Some(0)),
    ]
    .map(|(id, role, mode)| {
        let label = &instance.info.label;
        let mut case = setting.case(format!("{id}/{label}"));
        case.member(Relation::PROTECT, &format!("unreadable/{label}"), role)
            .setup(&changed)
            .surroundings(|command| command.unprivileged = true);
        if let Some(mode) = mode {
            case.drift(Drift::Mode {
                path: file.into(),
                mode,
            });
        }
        case.observing()
            .observe("setup")
            .open()
            .validate(&changed)
            .evaluate(&changed)
            .terminate()
            .build()
    })
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn the_first_and_the_last_calls_fail() {
        assert_eq!(ending(3), [0, 1, 2]);
        assert_eq!(ending(12), (0..12).collect::<Vec<_>>());
        let many = ending(40);
        assert_eq!(many[..4], [0, 1, 2, 3]);
        assert_eq!(many[many.len() - 6..], [34, 35, 36, 37, 38, 39]);
        assert!(many.is_sorted() && many.len() < 15, "{many:?}");
    }
}
