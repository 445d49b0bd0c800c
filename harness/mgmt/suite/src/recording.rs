//! The first line of a recording that `stickler graph` makes.

use crate::VOCABULARY;
use mgmt_protocol::recorded;
use stickler_session::record::recorded_case;
use stickler_suite::Knowledge;
use stickler_suite::config::{Config, Example};
use stickler_transcript::{Case, Fate};

/// The first line of a recording with the resources of a package.
pub fn recording(config: &Config) -> Case {
    let folder = crate::host::folder(config);
    let folder = folder.canonicalize().unwrap_or(folder);
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    // Nobody says which resource of a graph is which example, so this counts for the whole kind.
    let busy = config.examples.iter().filter(|example| is_busy(example));
    let kinds = busy.filter_map(|example| {
        let only = || config.subject.kinds.first();
        example.kind.as_ref().or_else(only).cloned()
    });
    Case {
        facts: recorded::busy(kinds),
        deadlines: Knowledge::default().deadlines(config, &VOCABULARY),
        ..recorded_case(VOCABULARY.dialect, &name.to_string_lossy())
    }
}

/// Does an author declare that the second call of an example has something to do, too?
fn is_busy(example: &Example) -> bool {
    let right = VOCABULARY.outcome(Fate::Unchanged);
    let second = example.expect.get(1).or(example.expect.last());
    second.is_some_and(|word| Some(word.as_str()) != right)
}
