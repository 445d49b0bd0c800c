//! Kills, targets that refuse writes, files changed from outside.

use crate::builder::{CaseBuilder, PATH, Setting};
use crate::instance::{Instance, SCRATCH};
use crate::plans::near::next;
use crate::plans::policy::with_policy;
use crate::plans::rivals::rivals;
use crate::plans::subjects;
use crate::run::Effort;
use stickler_transcript::{AtWrite, Bytes, Case, Drift, Protection, Send, Step, Target};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if setting.config.examples.is_empty() || !setting.sandboxed {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for instance in subjects(setting, effort) {
        let label = &instance.info.label;
        if !setting.knowledge.valid.contains(label) {
            continue;
        }
        cases.extend(bare(setting, &instance));
        cases.extend(failing(setting, &instance));
        cases.extend(killed(setting, &instance, effort));
        cases.extend(failing_writes(setting, &instance, effort));
        cases.extend(undone(setting, &instance));
        let links = in_scratch(&setting.knowledge.links, label);
        if !links.is_empty() {
            cases.push(led_elsewhere(setting, &instance, &links));
        }
        let made = setting.knowledge.made_by(label);
        let made: Vec<&[u8]> = made.iter().map(|path| &path[..]).collect();
        let places = if made.is_empty() { &links } else { &made };
        if !places.is_empty() {
            cases.push(blocked(setting, &instance, places));
        }
        let directories = in_scratch(&setting.knowledge.directories, label);
        cases.extend(warned_of(setting, &instance, &made, &directories));
        cases.extend(warned_of_each(setting, &instance));
        cases.extend(warned_of_edits(setting, &instance));
        if made.is_empty() {
            continue;
        }
        if setting.targets {
            cases.extend(protected(setting, &instance));
            cases.push(full_beside_old(setting, &instance, &made));
        }
        cases.extend(drifted(setting, &instance, &made));
        cases.push(unusual(setting, &instance, &made));
        cases.push(unended(setting, &instance, &made));
    }
    cases
}

fn instance_dir() -> Vec<u8> {
    crate::instance::scratch_dir(0).into_bytes()
}

/// What an example made in the first scratch directory.
fn in_scratch<'k>(made: &'k [(String, Vec<u8>)], label: &str) -> Vec<&'k [u8]> {
    made.iter()
        .filter(|(known, path)| known == label && path.starts_with(&instance_dir()))
        .map(|(_, path)| &path[..])
        .collect()
}

/// How often does each example change files? Nobody is killed yet.
pub(super) fn counted(setting: &Setting<'_>) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    (0..setting.config.examples.len())
        .map(|index| {
            let instance = setting.example(index, 0);
            let mut case = setting.case(format!("count/{}", instance.info.label));
            case.setup(&instance).open().validate_as("kv", &instance);
            let send = Send {
                at_write: Some(AtWrite::Count),
                ..case.evaluation("kc", "kv", &instance)
            };
            case.send(send).terminate().build()
        })
        .collect()
}

/// When a process is killed.
enum Moment {
    AfterHeader,
    AfterValidation,
    /// So many microseconds into an evaluation.
    After(u64),
    /// Before this one of so many calls of an evaluation that change files.
    Write(u32, u32),
}

/// The moments of an example: before its writes where they can be counted, and by
/// the clock, for what changes nothing that is counted.
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
    // From the very beginning to a little before the usual end.
    let clock = (0..points).map(|point| Moment::After(took * (2 * point + 1) / (2 * points)));
    [Moment::AfterHeader, Moment::AfterValidation]
        .into_iter()
        .chain(clock)
        .chain(spread(writes, most).map(|write| Moment::Write(write, writes)))
        .collect()
}

/// At most so many numbers of 1 to `all`: the first, the last, and as evenly as can
/// be between them.
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
            case.member("write", label, &format!("write {write} of {writes} fails"))
                .setup(instance)
                .observing()
                .observe("setup")
                .open()
                .validate(instance);
            let send = Send {
                at_write: Some(AtWrite::Fail(write)),
                ..case.evaluation("e", "v", instance)
            };
            case.send(send).terminate().build()
        })
        .collect()
}

