//! The keys of `stickler.toml` that mgmt resources have beyond those of all dialects.

use stickler_suite::config::keys::PATH;
use stickler_suite::config::{Example, Form, Key, Keys, Subject};

pub(crate) const KEYS: Keys = Keys {
    subject: &SUBJECT,
    outcome: &OUTCOME,
    ..Keys::NONE
};

/// The key of build tags.
pub const TAGS: &str = "tags";

/// The key of files that the build takes for others.
pub const OVERLAY: &str = "overlay";

/// The key of the author's function for `Init`.
pub const INIT: &str = "init";

static SUBJECT: [Key<Subject>; 4] = [
    PATH.about("The folder of the Go package that registers the resources, relative to this file."),
    Key::new(
        TAGS,
        "Build tags for the package.",
        Form::Texts(|subject, tags| subject.own.set(TAGS, tags)),
    ),
    Key::new(
        INIT,
        "An exported function of the package that fills in what the harness cannot give to `Init`, such as `World`: it \
         takes a `*engine.Init`.",
        Form::Name(|subject, name| subject.own.set(INIT, vec![name])),
    ),
    Key::new(
        OVERLAY,
        "Files that the build takes for others, such as generated ones that are not there: a path in the package, and \
         the file to read, relative to this file.",
        Form::Variables(|subject, files| {
            let pairs = files.into_iter().map(|(path, file)| vec![path, file]);
            subject.own.set(OVERLAY, pairs.collect::<Vec<_>>());
        }),
    ),
];

/// The key of commands that spoil the state.
pub(crate) const DRIFT: &str = "drift";

static OUTCOME: [Key<Example>; 1] = [Key::new(
    DRIFT,
    "Commands that spoil the right state from outside, one by one. After each, `Watch` has to send an event, and \
     `CheckApply` to repair the state. `{dir}` stands for the scratch directory.",
    Form::Commands(|example, commands| example.own.set(DRIFT, commands)),
)];
