//! `Watch`: started, with changes from outside, with events that nobody takes, told to end, and started again.

use crate::keys::DRIFT;
use crate::requests::{cleanup, counts, init, validated};
use crate::watching::Watching;
use mgmt_protocol::purpose;
use stickler_suite::plans::{disturbable, subjects};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, Spoil, fill_commands, scratch_dir};
use stickler_transcript::{Bytes, Case, Drift, Step};

/// How long after its start the first change comes.
pub(super) const CALM: u64 = 500;
/// How long `Watch` gets to see what it may tell nobody, in microseconds: longer than it takes to look twice a second.
const UNTOLD: u64 = 600_000;
/// How many events are taken once the folder is gone.
const GONE: usize = 3;
/// A second in which nothing happens.
const QUIET: u64 = 1_000;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort);
    items.iter().map(|item| one(setting, item)).collect()
}

/// `Watch` while files that the example has made change in ways of their own.
pub(super) fn followed(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = disturbable(setting, effort);
    let followed = items.iter().enumerate();
    let followed =
        followed.filter_map(|(number, item)| follow(setting, item, (number, items.len()), effort));
    followed.collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("watch/{}", item.info.label));
    let label = &item.info.label;
    let spoiled = spoiled(setting, item);
    let mut watch = begun(&mut case, item);
    counts(watch.case, 2);
    watch.starts(false);
    watch.acks();
    if !spoiled.is_empty() {
        // What is armed late is armed by then.
        watch.waits(purpose::AWAIT.part("calm").of(label), CALM);
        watch.acks();
    }
    for (number, how) in spoiled.iter().enumerate() {
        watch.noticed(how);
        watch.acks();
        watch.evaluates(2 + number);
        watch.finds_right();
        watch.settles();
        let key = purpose::QUIET.turn(number + 1).of(label);
        watch.waits(key, QUIET);
    }
    watch.ends();
    counts(watch.case, 3);
    watch.starts(false);
    watch.acks();
    if let Some(how) = spoiled.first() {
        // It has to see what it saw before it was started again.
        watch.waits(purpose::AWAIT.part("calm again").of(label), CALM);
        watch.acks();
        watch.noticed(how);
        watch.acks();
        watch.evaluates(90);
        watch.finds_right();
    }
    watch.ends();
    // Nobody takes what it says now, whatever it sees, and nothing else is called.
    counts(watch.case, 4);
    watch.starts(true);
    for (number, how) in untold(setting, item, &spoiled).iter().enumerate() {
        if number > 0 {
            watch.case.step(Step::Pause { us: UNTOLD });
        }
        watch.case.spoil(how, true).observe("drift");
    }
    watch.ends();
    counts(watch.case, 5);
    if let Some(how) = spoiled.first() {
        watch.evaluates(91);
        watch.finds_right();
        watch.starts(false);
        // Its watches are armed by now.
        watch.noticed(how);
        watch.evaluates(92);
        watch.ends();
    }
    if setting.sandboxed {
        vanishes(&mut watch);
    }
    cleanup(watch.case, label);
    case.terminate().build()
}

/// Changes while nobody takes an event. The last one is known to make the state wrong.
fn untold(setting: &Setting<'_>, item: &Instance, spoiled: &[Spoil]) -> Vec<Spoil> {
    let Some(how) = spoiled.first() else {
        return Vec::new();
    };
    let made = setting.knowledge.made_by(&item.info.label);
    let other = made.first().map(|file| Spoil::Files(vec![written(file)]));
    let mut all = vec![how.clone()];
    all.extend(other);
    all.push(how.clone());
    all
}

/// The folder of the example goes, with all that is in it, while `Watch` runs.
fn vanishes(watch: &mut Watching<'_, '_>) {
    watch.starts(false);
    watch.acks();
    let dir = scratch_dir(0);
    let shell = |script: &str| {
        let words = ["/bin/sh", "-c", script, "sh", &dir];
        Spoil::Command(words.map(Bytes::from).into())
    };
    let gone = shell("rm -rf \"$1\"");
    watch.case.spoil(&gone, true).observe("gone");
    watch.takes(GONE);
    watch.ends();
    let back = shell("mkdir -p \"$1\"");
    watch.case.spoil(&back, true).observe("back");
}

/// How the state is spoilt: by each of the author's commands, else by undoing what the example did.
pub(super) fn spoiled(setting: &Setting<'_>, item: &Instance) -> Vec<Spoil> {
    let declared = declared(setting, item, 0);
    if !declared.is_empty() {
        return declared.into_iter().map(Spoil::Command).collect();
    }
    let undone = setting.knowledge.undone.get(&item.info.label);
    let undone = undone.filter(|drifts| !drifts.is_empty());
    undone.into_iter().cloned().map(Spoil::Files).collect()
}