/// Killed somewhere; then a fresh process has to finish the work.
fn killed(setting: &Setting<'_>, instance: &Instance, effort: Effort) -> Vec<Case> {
    let label = &instance.info.label;
    moments(setting, label, effort)
        .into_iter()
        .enumerate()
        .map(|(number, moment)| {
            let role = match moment {
                Moment::AfterHeader => "after header".to_owned(),
                Moment::AfterValidation => "after validation".to_owned(),
                Moment::After(us) => format!("{us} µs into evaluation"),
                Moment::Write(write, all) => format!("before write {write} of {all}"),
            };
            let mut case = setting.case(format!("kill/{label}/{number}"));
            case.member("kill", label, &role)
                .setup(instance)
                .observe("setup")
                .open();
            if !matches!(moment, Moment::AfterHeader) {
                case.validate_as("kv", instance);
            }
            let (kill_after_us, at_write) = match moment {
                Moment::After(us) => (Some(us), None),
                Moment::Write(write, _) => (None, Some(AtWrite::Kill(write))),
                Moment::AfterHeader | Moment::AfterValidation => (None, None),
            };
            if kill_after_us.is_some() || at_write.is_some() {
                let send = Send {
                    kill_after_us,
                    at_write,
                    ..case.evaluation("ke", "kv", instance)
                };
                case.send(send);
            }
            case.step(Step::Kill { process: 0 })
                .start(1)
                .header()
                .validate(instance)
                .evaluate(instance)
                .evaluate_as("e2", "v", instance)
                // As often as the undisturbed run.
                .evaluate_as("e3", "v", instance)
                .terminate()
                .build()
        })
        .collect()
}

/// Validated where nothing that the setup lays out is there yet.
fn bare(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    if instance.setup.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("bare/{label}"));
    case.member("bare", label, "without its setup")
        .open()
        .validate(instance)
        .terminate();
    Some(case.build())
}

/// The commands that the author stands in for work some times, and then fail.
fn failing(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    let label = &instance.info.label;
    let known = setting.knowledge;
    // Where effects are read, the counter must not be one.
    if setting.config.fakes.is_empty() || !setting.targets || !known.repaired.contains(label) {
        return Vec::new();
    }
    // With 1 many commands say no; with 127 they are not there.
    let not_there = (0..2).map(|works| (works, 127));
    let no = (0..6).map(|works| (works, 1));
    let case = |(works, code)| {
        let words = format!("whose commands exit with {code} after {works} calls");
        let suffix = format!(":{works}:{code}");
        let changed = instance.variant("commands", "promiser", &suffix, words);
        let mut case = setting.case(format!("commands/{label}/{works}/{code}"));
        case.member("commands", label, &format!("{code} after {works} calls"))
            .setup(&changed)
            .fail_fakes(works, code)
            .observing()
            .open()
            .validate(&changed)
            .evaluate(&changed)
            .terminate()
            .build()
    };
    let fails = not_there.chain(no).map(case);
    fails.chain(absent(setting, instance)).collect()
}

/// The commands that the author stands in for are not there at all, as far as the machine
/// itself has none of these names.
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
    let words = "whose commands are not there".to_owned();
    let changed = instance.variant("commands", "promiser", ":absent", words);
    let planted = names.map(|name| format!("{SCRATCH}/bin/{name}").into());
    let remove = ["rm", "-f", "--"].map(Bytes::from).into_iter();
    let mut case = setting.case(format!("commands/{label}/absent"));
    case.member("commands", label, "absent")
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
        case.member("protect", &instance.info.label, role)
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

/// No space is left, and where the promise makes its file there is one already.
fn full_beside_old(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("protect-full-old/{label}"));
    case.member("protect", label, "full-old")
        .target(Target::Small)
        .setup(instance)
        .drift(Drift::Write {
            path: Bytes::from(its_file(instance, made)),
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

/// The file that a promise is about: its promiser, one that has a name of the promise's, or the
/// first that it made.
pub(super) fn its_file<'f>(instance: &Instance, made: &[&'f [u8]]) -> &'f [u8] {
    let is_named = |path: &&&[u8]| {
        let name = path.rsplit(|byte| *byte == b'/').next();
        let mut fields = instance.text_fields().into_iter();
        let in_field =
            |field: String| name.is_some_and(|name| instance.words(&field).contains(&name));
        instance.promiser.ends_with(name.unwrap_or(path)) || fields.any(in_field)
    };
    made.iter()
        .find(|path| **path == instance.promiser)
        .or(made.iter().find(is_named))
        .or(made.first())
        .copied()
        .unwrap_or_default()
}

