//! The circles that there are, each with the reason why it stays. A new one is broken instead: what
//! both files use moves into a file of its own.

use std::collections::BTreeSet;

/// The agent's behaviour is that of cf-agent 3.21.0; its files stay as they are.
pub const FROZEN: &str = "frozen";
/// Its files are being written again.
pub const REDESIGN: &str = "being redesigned";

/// A circle of files.
pub struct Circle {
    /// The crate, by its folder.
    pub of: &'static str,
    /// Its files, or the first and the number of the others.
    pub files: &'static [&'static str],
    /// How many more there are.
    pub more: usize,
    pub why: &'static str,
}

impl Circle {
    pub fn number(&self) -> usize {
        self.files.len() + self.more
    }

    pub fn is(&self, found: &BTreeSet<String>) -> bool {
        found.len() == self.number() && self.files.iter().all(|file| found.contains(*file))
    }
}

const fn circle(of: &'static str, files: &'static [&'static str], why: &'static str) -> Circle {
    let more = 0;
    Circle {
        of,
        files,
        more,
        why,
    }
}

/// One type is too long for one file; Rust has no other way to divide it.
const METHODS: &str = "the methods of one type are in several files";

pub const CIRCLES: &[Circle] = &[
    Circle {
        of: "cfengine/agent",
        files: &["context.rs"],
        more: 38,
        why: FROZEN,
    },
    circle("cfengine/agent", &["data.rs", "value.rs"], FROZEN),
    circle("cfengine/agent", &["program.rs", "program/read.rs"], FROZEN),
    circle(
        "suite",
        &["builder.rs", "setting.rs", "verbs.rs"],
        "a case is built with verbs, and a verb adds its messages to the case",
    ),
    circle("cfengine/policy", &["load.rs", "load/inputs.rs"], METHODS),
    circle(
        "cfengine/protocol",
        &["carried.rs", "carried/written.rs"],
        "what a channel carries is looked for in one file and followed in the other",
    ),
    circle(
        "cfengine/protocol",
        &["compare.rs", "output.rs", "session.rs"],
        "a session knows which of its answers are shifted, which only a comparison of its output shows",
    ),
    circle(
        "cfengine/protocol",
        &[
            "rules/pm807_refused_writes.rs",
            "rules/pm807_refused_writes/commands.rs",
            "rules/pm807_refused_writes/left.rs",
            "rules/pm807_refused_writes/made_up_for.rs",
            "rules/pm807_refused_writes/unreadable.rs",
        ],
        "one rule in several files, with its defects in the first",
    ),
    circle(
        "cfengine/protocol",
        &["wire/json/writer.rs", "wire/value.rs"],
        "values are written in a style that they define",
    ),
    circle(
        "cfengine/suite",
        &["plans/shapes.rs", "plans/shapes/large.rs"],
        "one family in two files",
    ),
    circle(
        "fuzz",
        &["campaign/agent.rs", "campaign/worker.rs"],
        "a worker keeps what it knows about the agent, which drives sessions for it",
    ),
    circle(
        "suite",
        &["run.rs", "run/pool.rs", "run/pool/lookout.rs"],
        "the pool runs sessions for a run that it may end",
    ),
    circle(
        "suite",
        &["config/key.rs", "config/reader.rs", "vocabulary.rs"],
        "a dialect declares keys among its words, and they are read and described in these words",
    ),
    circle(
        "face",
        &["dialects.rs", "face.rs"],
        "a dialect's commands may ask for the other dialects",
    ),
    circle("session", &["effects.rs", "effects/diff.rs"], METHODS),
    circle(
        "session",
        &["run.rs", "run/pump.rs", "run/touched.rs"],
        METHODS,
    ),
    circle(
        "session",
        &[
            "sandbox.rs",
            "sandbox/build.rs",
            "sandbox/host.rs",
            "sandbox/launcher.rs",
            "sandbox/warm.rs",
        ],
        "a host tries a sandbox to find out what the machine can do, and warms interpreters in one",
    ),
    circle(
        "puppet/types",
        &[
            "parse.rs",
            "parse/meaning.rs",
            "parse/meaning/limits.rs",
            "parse/scope.rs",
        ],
        "a type names aliases, whose files are parsed when it does",
    ),
    circle(
        "puppet/types",
        &["regex.rs", "value/inspect.rs"],
        "Ruby shows a pattern without options if it compiles without them",
    ),
    circle(
        "puppet/manifest",
        &["compiler.rs", "compiler/overrides.rs"],
        METHODS,
    ),
    circle(
        "puppet/manifest",
        &["evaluator.rs", "evaluator/collections.rs"],
        METHODS,
    ),
    circle(
        "puppet/manifest",
        &["lexer.rs", "lexer/strings.rs", "lexer/words.rs"],
        METHODS,
    ),
    circle(
        "cli",
        &["check.rs", "check/several.rs"],
        "a check of several modules is a check of each",
    ),
    circle(
        "puppet/types",
        &["generate.rs", "generate/miss.rs"],
        "a near miss has valid parts",
    ),
];
