//! Files that are no recordings, and recordings with holes: never a panic.

use mgmt_conform::{Reference, Situations};
use proptest::prelude::*;
use stickler_conform::{Situations as _, Table, lines};

/// How many situations of a text the engine plays.
fn replay(text: &str) -> anyhow::Result<usize> {
    let table = Situations::of(Box::new(Reference), lines("a text", text)?)?;
    let all: Vec<usize> = (0..table.len()).collect();
    for (at, played) in all.iter().zip(table.play(&all)?) {
        let played = played.map_err(anyhow::Error::msg)?;
        table.differences(*at, &played.seen, "")?;
    }
    Ok(all.len())
}

const CASE: &str = r#"{"name": "case", "fact": "a fact", "family": "family", "input": {"graphs": {"main": {"vertices": [{"name": "a", "kind": "g", "traits": ["send", "group", "edge", "refresh"], "group": "g", "sends": ["x", null, 7], "wrong": true, "uids": ["u"], "check": ["error", {"r": "changed", "ms": 5}, {"r": "ok", "gate": "x"}], "meta": {"retry": 2, "delay_ms": 3, "sema": ["s:2"], "timeout_ms": 9}}, {"name": "b", "traits": ["recv", "refresh", "edge"], "recv": {"in": {"from": "g[a]", "key": "out"}}, "wants": [[{"uid": "u", "reversed": true}]], "wants_stop": "last", "watch": [{"first": "after", "after_ms": 4, "events": 2, "then": "error", "then_ms": 3}, {"on_cancel": "slow", "slow_ms": 5}], "meta": {"retry": 1, "limit": 50, "burst": 1}}, {"name": "c", "kind": "g", "traits": ["group"], "group": "g", "meta": {"noop": true, "poll_s": 1}}], "edges": [{"from": "a", "to": "b", "notify": true}, {"from": "c", "to": "b"}]}, "next": {"vertices": [{"name": "b", "cmp": "1"}, {"name": "d", "meta": {"hidden": true}}], "edges": [{"from": "d", "to": "b"}]}}, "driver": [{"do": "start"}, {"do": "event", "at": "b", "n": 2, "wrong": true}, {"do": "pause", "async": true}, {"do": "open", "gate": "x"}, {"do": "join"}, {"do": "resume"}, {"do": "swap", "graph": "next", "fast": true}, {"do": "watch", "at": "b", "cmd": "panic"}, {"do": "wait", "ms": 9}, {"do": "interrupt"}, {"do": "shutdown"}], "quiet_ms": 20, "converger_s": 1}, "observed": {"runs": 1, "stable": true, "phases": [{"outcome": "ok", "graph": {"vertices": [{"v": "a@1"}], "edges": []}}], "vertices": {"a@1": {"life": [{"phase": 0, "call": "init", "t_ms": [0, 1]}], "end": "ok"}}, "order": [["a@1/l0", "a@1/w0"]], "peak_parallel_checkapply": [1, 2]}}"#;

#[test]
fn the_line_of_an_error_is_told() {
    let text = format!("{CASE}\n\n{{\"name\": 3}}\n");
    let error = replay(&text).expect_err("the third line is no case");
    assert_eq!(error.to_string(), "a text, line 3");
    assert_eq!(1, replay(CASE).expect("the case can be read"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_is_no_recording(text in any::<String>()) {
        let _ = replay(&text);
    }

    #[test]
    fn a_recording_with_a_hole_is_read_or_not(from in 0..CASE.len(), length in 1..60_usize) {
        let to = (from + length).min(CASE.len());
        if let (Some(before), Some(after)) = (CASE.get(..from), CASE.get(to..)) {
            let _ = replay(&format!("{before}{after}"));
        }
    }

    #[test]
    fn values_of_other_types_are_read_or_not(place in 0..400_usize, value in prop::sample::select(vec![
        "null", "true", "-1", "0", "7", "2.5", "\"\"", "\"a\"", "\"g[a]\"", "[]", "{}", "[[]]",
    ])) {
        if let Some(text) = replaced(place, value) {
            let _ = replay(&text);
        }
    }
}

/// The case with another value in the place of one of its own.
fn replaced(place: usize, value: &str) -> Option<String> {
    let mut case: serde_json::Value = serde_json::from_str(CASE).ok()?;
    let mut left = place;
    let value = serde_json::from_str(value).ok()?;
    replace(&mut case, &mut left, &value);
    Some(case.to_string())
}

fn replace(at: &mut serde_json::Value, left: &mut usize, value: &serde_json::Value) {
    if *left == 0 {
        *at = value.clone();
    }
    *left = left.wrapping_sub(1);
    match at {
        serde_json::Value::Object(map) => {
            map.values_mut().for_each(|one| replace(one, left, value));
        }
        serde_json::Value::Array(list) => {
            list.iter_mut().for_each(|one| replace(one, left, value));
        }
        _ => {}
    }
}