/// A file, or else a directory, is changed from outside in one thing after the other,
/// warned of, and mended.
fn warned_of(
    setting: &Setting<'_>,
    instance: &Instance,
    files: &[&[u8]],
    directories: &[&[u8]],
) -> Option<Case> {
    let known = setting.knowledge;
    let label = &instance.info.label;
    let none = files.is_empty() && directories.is_empty();
    if none || !known.action_policy || !known.repaired.contains(label) {
        return None;
    }
    let is_file = !files.is_empty();
    let made = if is_file { files } else { directories };
    let path = || Bytes::from(its_file(instance, made));
    let warned = with_policy(instance, "warn");
    let mut case = setting.case(format!("warn-drift/{label}"));
    case.setup(instance)
        .open()
        .validate_as("wv", &warned)
        .validate(instance)
        .evaluate(instance);
    let mode = Drift::Mode {
        path: path(),
        mode: if is_file { 0o604 } else { 0o705 },
    };
    let content = [
        Drift::Write {
            path: path(),
            content: "stickler was here\n".into(),
        },
        Drift::Write {
            path: path(),
            content: of_its_length(setting, label, its_file(instance, made)),
        },
        Drift::Remove { path: path() },
    ];
    let content = content.into_iter().filter(|_| is_file);
    for (number, drift) in std::iter::once(mode).chain(content).enumerate() {
        case.drift(drift)
            .evaluate_as(&format!("warned{number}"), "wv", &warned)
            .evaluate_as(&format!("mended{number}"), "v", instance);
    }
    Some(case.terminate().build())
}

/// Of what an evaluation did, one thing after the other is taken back from outside, warned of,
/// and mended.
fn warned_of_each(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    const MOST: usize = 4;
    let known = setting.knowledge;
    let label = &instance.info.label;
    let drifts = known.undone.get(label)?;
    let things: Vec<&[Drift]> = drifts
        .chunk_by(|one, next| one.path() == next.path())
        .collect();
    if things.len() < 2 || !known.action_policy {
        return None;
    }
    let warned = with_policy(instance, "warn");
    let mut case = setting.case(format!("warn-undone/{label}"));
    case.setup(instance)
        .open()
        .validate_as("wv", &warned)
        .validate(instance)
        .evaluate(instance);
    for (number, thing) in things.into_iter().take(MOST).enumerate() {
        case.drifts(thing)
            .evaluate_as(&format!("warned{number}"), "wv", &warned)
            .evaluate_as(&format!("mended{number}"), "v", instance);
    }
    Some(case.terminate().build())
}

/// A promise that was repaired is edited in one attribute after the other, warned of, and
/// evaluated.
fn warned_of_edits(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    const MOST: usize = 6;
    let known = setting.knowledge;
    let label = &instance.info.label;
    if !known.action_policy || !known.repaired.contains(label) || instance.attributes.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("warn-edited/{label}"));
    case.setup(instance)
        .open()
        .validate(instance)
        .evaluate(instance);
    for (number, edited) in rivals(instance).into_iter().take(MOST).enumerate() {
        let warned = with_policy(&edited, "warn");
        case.validate_as("wv", &warned)
            .evaluate_as(&format!("warned{number}"), "wv", &warned)
            .validate(&edited)
            .evaluate_as(&format!("mended{number}"), "v", &edited)
            .evaluate_as(&format!("back{number}"), "v", instance);
    }
    Some(case.terminate().build())
}

/// A foreign text, as long as what the promise wrote where that is known. Its numbers stay:
/// they have an order, in which another may do as well.
fn of_its_length(setting: &Setting<'_>, label: &str, file: &[u8]) -> Bytes {
    let known = &setting.knowledge.contents;
    let own = known.get(&(label.to_owned(), file.to_vec()));
    let other = |byte: &u8| match byte {
        b'0'..=b'9' => *byte,
        letter => next(*letter),
    };
    own.map(|own| (own, own.iter().map(other).collect::<Vec<u8>>().into()))
        .filter(|(own, other)| *own != other)
        .map_or_else(|| "stickler was here again\n".into(), |(_, other)| other)
}

/// What the setup laid out keeps its content, and gets an unusual mode and owner:
/// foreign content is no INI or JSON, and a module may refuse it.
fn unusual(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let mut case = setting.case(format!("unusual/{}", instance.info.label));
    case.setup(instance);
    for file in made {
        mode_and_owner(&mut case, file, 0o624);
    }
    case.observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    mode_then_owner(&mut case, its_file(instance, made), instance, ["e2", "e3"]);
    case.terminate().build()
}

/// What an evaluation did is taken back from outside: the promise is to be repaired
/// again, by the process that did so before as well as by a fresh one.
fn undone(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    let words = "undone from outside".to_owned();
    let changed = instance.variant("undone", "promiser", "", words);
    let mut case = setting.case(format!("undone/{label}"));
    let take_back = |case: &mut CaseBuilder<'_>| {
        case.drifts(drifts).observe("undone");
    };
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    if instance.stays_kept() {
        // Then it is known to be as promised.
        case.evaluate_as("e2", "v", instance);
    }
    take_back(&mut case);
    case.validate(&changed).evaluate(&changed).terminate();
    let fresh = instance.variant(
        "undone",
        "promiser",
        ":fresh",
        "in a fresh process".to_owned(),
    );
    let case = case.start(1).header().validate(&fresh).evaluate(&fresh);
    Some(case.terminate().build())
}

