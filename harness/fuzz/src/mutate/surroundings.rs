//! Changes the surroundings of the subject: its environment, directory and umask.

use super::mutation::{Change, Fits, Means, Mutation};
use crate::input::{Input, Limit, Surrounding};
use crate::space::Space;
use stickler_suite::SCRATCH;

/// How many unusual things an input has at most.
const MOST: usize = 3;
/// Variables that programs read, and values that trouble some.
const VALUES: &[(&str, &[&str])] = &[
    ("HOME", &["/nonexistent", "/", ""]),
    ("TMPDIR", &["/nonexistent", "/", ""]),
    ("LC_ALL", &["C", "tr_TR.UTF-8", "xx_YY", ""]),
    ("PATH", &["/usr/bin:/bin"]),
    ("LANG", &["C", "de_DE.UTF-8", ""]),
    (
        "TZ",
        &["Pacific/Apia", "Europe/Berlin", "UTC-14", "nonsense", ""],
    ),
    ("IFS", &["/", "e"]),
    ("PYTHONUTF8", &["0"]),
    ("POSIXLY_CORRECT", &["1"]),
    ("CDPATH", &["/"]),
    ("GREP_OPTIONS", &["-v"]),
    ("COLUMNS", &["1"]),
    ("TERM", &["dumb", "xterm", ""]),
    ("NO_COLOR", &["1"]),
    ("http_proxy", &["http://127.0.0.1:1/"]),
];

/// Limits that a machine may set.
const LIMITS: &[(Limit, &[u32])] = &[
    (Limit::Descriptors, &[1024, 64, 16]),
    (Limit::Memory, &[1 << 20, 1 << 17]),
    (Limit::FileSize, &[1024, 4, 0]),
];

const UMASKS: &[u32] = &[0o000, 0o077, 0o027, 0o777];
const FOLDERS: &[&str] = &["/", "/usr", "/proc", SCRATCH];

/// What the author sets is part of the subject.
fn is_authors(space: &Space<'_>, name: &str) -> bool {
    let env = &space.setting.config.subject.env;
    env.iter().any(|(known, _)| known == name)
}

/// Where what a process is greeted with is cut, in bytes before its end, and the pauses, in microseconds.
const GREETINGS: &[(u16, u32)] = &[(1, 20_000), (2, 20_000), (4, 20_000), (12, 150_000)];

/// Each unusual thing, by turns one of each kind.
pub(crate) fn each(space: &Space<'_>) -> Vec<Surrounding> {
    let variables = || VALUES.iter().filter(|(name, _)| !is_authors(space, name));
    let set = |(name, values): &(&str, &[&str])| -> Vec<Surrounding> {
        let value = |value: &&str| Surrounding::Set((*name).to_owned(), (*value).to_owned());
        values.iter().map(value).collect()
    };
    let limits = LIMITS.iter().flat_map(|(limit, values)| {
        let values = values.iter().rev();
        values.map(|value| Surrounding::Limit(*limit, *value))
    });
    let folders = FOLDERS.iter();
    // A host of Stickler's own reads its greeting elsewhere.
    let greetings = GREETINGS
        .iter()
        .filter(|_| !space.setting.vocabulary().channel);
    let mut kinds: [Vec<Surrounding>; 6] = [
        greetings
            .map(|(before, pause_us)| Surrounding::Greeted(*before, *pause_us))
            .collect(),
        variables()
            .map(|(name, _)| Surrounding::Unset((*name).to_owned()))
            .collect(),
        variables().flat_map(set).collect(),
        folders
            .map(|path| Surrounding::Cwd((*path).to_owned()))
            .collect(),
        UMASKS.iter().copied().map(Surrounding::Umask).collect(),
        limits.collect(),
    ];
    for kind in &mut kinds {
        kind.reverse();
    }
    let mut all = Vec::new();
    while kinds.iter().any(|kind| !kind.is_empty()) {
        all.extend(kinds.iter_mut().filter_map(Vec::pop));
    }
    all
}

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::new(
        "environment/set",
        "gives a variable a value that troubles some programs",
        16,
        Change::Input(|means, input| {
            let (name, values) = variable(means)?;
            let value = (*means.dice.pick(values)?).to_owned();
            add(input, Surrounding::Set((*name).to_owned(), value))
        }),
    )
    .alone(),
    Mutation::new(
        "environment/unset",
        "removes a variable",
        9,
        Change::Input(|means, input| {
            let (name, _) = variable(means)?;
            add(input, Surrounding::Unset((*name).to_owned()))
        }),
    )
    .alone(),
    Mutation::new(
        "environment/folder",
        "starts the process in another folder",
        5,
        Change::Input(|means, input| {
            let folder = *means.dice.pick(FOLDERS)?;
            add(input, Surrounding::Cwd(folder.to_owned()))
        }),
    )
    .alone(),
    Mutation::new(
        "environment/umask",
        "sets the umask",
        5,
        Change::Input(|means, input| {
            let umask = *means.dice.pick(UMASKS)?;
            add(input, Surrounding::Umask(umask))
        }),
    )
    .alone(),
    Mutation::new(
        "environment/limit",
        "limits open files, memory or the size of files",
        5,
        Change::Input(|means, input| {
            let (limit, values) = means.dice.pick(LIMITS)?;
            let value = *means.dice.pick(values)?;
            add(input, Surrounding::Limit(*limit, value))
        }),
    )
    .alone(),
    Mutation::new(
        "environment/usual",
        "takes an unusual thing back",
        8,
        Change::Input(|means, input| {
            let at = means.dice.below(input.surroundings.len());
            (at < input.surroundings.len()).then(|| input.surroundings.remove(at))?;
            Some(())
        }),
    )
    .alone(),
];

/// A variable that is not the author's.
fn variable(means: &mut Means<'_>) -> Option<&'static (&'static str, &'static [&'static str])> {
    let variable = means.dice.pick(VALUES)?;
    (!is_authors(means.space, variable.0)).then_some(variable)
}

fn add(input: &mut Input, surrounding: Surrounding) -> Fits {
    // One variable has one value.
    let about = |one: &Surrounding| match one {
        Surrounding::Set(name, _) | Surrounding::Unset(name) => name.clone(),
        Surrounding::Cwd(_) => "/cwd".to_owned(),
        Surrounding::Umask(_) => "/umask".to_owned(),
        Surrounding::Greeted(..) => "/greeted".to_owned(),
        Surrounding::Limit(limit, _) => format!("/{limit:?}"),
    };
    let new = about(&surrounding);
    input.surroundings.retain(|known| about(known) != new);
    if input.surroundings.len() >= MOST {
        return None;
    }
    input.surroundings.push(surrounding);
    Some(())
}
