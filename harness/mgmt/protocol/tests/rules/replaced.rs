//! What the rule about modes and owners of replaced files says of short dialogues.

use crate::common::{Dialogue, begun, breaks, keeps, says_nothing, verdict};
use mgmt_protocol::managed::managed;
use std::collections::BTreeMap;
use stickler_judge::Level;
use stickler_transcript::{Bytes, Drift};

/// A file is spoilt, and comes back with this mode and owner.
fn repaired(fields: &str, mode: u32, owner: u32) -> Dialogue {
    repaired_to(fields, "foreign\nhello", mode, owner)
}

/// The same, with this content.
fn repaired_to(fields: &str, content: &str, mode: u32, owner: u32) -> Dialogue {
    let path = || Bytes::from("/x");
    let params = format!(r#"{{"resource":"a","fields":{fields}}}"#);
    begun()
        .call("new", r#"{"resource":"a","kind":"note","name":"/x"}"#, "{}")
        .call("set", &params, "{}")
        .observed()
        .check("a", true, false, None)
        .writes(None, "hello", 0o644, 0)
        .drifted(Drift::Write {
            path: path(),
            content: "foreign\n".into(),
        })
        .drifted(Drift::Mode {
            path: path(),
            mode: 0o624,
        })
        .drifted(Drift::Owner {
            path: path(),
            uid: 12345,
            gid: 12345,
        })
        .check("a", true, false, None)
        .writes(Some("foreign\n"), content, mode, owner)
}

#[test]
fn a_replaced_file_keeps_its_mode_and_owner() {
    let fields = r#"{"text":"hello"}"#;
    keeps("MR115", &repaired(fields, 0o624, 12345));
    assert_eq!(
        breaks("MR115", &repaired(fields, 0o644, 12345)),
        "`/x` had mode 0624, and has 0644 after the repair"
    );
    assert_eq!(
        breaks("MR115", &repaired(fields, 0o624, 0)),
        "`/x` belonged to 12345:12345, and belongs to 0:0 after the repair"
    );
}

#[test]
fn a_file_that_is_written_as_a_whole_is_the_resources_own() {
    let level = |content: &str| {
        let (_, found) = verdict("MR115", &repaired_to("{}", content, 0o644, 12345));
        found.first().map(|finding| finding.level)
    };
    assert_eq!(level("foreign\nhello"), Some(Level::Should));
    assert_eq!(level("hello"), Some(Level::May));
}

#[test]
fn what_fields_manage_is_not_judged() {
    for mode in [r#""0640""#, "416", r#"{"bits":416}"#] {
        let fields = format!(r#"{{"mode":{mode}}}"#);
        says_nothing("MR115", &repaired(&fields, 0o640, 12345));
    }
    let both = r#"{"mode":"0640","owner":"root"}"#;
    says_nothing("MR115", &repaired(both, 0o640, 0));
    // A field without a value manages nothing.
    for fields in [r#"{"mode":""}"#, r#"{"mode":0}"#, r#"{"mode":null}"#] {
        breaks("MR115", &repaired(fields, 0o644, 12345));
    }
    // Neither does it where `Default` gives it one.
    let by_default = BTreeMap::from([("note".to_owned(), vec!["Mode".to_owned()])]);
    let facts = managed(by_default);
    says_nothing(
        "MR115",
        &repaired("{}", 0o644, 12345).case(|case| case.facts = facts),
    );
}