/// The same of the example in another scratch directory.
pub(super) fn spoiled_in(setting: &Setting<'_>, item: &Instance, dir: usize) -> Vec<Spoil> {
    let declared = declared(setting, item, dir);
    if !declared.is_empty() {
        return declared.into_iter().map(Spoil::Command).collect();
    }
    let undone = setting.knowledge.undone.get(&item.info.label);
    let moved = undone.and_then(|drifts| {
        let drifts = drifts.iter().map(|drift| moved(drift, dir));
        drifts.collect::<Option<Vec<Drift>>>()
    });
    moved
        .filter(|drifts| !drifts.is_empty())
        .into_iter()
        .map(Spoil::Files)
        .collect()
}

/// A change in the first scratch directory, made in another one.
fn moved(drift: &Drift, dir: usize) -> Option<Drift> {
    let own = scratch_dir(0);
    let path = |path: &Bytes| {
        let rest = path.strip_prefix(own.as_bytes())?;
        rest.starts_with(b"/")
            .then(|| Bytes::from([scratch_dir(dir).as_bytes(), rest].concat()))
    };
    Some(match drift {
        Drift::Remove { path: old } => Drift::Remove { path: path(old)? },
        Drift::Write { path: old, content } => Drift::Write {
            path: path(old)?,
            content: content.clone(),
        },
        Drift::Mode { path: old, mode } => Drift::Mode {
            path: path(old)?,
            mode: *mode,
        },
        Drift::Owner {
            path: old,
            uid,
            gid,
        } => Drift::Owner {
            path: path(old)?,
            uid: *uid,
            gid: *gid,
        },
        _ => return None,
    })
}

/// The commands of `drift`, filled in for the scratch directory with this number.
pub(super) fn declared(setting: &Setting<'_>, item: &Instance, dir: usize) -> Vec<Vec<Bytes>> {
    let mut examples = setting.config.examples.iter();
    let example = examples.find(|example| example.name == item.info.example);
    let declared = example.map_or(&[][..], |example| example.own.commands(DRIFT));
    fill_commands(declared, &scratch_dir(dir))
}

fn follow(
    setting: &Setting<'_>,
    item: &Instance,
    (number, all): (usize, usize),
    effort: Effort,
) -> Option<Case> {
    let label = &item.info.label;
    let made = setting.knowledge.made_by(label);
    let file = made.first()?;
    // What a resource cannot read it may not repair either. So what it can read comes first.
    let mut ways = Vec::new();
    if let Some(content) = setting.knowledge.content(label, file) {
        for content in as_long(content, item) {
            let path = Bytes::from(*file);
            let content = content.into();
            ways.push(Spoil::Files(vec![Drift::Write { path, content }]));
        }
    }
    ways.extend(self::ways(file));
    if effort == Effort::Quick {
        ways.truncate(1);
    }
    let mut case = setting.case(format!("follow/{label}"));
    let mut watch = begun(&mut case, item);
    watch.starts(false);
    watch.acks();
    watch.waits(purpose::AWAIT.part("calm").of(label), CALM);
    watch.acks();
    for (number, how) in ways.iter().enumerate() {
        watch.noticed(how);
        watch.acks();
        watch.evaluates(2 + number);
        watch.finds_right();
        watch.settles();
    }
    if setting.sandboxed && effort > Effort::Quick {
        let replacements = replacements(file, number, all, effort);
        replaced(&mut watch, file, 2 + ways.len(), &replacements);
    }
    watch.ends();
    cleanup(watch.case, label);
    Some(case.terminate().build())
}

/// The ways in which a folder is replaced: what a shell does with the folder `$1`, and the point after it.
const REPLACED: [(&str, &str); 4] = [
    (
        purpose::COPIED,
        "mv -- \"$1\" \"$1.stickler\" && cp -a -- \"$1.stickler\" \"$1\" && rm -rf -- \"$1.stickler\"",
    ),
    // The old one stays elsewhere, so that nothing of it is ever removed.
    (
        purpose::MOVED,
        "mv -- \"$1\" \"$1.stickler-$2\" && cp -a -- \"$1.stickler-$2\" \"$1\"",
    ),
    (
        purpose::LINKED,
        "mv -- \"$1\" \"$1.stickler-$2\" && cp -a -- \"$1.stickler-$2\" \"$1.stickler-$2-link\" && \
         ln -s -- \"$1.stickler-$2-link\" \"$1\"",
    ),
    (purpose::REMADE, "rm -rf -- \"$1\" && mkdir -- \"$1\""),
];