/// A directory stands where the promise makes its file.
fn blocked(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "with a directory in the place of its file";
    let script = "rm -rf -- \"$1\" && mkdir -p -- \"$1\" && : > \"$1/kept\"";
    in_the_way(setting, instance, made, ("blocked", words, script))
}

/// Where the promise makes its link, one leads to a directory already.
fn led_elsewhere(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "with a link to a directory in the place of its own";
    let script = "rm -rf -- \"$1\" && mkdir -p -- \"$1.other\" && ln -s -- \"$1.other\" \"$1\"";
    in_the_way(setting, instance, made, ("elsewhere", words, script))
}

/// What its file holds already has no newline at the end: what is added makes a line of its
/// own all the same.
fn unended(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "where its file has a last line without a newline";
    let script = "if [ -s \"$1\" ]; then tail -c 1 -- \"$1\" | grep -q . || truncate -s -1 -- \"$1\"; \
                  else printf 'stickler was here' 2>/dev/null >\"$1\" || :; fi";
    in_the_way(setting, instance, made, ("unended", words, script))
}

/// A script puts something where the promise makes its own. Evaluated, and again where
/// the author expects that nothing is left to do then.
fn in_the_way(
    setting: &Setting<'_>,
    instance: &Instance,
    made: &[&[u8]],
    (id, words, script): (&str, &str, &str),
) -> Case {
    let mut changed = instance.variant(id, "promiser", "", words.to_owned());
    changed.setup.push(shell(script, its_file(instance, made)));
    let mut case = setting.case(format!("{id}/{}", instance.info.label));
    case.setup(&changed)
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed);
    if instance.stays_kept() {
        case.evaluate_as("e2", "v", &changed);
    }
    case.terminate().build()
}

/// A command that gives a script a path.
fn shell(script: &str, path: &[u8]) -> Vec<Bytes> {
    ["sh", "-c", script, "sh"]
        .into_iter()
        .map(Bytes::from)
        .chain([Bytes::from(path)])
        .collect()
}

/// A file that the promise made gets foreign content, an unusual mode and
/// another owner; the promise has to be repaired without touching the latter.
fn drifted(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Option<Case> {
    let label = &instance.info.label;
    if !setting.knowledge.repaired.contains(label) {
        return None;
    }
    let file = its_file(instance, made);
    let path = || Bytes::from(file);
    let mut case = setting.case(format!("drift/{label}"));
    case.member("drift", label, "drift")
        .setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance)
        .drift(Drift::Write {
            path: path(),
            content: "stickler was here\n".into(),
        });
    mode_and_owner(&mut case, file, 0o624);
    case.observe("drift")
        .evaluate_as("e2", "v", instance)
        .evaluate_as("e3", "v", instance)
        .drift(Drift::Write {
            path: path(),
            content: of_its_length(setting, label, file),
        })
        .drift(Drift::Mode {
            path: path(),
            mode: 0o705,
        })
        .observe("drift again")
        .evaluate_as("e4", "v", instance);
    mode_then_owner(&mut case, file, instance, ["e5", "e6"]);
    case.drift(Drift::Write {
        path: path(),
        content: of_its_length(setting, label, file),
    })
    .observe("drift in content alone")
    .evaluate_as("e7", "v", instance)
    .terminate();
    Some(case.build())
}

/// Is the mode of a file promised, or the owner? Then they are mended by themselves.
fn mode_then_owner(
    case: &mut CaseBuilder<'_>,
    file: &[u8],
    instance: &Instance,
    [mode, owner]: [&str; 2],
) {
    let path = || Bytes::from(file);
    case.drift(Drift::Mode {
        path: path(),
        mode: 0o604,
    })
    .observe("drift in mode alone")
    .evaluate_as(mode, "v", instance)
    .drift(owned(path()))
    .observe("drift in owner alone")
    .evaluate_as(owner, "v", instance);
}

/// Gives a file a mode and an owner that nothing on the machine has.
fn mode_and_owner(case: &mut CaseBuilder<'_>, file: &[u8], mode: u32) {
    let path = || Bytes::from(file);
    case.drift(Drift::Mode { path: path(), mode })
        .drift(owned(path()));
}

fn owned(path: Bytes) -> Drift {
    Drift::Owner {
        path,
        uid: 12345,
        gid: 12345,
    }
}
