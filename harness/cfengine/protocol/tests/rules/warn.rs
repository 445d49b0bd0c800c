//! PM7xx: broken, and the nearest thing that is not.

use crate::common::{
    Dialogue, answer, ask, changed, created, dialogue, evaluated, messages, opened, verdict,
};
use stickler_judge::Level;
use stickler_transcript::{Drift, Event};

fn normal() -> Dialogue {
    let first = evaluated(
        opened("json action_policy"),
        "e",
        "",
        "log_info=Wrote\nrepaired",
        vec![created("a", "hello")],
    );
    evaluated(first, "e2", "", "kept", vec![]).member("warn", "baseline")
}

/// A session with warn: on the fresh state, a normal run, again with warn.
fn warned(fresh: &str, again: &str) -> Dialogue {
    let first = evaluated(opened("json action_policy"), "we", "warn", fresh, vec![]);
    let run = evaluated(
        first,
        "e",
        "",
        "log_info=Wrote\nrepaired",
        vec![created("a", "hello")],
    );
    evaluated(run, "we2", "warn", again, vec![]).member("warn", "warn")
}

const SHOULD: &str = "log_warning=Should write, but only warnings promised\nnot_kept";

#[test]
fn a_sound_module_under_warn_breaks_nothing() {
    for code in [
        "PM701", "PM702", "PM703", "PM704", "PM705", "PM706", "PM709",
    ] {
        let (passes, found) = verdict(
            code,
            vec![normal(), warned(SHOULD, "log_verbose=Fine\nkept")],
        );
        assert!(passes > 0, "{code}");
        assert_eq!(found, [], "{code}");
    }
    for code in ["PM801", "PM802", "PM803", "PM804"] {
        assert_eq!(
            verdict(code, vec![normal(), warned(SHOULD, "kept")]).1,
            [],
            "{code}"
        );
    }
}

#[test]
fn warn_changes_nothing() {
    let with = |effects| {
        evaluated(opened("json action_policy"), "we", "warn", SHOULD, effects)
            .member("warn", "warn")
    };
    let (_, found) = verdict("PM701", vec![with(vec![created("a", "hello")])]);
    assert_eq!(
        found[0].message,
        "an evaluation under warn creates `{dir}/a`"
    );
    assert_eq!(found[0].level, Level::Must);
    let (_, found) = verdict("PM701", vec![with(vec![created("/var/lib/x", "")])]);
    assert_eq!(found[0].level, Level::Should);
    // A lock of its own among the temporary files is no change of the system.
    let lock = || vec![created("/tmp/m.lock", "")];
    assert_eq!(verdict("PM701", vec![with(lock())]), (1, vec![]));
    let kept = evaluated(opened("json"), "e", "", "kept", lock());
    assert_eq!(verdict("PM802", vec![kept]), (1, vec![]));
    // A module that does not advertise the feature: advice.
    let bare = evaluated(
        opened("json"),
        "we",
        "warn",
        SHOULD,
        vec![created("a", "hello")],
    );
    assert_eq!(verdict("PM701", vec![bare.clone()]), (0, vec![]));
    let (_, found) = verdict("PM708", vec![bare]);
    assert_eq!(found[0].level, Level::May);
    let refused =
        ask(dialogue("json", &[]), "wv", "warn").then(&[("←", &answer("validate", "invalid", ""))]);
    assert_eq!(verdict("PM708", vec![refused]), (1, vec![]));
}

#[test]
fn a_needed_change_is_a_warning() {
    let group = |fresh: &str| vec![normal(), warned(fresh, "kept")];
    assert_eq!(
        messages("PM702", group("log_error=Wrong\nnot_kept")),
        ["`not_kept` under warn, without a log message of level warning"]
    );
    assert_eq!(
        messages("PM702", group("kept")),
        ["`kept` under warn, but a normal run answers `repaired`"]
    );
    // `repaired` is PM704's.
    assert_eq!(verdict("PM702", group("log_info=x\nrepaired")).1, []);
    assert_eq!(
        messages("PM704", group("log_info=x\nrepaired")),
        ["`repaired` under warn"]
    );
    assert_eq!(verdict("PM705", group("log_info=x\nrepaired")).1, []);
    assert_eq!(
        messages("PM705", group("log_info=x\nlog_warning=Should\nnot_kept")),
        ["a log message of level info under warn"]
    );
}