/// The folders of a file, from its own to the scratch directory.
fn folders(file: &[u8]) -> Vec<&[u8]> {
    let scratch = scratch_dir(0);
    let ends = (1..file.len()).rev().filter(|at| file[*at] == b'/');
    let folders = ends.map(|end| &file[..end]);
    let is_inside = |folder: &&[u8]| {
        let rest = folder.strip_prefix(scratch.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let inside: Vec<&[u8]> = folders.clone().take_while(is_inside).collect();
    match inside.is_empty() {
        true => folders.take(1).collect(),
        false => inside,
    }
}

/// How often folders are replaced in one session: each time takes a second.
const REPLACEMENTS: usize = 2;

/// The replacements of folders for the example with this number: each way and each folder has its turn in one of them.
fn replacements(
    file: &[u8],
    number: usize,
    all: usize,
    effort: Effort,
) -> Vec<(&'static str, &'static str, &[u8])> {
    let folders = folders(file);
    let ways = REPLACED.len() * folders.len();
    let most = match effort {
        Effort::Deep => ways,
        // Few examples have more of them each.
        _ => REPLACEMENTS.max(REPLACED.len().div_ceil(all.max(1))),
    };
    let chosen = (0..most.min(ways)).map(|turn| {
        // The second way is the one that leaves least traces, so it comes first.
        let at = number * most + turn + 1;
        let (point, script) = REPLACED[at % REPLACED.len()];
        (
            point,
            script,
            folders[(at / REPLACED.len()) % folders.len()],
        )
    });
    let mut chosen: Vec<_> = chosen.collect();
    // What is made anew is empty, and what is there is a link: they come last.
    chosen.sort_by_key(|(point, ..)| [purpose::REMADE, purpose::LINKED].contains(point));
    chosen
}

/// A folder of the file is replaced, in one way after the other. Then the file changes there.
fn replaced(
    watch: &mut Watching<'_, '_>,
    file: &[u8],
    mut turn: usize,
    replacements: &[(&str, &str, &[u8])],
) {
    for (number, (point, script, folder)) in replacements.iter().enumerate() {
        // What it has watched because of earlier changes, it would watch still.
        watch.ends();
        watch.starts(false);
        watch.acks();
        let number = number.to_string();
        let words = [
            b"/bin/sh".as_slice(),
            b"-c",
            script.as_bytes(),
            b"sh",
            folder,
            number.as_bytes(),
        ];
        let how = Spoil::Command(words.map(Bytes::from).into());
        watch.case.spoil(&how, true).observe(point);
        watch.takes(GONE);
        // What it watches from now on, it watches by then.
        let label = format!("{}-{number}", watch.item.info.label);
        watch.waits(purpose::AWAIT.part(point).of(&label), CALM);
        watch.acks();
        watch.evaluates(turn);
        watch.finds_right();
        // What was removed is made again.
        if *point == purpose::REMADE {
            watch.takes(GONE);
        }
        // Another text than ever before: what it has not seen since it was started is not the matter.
        let content = format!("stickler was here: {point} {number}");
        let script = b"echo \"$2\" >\"$1\"".as_slice();
        let words = [
            b"/bin/sh".as_slice(),
            b"-c",
            script,
            b"sh",
            file,
            content.as_bytes(),
        ];
        watch.noticed(&Spoil::Command(words.map(Bytes::from).into()));
        watch.acks();
        watch.evaluates(turn + 1);
        watch.finds_right();
        turn += 2;
    }
}

/// Other contents of the same length: one in which only what the example names is another, so that its form stays, and one
/// in which all is.
fn as_long(content: &[u8], item: &Instance) -> Vec<Vec<u8>> {
    let mut words: Vec<&[u8]> = Vec::new();
    for (_, value) in &item.attributes {
        words.extend(value.words().into_iter().filter(|word| word.len() > 1));
    }
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let mut named = Vec::new();
    let mut rest = content;
    while let Some((first, after)) = rest.split_first() {
        let word = words.iter().find(|word| rest.starts_with(word));
        let taken = word.map_or(1, |word| word.len());
        match word {
            Some(word) => named.extend(word.iter().map(next)),
            None => named.push(*first),
        }
        rest = if taken == 1 { after } else { &rest[taken..] };
    }
    let all = content.iter().map(next).collect();
    let mut others = vec![named, all];
    others.dedup();
    others.retain(|other| other[..] != *content);
    others
}

/// The letter or digit after this one.
fn next(byte: &u8) -> u8 {
    match byte {
        b'a'..=b'y' | b'A'..=b'Y' | b'0'..=b'8' => byte + 1,
        byte => *byte,
    }
}

/// A file is written in place.
fn written(file: &[u8]) -> Drift {
    Drift::Write {
        path: file.into(),
        content: "stickler was here\n".into(),
    }
}

/// The ways in which editors, tools and people change a file.
fn ways(file: &[u8]) -> Vec<Spoil> {
    let shell = |script: &str| {
        let words = [b"/bin/sh".as_slice(), b"-c", script.as_bytes(), b"sh", file];
        Spoil::Command(words.map(Bytes::from).into())
    };
    vec![
        shell("rm \"$1\""),
        Spoil::Files(vec![written(file)]),
        shell("echo stickler >\"$1.stickler\" && mv -f \"$1.stickler\" \"$1\""),
        shell("for n in 1 2 3 4 5 6 7 8 9; do echo $n >\"$1\"; done"),
    ]
}

/// A resource that has been applied, and begun, and finds the state right.
fn begun<'c, 's>(case: &'c mut CaseBuilder<'s>, item: &'c Instance) -> Watching<'c, 's> {
    case.setup(item).observing().open().validate(item);
    let begun = init(case, item, validated(item));
    // What `CheckApply` leaves, it leaves without `Watch`, too.
    counts(case, 6);
    case.evaluate(item);
    counts(case, 1);
    let mut watch = Watching::new(case, item, begun, 0);
    watch.finds_right();
    watch
}
