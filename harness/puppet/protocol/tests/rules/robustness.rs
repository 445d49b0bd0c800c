//! RA8xx: errors, calls without an answer, and other runtimes.

use crate::common::{Dialogue, breaks, keeps, raised, usual, value, verdict};
use puppet_protocol::phase;

const CHANGE: &str =
    r#"{"is":{"name":"a","ensure":"absent"},"should":{"name":"a","ensure":"present"}}"#;

fn set(answer: &str) -> Dialogue {
    usual().sets("e:e1", r#""a""#, CHANGE, answer)
}

#[test]
fn a_value_is_accepted_or_refused_in_plain_words() {
    keeps("RA801", set(&value("null")));
    keeps("RA801", set(&raised("Puppet::Error", "no such owner")));
    breaks(
        "RA801",
        set(&raised("NoMethodError", "undefined method")),
        "`set` raised NoMethodError",
    );
    let format = "malformed format string - %n";
    breaks(
        "RA801",
        set(&raised("ArgumentError", format)),
        "format string",
    );
    let get = usual().call(
        phase::GET,
        "get:a",
        r#"{"provider":1}"#,
        &raised("TypeError", "no"),
    );
    breaks("RA801", get, "`get` raised TypeError");
}

#[test]
fn an_exception_judged_by_another_rule_is_not_reported_again() {
    let unknown = usual().tells("unknown", "error", "[]");
    let failed = raised("NoMethodError", "undefined method `error'");
    let unknown = unknown.sets("e:e1", r#""a""#, CHANGE, &failed);
    let asked = usual().call(phase::INSYNC, "e-insync:e1", r#"{"provider":1}"#, &failed);
    for dialogue in [unknown, asked] {
        assert_eq!(verdict("RA801", vec![dialogue]).1, [] as [&str; 0]);
    }
}

#[test]
fn every_call_is_answered() {
    keeps("RA804", set(&value("null")));
    let waits = usual()
        .asks(phase::GET, "get:a", r#"{"provider":1}"#)
        .silent();
    breaks("RA804", waits, "no answer to `get` within");
}

/// The same session under two runtimes.
fn under(role: &str, rows: &str) -> (usize, Vec<String>) {
    let code = if role == "Puppet" { "RA805" } else { "RA806" };
    let usually = usual()
        .gets("get:a", r#"[{"name":"a"}]"#)
        .member("runtime", "baseline");
    verdict(
        code,
        vec![usually, usual().gets("get:a", rows).member("runtime", role)],
    )
}

#[test]
fn other_runtimes_show_the_same() {
    for role in ["Puppet", "2.0.1"] {
        let (passes, found) = under(role, r#"[{"name":"a"}]"#);
        assert!(passes > 0 && found.is_empty(), "{role}: {found:?}");
        let (_, found) = under(role, "[]");
        assert!(
            found[0].contains("`get` returns no rows"),
            "{role}: {found:?}"
        );
    }
}

#[test]
fn sessions_under_other_runtimes_are_only_compared() {
    let failing = || {
        let failed = raised("NoMethodError", "undefined method");
        usual().call(phase::GET, "get:a", r#"{"provider":1}"#, &failed)
    };
    let alone = |dialogue: Dialogue| verdict("RA801", vec![dialogue]).1.len();
    assert_eq!(alone(failing()), 1);
    assert_eq!(alone(failing().member("runtime", "again")), 1);
    assert_eq!(alone(failing().member("runtime", "Puppet")), 0);
    // A call that hangs there is a difference.
    let usually = usual().gets("get:a", "[]").member("runtime", "baseline");
    let hangs = usual()
        .asks(phase::GET, "get:a", r#"{"provider":1}"#)
        .silent();
    let (_, found) = verdict("RA805", vec![usually, hangs.member("runtime", "Puppet")]);
    assert!(found[0].contains("does not answer"), "{found:?}");
}
