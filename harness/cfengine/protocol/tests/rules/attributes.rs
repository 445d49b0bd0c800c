//! What rules say of attributes that no promise type has: the agent's own, and names with baits.

use crate::common::{
    DIR, Dialogue, answer, created, dialogue, messages, request, variant, verdict,
};
use stickler_judge::Level;
use stickler_transcript::{Item, Trap, TrapKind, Variation};

fn path() -> String {
    format!("{DIR}/note")
}

/// The example `e1`, with attributes that the agent adds or without.
fn documented(added: bool, result: &str, content: &str) -> Dialogue {
    let attributes = match added {
        true => r#"{"text":"a","comment":"why","handle":"this"}"#,
        false => r#"{"text":"a"}"#,
    };
    let (first, second) = (
        request("validate", &path(), attributes),
        request("evaluate", &path(), attributes),
    );
    let valid = answer("validate", result, "");
    let mut session = dialogue(
        "json",
        &[
            ("observe", ""),
            ("→ v:e1", &first),
            ("←", &valid),
            ("observe", ""),
        ],
    );
    if result == "valid" {
        let repaired = answer("evaluate", "repaired", "");
        session = session
            .then(&[("→ e:e1", &second), ("←", &repaired)])
            .effects(vec![created("note", content)]);
    }
    let role = if added {
        "with `comment` and `handle`"
    } else {
        "baseline"
    };
    session.member("attributes", role).case(|case| {
        if added {
            let item = case.items.first_mut().expect("e1");
            item.original = false;
            item.variation = Some(Variation::Reserved);
        }
    })
}

#[test]
fn a_comment_and_a_handle_change_nothing() {
    let plain = || documented(false, "valid", "a");
    let same = documented(true, "valid", "a");
    assert_eq!(verdict("PM911", vec![plain(), same]), (3, vec![]));
    let refused = documented(true, "invalid", "a");
    let (_, found) = verdict("PM911", vec![plain(), refused]);
    assert_eq!(
        found[0].message,
        "with `comment` and `handle`, which cf-agent sends: `invalid` instead of `valid`"
    );
    assert_eq!(found[0].level, Level::Should);
    let written = || documented(true, "valid", "# why\na");
    assert_eq!(messages("PM911", vec![plain(), written()]).len(), 1);
    let open = |session: Dialogue| {
        session.case(|case| {
            case.facts.insert("open_attributes".into(), true.into());
        })
    };
    let both = vec![open(plain()), open(written())];
    assert_eq!(messages("PM911", both), [] as [&str; 0]);
}

/// A promise that is rejected for an attribute whose name is a bait.
fn named(bait: &str, kind: TrapKind, sign: &str, answer: &str) -> Dialogue {
    let sent = request(
        "validate",
        &path(),
        &format!(r#"{{"text":"a","{bait}":"x"}}"#),
    );
    dialogue("json", &[("observe", ""), ("!→ v:x", &sent), ("←", answer)])
        .about(Item {
            label: "x".into(),
            ..variant("e1", "canary", bait)
        })
        .case(|case| {
            case.traps.push(Trap {
                kind,
                sign: sign.into(),
                bait: bait.into(),
                field: None,
            });
        })
}

#[test]
fn the_name_of_an_attribute_is_not_run() {
    let sign = "/tmp/stickler/canary.1";
    let invalid = answer("validate", "invalid", "");
    let name = |effects| named("x$(canary 1)", TrapKind::Command, sign, &invalid).effects(effects);
    let (_, found) = verdict("PM903", vec![name(vec![created(sign, "")])]);
    assert_eq!(
        found[0].message,
        "a command in the name of an attribute is run when the promise is validated"
    );
    assert_eq!(found[0].level, Level::Should);
    assert_eq!(verdict("PM903", vec![name(vec![])]), (1, vec![]));
}

#[test]
fn the_name_of_an_attribute_is_not_a_format() {
    let invalid = |said: &str| {
        format!(
            "log_error=no attribute {said}\n{}",
            answer("validate", "invalid", "")
        )
    };
    let judge = |said: &str| {
        let session = named("178%.0s7569", TrapKind::Computed, "1787569", &invalid(said));
        messages("PM903", vec![session])
    };
    assert_eq!(
        judge("1787569"),
        ["an expression in the name of an attribute is computed: `1787569` appears"]
    );
    assert_eq!(judge("178%.0s7569"), [] as [&str; 0]);
}
