//! RA3xx: canonical values.

use crate::common::{
    Dialogue, KEY, METHODS, breaks, found, keeps, levels, open, raised, value, verdict,
};
use puppet_protocol::phase;
use stickler_judge::Level;

const FEATURE: &str = r#""canonicalize""#;

fn with_method() -> String {
    METHODS.replace(
        r#""get":"#,
        r#""canonicalize":[["req","context"],["req","resources"]],"get":"#,
    )
}

fn canonical(features: &str) -> Dialogue {
    open(features, KEY, &with_method())
}

/// `canonicalize` is given some resources and returns others.
fn turns(dialogue: Dialogue, key: &str, given: &str, got: &str) -> Dialogue {
    let params = format!(r#"{{"provider":1,"resources":{given}}}"#);
    dialogue.call(phase::CANONICALIZE, key, &params, &value(got))
}

fn keeps_silent(code: &str, dialogue: Dialogue) {
    assert_eq!(verdict(code, vec![dialogue]), (0, Vec::new()), "{code}");
}

#[test]
fn feature_and_method_agree() {
    keeps("RA301", canonical(FEATURE));
    breaks("RA301", canonical(""), "does not declare");
    breaks(
        "RA301",
        open(FEATURE, KEY, METHODS),
        "has no `canonicalize`",
    );
    let one = r#"[{"name":"a"}]"#;
    keeps("RA301", turns(canonical(FEATURE), "canonical:e1", one, one));
    breaks(
        "RA301",
        turns(canonical(FEATURE), "canonical:e1", one, "[]"),
        "returned 0 values for 1",
    );
}

#[test]
fn resources_are_canonicalized_together_as_each_is_alone() {
    let (a, b) = (r#"{"name":"a"}"#, r#"{"name":"b","size":1}"#);
    let alone = || {
        let first = turns(
            canonical(FEATURE),
            "single-0:e1",
            &format!("[{b}]"),
            &format!("[{b}]"),
        );
        turns(first, "single-1:e1", &format!("[{a}]"), &format!("[{a}]"))
    };
    let given = format!("[{b},{a}]");
    let together = |got: &str| turns(alone(), "several:e1", &given, got);
    keeps("RA301", together(&given));
    breaks("RA301", together(&format!("[{a},{b}]")), "another place");
    breaks("RA301", together(&format!("[{b},{b}]")), "instead of");
    breaks("RA301", together(&format!("[{b}]")), "1 values for 2");
    // Without each of them alone, nobody knows.
    let unknown = turns(
        canonical(FEATURE),
        "several:e1",
        &given,
        &format!("[{a},{b}]"),
    );
    keeps("RA301", unknown);
}

#[test]
fn canonicalizing_a_canonical_resource_changes_nothing() {
    let first = || {
        turns(
            canonical(FEATURE),
            "c:e1",
            r#"[{"name":"A"}]"#,
            r#"[{"name":"a"}]"#,
        )
    };
    let again = |got: &str| turns(first(), "c2:e1", r#"[{"name":"a"}]"#, got);
    keeps("RA302", again(r#"[{"name":"a"}]"#));
    breaks("RA302", again(r#"[{"name":"/a"}]"#), "turns `name`");
    // Of several cases of one defect, those about something else are named.
    let sized = |got: &str| {
        let own = r#"[{"name":"a","size":1}]"#;
        turns(
            turns(canonical(FEATURE), "c:e1", "[]", own),
            "c2:e1",
            own,
            got,
        )
    };
    let other = sized(r#"[{"name":"a","size":2}]"#);
    let all = vec![
        again(r#"[{"name":"/a"}]"#),
        again(r#"[{"name":"b"}]"#),
        other,
    ];
    let found = found("RA302", all);
    assert_eq!((found.more, found.others.len()), (2, 1));
    assert!(found.others[0].contains("`size`"), "{found:?}");
    // The canonical form may follow the state.
    let set = || first().sets("e:e1", r#""a""#, "{}", &value("null"));
    let given = r#"[{"name":"a"}]"#;
    keeps_silent("RA302", turns(set(), "c2:e1", given, r#"[{"name":"/a"}]"#));
    // Whether a killed `set` had done its work is not known.
    let changes = r#"{"provider":1,"changes":[["a",{}]]}"#;
    let killed = first().asks(phase::SET, "ke:e1", changes).silent();
    keeps_silent("RA302", turns(killed, "c2:e1", given, r#"[{"name":"/a"}]"#));
    let rows = |got: &str| {
        let read = canonical(FEATURE).gets("get:a", r#"[{"name":"a"}]"#);
        turns(read, "c:rows", r#"[{"name":"a"}]"#, got)
    };
    keeps("RA303", rows(r#"[{"name":"a"}]"#));
    breaks("RA303", rows(r#"[{"name":"b"}]"#), "turns `name`");
}

#[test]
fn parts_of_resources_are_resources() {
    let part = |answer: &str| {
        let params = r#"{"provider":1,"resources":[{"title":"a"}]}"#;
        canonical(FEATURE).call(phase::CANONICALIZE, "partial-title", params, answer)
    };
    keeps("RA304", part(&value(r#"[{"title":"a"}]"#)));
    breaks(
        "RA304",
        part(&raised("KeyError", "key not found")),
        "given a title alone",
    );
}

#[test]
fn canonical_values_keep_their_types() {
    let turned = |got: &str| {
        turns(
            canonical(FEATURE),
            "c:e1",
            r#"[{"name":"A","size":1},{"name":"b"}]"#,
            got,
        )
    };
    keeps("RA305", turned(r#"[{"name":"a","size":2},{"name":"b"}]"#));
    breaks(
        "RA305",
        turned(r#"[{"name":"a","size":"1"},{"name":"b"}]"#),
        "size expects",
    );
    breaks(
        "RA305",
        turned(r#"[{"name":"a"},{"name":"a"}]"#),
        "have the same afterwards",
    );
    let names = |given: &str, got: &str| turns(canonical(FEATURE), "c:e1", given, got);
    let same = r#"[{"name":"a-b"},{"name":"a-b"},{"name":"c"}]"#;
    // Names that differ in case or signs alone may mean the same.
    keeps(
        "RA305",
        names(r#"[{"name":"A_B"},{"name":"0xa-b"},{"name":"c"}]"#, same),
    );
    breaks(
        "RA305",
        names(r#"[{"name":"a-b"},{"name":"a-bc"},{"name":"c"}]"#, same),
        "have the same afterwards",
    );
}

#[test]
fn a_method_without_its_feature_that_does_nothing_is_advice() {
    let opened = |idle: &str| {
        let methods = METHODS.replace(r#""get":"#, r#""canonicalize":[["rest"]],"get":"#);
        open("", KEY, &format!(r#"{methods},"idle":[{idle}]"#))
    };
    breaks("RA301", opened(""), "does not declare `canonicalize`");
    assert_eq!(levels("RA301", opened("")), [Level::Must]);
    assert_eq!(levels("RA301", opened(r#""canonicalize""#)), [Level::May]);
}