#[test]
fn nothing_to_do_is_quiet() {
    let group = |again: &str| vec![normal(), warned(SHOULD, again)];
    assert_eq!(
        messages("PM703", group("log_warning=Fine\nkept")),
        ["`kept` under warn, with a log message of level warning"]
    );
    assert_eq!(
        verdict("PM703", group("log_debug=x\nlog_verbose=y\nkept")).1,
        []
    );
    assert_eq!(messages("PM703", group(SHOULD)).len(), 1);
    assert_eq!(
        messages("PM706", group(SHOULD)),
        ["`not_kept` under warn, but `kept` in a normal run"]
    );
    // Where the promise never settles, warn may say so each time.
    let first = evaluated(
        opened("json action_policy"),
        "e",
        "",
        "log_info=x\nrepaired",
        vec![created("a", "1")],
    );
    let restless = evaluated(
        first,
        "e2",
        "",
        "log_info=x\nrepaired",
        vec![changed("a", "1", "2")],
    )
    .member("warn", "baseline");
    assert_eq!(
        verdict("PM706", vec![restless, warned(SHOULD, SHOULD)]),
        (1, vec![])
    );
}

#[test]
fn the_wording_is_advice() {
    let session = warned("log_warning=File differs\nnot_kept", "kept");
    let (_, found) = verdict("PM709", vec![session]);
    assert_eq!(found[0].level, Level::May);
    let single = warned(
        "log_warning=Should write, but only warning promised\nnot_kept",
        "kept",
    );
    assert_eq!(verdict("PM709", vec![single]), (1, vec![]));
    // Something from outside may be in the way, and then there is nothing to promise.
    let drifted = |dialogue: Dialogue, drift: Drift| {
        dialogue.with(|t| Event::Drifted {
            t,
            drift: Box::new(drift),
            failed: None,
            alone: false,
        })
    };
    let blocked = || {
        let way = Drift::Directory { path: "/x".into() };
        let opened = drifted(opened("json action_policy"), way);
        evaluated(opened, "we", "warn", "log_warning=Cannot\nnot_kept", vec![])
    };
    let disturbed = |then: &str| evaluated(blocked(), "e", "", then, vec![]);
    let cannot = disturbed("log_error=Cannot\nnot_kept");
    assert_eq!(verdict("PM709", vec![cannot]), (0, vec![]));
    let can = disturbed("log_info=Wrote\nrepaired");
    assert_eq!(verdict("PM709", vec![can]).1.len(), 1);
    // Somebody else has cleared the way.
    let cleared = drifted(blocked(), Drift::Remove { path: "/x".into() });
    let cleared = evaluated(cleared, "e", "", "log_info=Wrote\nrepaired", vec![]);
    assert_eq!(verdict("PM709", vec![cleared]), (0, vec![]));
}

fn policy(role: &str, validation: &str) -> Dialogue {
    let key = format!("{}v", &role[..1]);
    let opened = dialogue("json action_policy", &[]).then(&[("observe", "start")]);
    ask(opened, &key, role)
        .then(&[("←", &answer("validate", validation, ""))])
        .effects(vec![])
        .member("warn", role)
}

#[test]
fn action_policy_is_no_unknown_attribute() {
    for role in ["warn", "fix"] {
        assert_eq!(
            verdict("PM707", vec![normal(), policy(role, "valid")]),
            (1, vec![])
        );
        assert_eq!(
            messages("PM707", vec![normal(), policy(role, "invalid")]),
            [format!(
                "`valid` without `action_policy`, but `invalid` with {role}"
            )]
        );
    }
    assert_eq!(
        verdict("PM707", vec![normal(), policy("nop", "invalid")]),
        (1, vec![])
    );
    let nop = |effects| evaluated(policy("nop", "valid"), "ne", "nop", SHOULD, effects);
    assert_eq!(verdict("PM707", vec![normal(), nop(vec![])]), (1, vec![]));
    assert_eq!(
        messages("PM707", vec![normal(), nop(vec![created("a", "hello")])]),
        ["an evaluation under nop creates `{dir}/a`"]
    );
}

#[test]
fn fix_is_the_usual_way() {
    let fix =
        |result: &str, effects| evaluated(policy("fix", "valid"), "fe", "fix", result, effects);
    let hello = || vec![created("a", "hello")];
    assert_eq!(
        verdict(
            "PM707",
            vec![normal(), fix("log_info=x\nrepaired", hello())]
        ),
        (2, vec![])
    );
    assert_eq!(
        messages(
            "PM707",
            vec![normal(), fix("log_warning=x\nnot_kept", vec![])]
        ),
        ["evaluated with `action_policy` fix: `not_kept` instead of `repaired`"]
    );
    assert_eq!(
        messages(
            "PM707",
            vec![
                normal(),
                fix("log_info=x\nrepaired", vec![created("a", "bye")])
            ]
        ),
        ["evaluated with `action_policy` fix: `{dir}/a` begins with `bye` instead of `hello`"]
    );
}
