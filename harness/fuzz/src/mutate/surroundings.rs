//! Changes the surroundings of the subject: its environment, directory and umask.

use crate::dice::Dice;
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
    let mut kinds: [Vec<Surrounding>; 5] = [
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

pub(super) fn mutate(space: &Space<'_>, dice: &mut Dice, input: &mut Input) {
    if input.surroundings.len() >= MOST || dice.one_in(4) {
        let at = dice.below(input.surroundings.len());
        if at < input.surroundings.len() {
            input.surroundings.remove(at);
        }
        return;
    }
    let surrounding = match dice.below(9) {
        0 => Surrounding::Umask(*dice.pick(UMASKS).unwrap_or(&0)),
        1 => Surrounding::Cwd((*dice.pick(FOLDERS).unwrap_or(&"/")).to_owned()),
        2 => {
            let (limit, values) = LIMITS[dice.below(LIMITS.len())];
            Surrounding::Limit(limit, values[dice.below(values.len())])
        }
        turn => {
            let Some((name, values)) = dice.pick(VALUES) else {
                return;
            };
            if is_authors(space, name) {
                return;
            }
            match (turn, dice.pick(values)) {
                (3 | 4, _) | (_, None) => Surrounding::Unset((*name).to_owned()),
                (_, Some(value)) => Surrounding::Set((*name).to_owned(), (*value).to_owned()),
            }
        }
    };
    // One variable has one value.
    let about = |one: &Surrounding| match one {
        Surrounding::Set(name, _) | Surrounding::Unset(name) => name.clone(),
        Surrounding::Cwd(_) => "/cwd".to_owned(),
        Surrounding::Umask(_) => "/umask".to_owned(),
        Surrounding::Limit(limit, _) => format!("/{limit:?}"),
    };
    input
        .surroundings
        .retain(|known| about(known) != about(&surrounding));
    input.surroundings.push(surrounding);
}
