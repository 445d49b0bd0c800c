//! Files of `stickler fuzz`: any bytes are an input or are refused, and so is what bytes choose. An
//! input is planned without a panic, and is the same once it was written.

use cfengine_suite::{Shown, VOCABULARY};
use std::collections::BTreeSet;
use std::path::Path;
use stickler_fuzz::{Input, chosen, planned};
use stickler_suite::config::from_text;
use stickler_suite::{Knowledge, Setting, Speech, Verbs};

const SUBJECT: &str = r#"
[subject]
promise_type = "file_content"
command = ["sh"]

[[example]]
name = "a greeting"
promiser = "{dir}/greeting"
attributes = { message = "hello", lines = ["a", "b"], mode = "0644" }

[[invalid]]
name = "no message"
promiser = "{dir}/greeting"
"#;

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    with_setting(&Shown::default(), |setting| {
        survives(setting, &chosen(setting, bytes));
        if let Ok(input) = serde_json::from_slice(bytes) {
            survives(setting, &input);
        }
    });
}

/// Does something with what all inputs of a subject share.
pub fn with_setting(verbs: &dyn Verbs, work: impl FnOnce(&Setting<'_>)) {
    let config = from_text(Path::new("stickler.toml"), SUBJECT, &VOCABULARY);
    work(&Setting {
        words: &VOCABULARY,
        verbs,
        config: &config.expect("it is sound"),
        knowledge: &Knowledge {
            dry: true,
            ..Knowledge::default()
        },
        read: BTreeSet::new(),
        compared: BTreeSet::new(),
        argv: vec!["sh".into()],
        speech: Speech::Agent,
        seed: 0,
        sandboxed: true,
        targets: true,
    });
}

/// An input is planned, and is the same once it was written.
pub fn survives(setting: &Setting<'_>, input: &Input) {
    let case = planned(setting, input);
    let written = serde_json::to_vec_pretty(input).expect("an input has a text");
    let read: Input = serde_json::from_slice(&written).expect("what was written is an input");
    assert_eq!(read, *input);
    assert_eq!(read.name(), input.name());
    assert_eq!(planned(setting, &read), case);
}
