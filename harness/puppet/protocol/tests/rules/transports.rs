//! RA705 to RA716: transports and their targets.

use crate::common::{
    Dialogue, KEY, METHODS, breaks, keeps, loaded, open, raised, usual, value, verdict,
};
use puppet_protocol::phase;

const SCHEMA: &str = r#"{"name":"key","desc":"x","connection_info":{"host":{"type":"String","desc":"x"},"code":{"type":"String","desc":"x","sensitive":true}}}"#;
const CLOSE: &str = r#"{"transport":1}"#;

fn transport() -> Dialogue {
    loaded("transport", SCHEMA)
}

fn connects(key: &str, more: &str) -> Dialogue {
    let params =
        r#"{"transport":"key","connection_info":{"host":"h","code":"hunter2"},"load":"autoload"}"#;
    let answer = format!(r#""result":{{"transport":1{more}}}"#);
    transport().call(phase::CONNECT, key, params, &answer)
}

#[test]
fn a_transport_has_four_methods() {
    let with = |facts: &str| {
        let one = r#"[["req","context"]]"#;
        let two = r#"[["req","context"],["req","connection_info"]]"#;
        let answer = format!(
            r#""result":{{"class":"Key","ancestors":[],"methods":{{"initialize":{two},"verify":{one},"close":{one}{facts}}}}}"#
        );
        transport().call(
            phase::DESCRIBE,
            "describe:key",
            r#"{"transport":"key"}"#,
            &answer,
        )
    };
    keeps(
        "RA705",
        with(r#","facts":[["req","context"],["opt","more"]]"#),
    );
    breaks("RA705", with(""), "no method `facts(context)`");
    breaks(
        "RA705",
        with(r#","facts":[]"#),
        "`facts` does not take (context)",
    );
}

#[test]
fn facts_are_a_hash_with_something_in_it() {
    let facts =
        |answer: &str| connects("connect:s", "").call(phase::FACTS, "facts:s", CLOSE, answer);
    for code in ["RA707", "RA716"] {
        keeps(code, facts(&value(r#"{"$h":[["hostname","h"]]}"#)));
    }
    breaks(
        "RA707",
        facts(&value("[]")),
        "`facts` returned a value of class",
    );
    breaks("RA716", facts(&value("{}")), "`facts` returned none");
}

#[test]
fn facts_do_not_raise_while_the_target_answers() {
    let facts = |verify: &str| {
        connects("again:s", "")
            .call(phase::VERIFY, "verify:s", CLOSE, verify)
            .call(
                phase::FACTS,
                "facts:s",
                CLOSE,
                &raised("NoMethodError", "strip"),
            )
    };
    breaks(
        "RA707",
        facts(&value("null")),
        "`facts` raises NoMethodError",
    );
    let gone = facts(&raised("Puppet::Error", "gone"));
    assert_eq!(verdict("RA707", vec![gone]).1, [] as [&str; 0]);
}

#[test]
fn facts_leave_the_connection_as_it_is() {
    let facts = |still: &str| {
        let facts = value(r#"{"$h":[["hostname","h"]]}"#);
        connects("again:s", "")
            .call(phase::VERIFY, "verify:s", CLOSE, &value("null"))
            .call(phase::FACTS, "facts:s", CLOSE, &facts)
            .call(phase::VERIFY, "still:s", CLOSE, still)
    };
    keeps("RA707", facts(&value("null")));
    breaks(
        "RA707",
        facts(&raised("Puppet::Error", "closed")),
        "after `facts` it raises",
    );
}

#[test]
fn the_port_of_the_connection_info_counts() {
    let elsewhere = |connection: &str, verify: Option<&str>| {
        let params =
            r#"{"transport":"key","connection_info":{"host":"h","port":1},"load":"require"}"#;
        let first = connects("again:s", "").member("targets", "baseline");
        let second = first.call(phase::CONNECT, "elsewhere:s", params, connection);
        match verify {
            Some(verify) => second.call(phase::VERIFY, "elsewhere-verify:s", CLOSE, verify),
            None => second,
        }
    };
    let connected = r#""result":{"transport":2}"#;
    let gone = raised("Puppet::Error", "refused");
    keeps("RA706", elsewhere(&gone, None));
    keeps("RA706", elsewhere(connected, Some(&gone)));
    breaks(
        "RA706",
        elsewhere(connected, Some(&value("null"))),
        "nothing listens on port 1",
    );
}

#[test]
fn a_failure_is_not_remembered() {
    let reads = |anew: &str, fresh: &str| {
        usual()
            .member("targets", "stopped")
            .call(phase::GET, "anew:s", r#"{"provider":1}"#, anew)
            .call(phase::GET, "fresh:s", r#"{"provider":1}"#, fresh)
    };
    let rows = value(r#"[{"name":"a","ensure":"present"}]"#);
    let failed = raised("Puppet::Error", "down");
    keeps("RA516", reads(&rows, &rows));
    breaks("RA516", reads(&failed, &rows), "a new instance raises");
    breaks("RA516", reads(&value("[]"), &rows), "what an earlier one");
    // The service did not start again.
    let silent = reads(&failed, &failed);
    assert_eq!(verdict("RA516", vec![silent]).1, [] as [&str; 0]);
}

#[test]
fn optional_keys_may_be_left_out() {
    let lacking = |answer: &str| {
        let params = r#"{"transport":"key","connection_info":{"host":"h"},"load":"require"}"#;
        let dialogue = transport().call(phase::CONNECT, "lacking-code:s", params, answer);
        dialogue.member("targets", "baseline")
    };
    keeps("RA705", lacking(r#""result":{"transport":1}"#));
    keeps("RA705", lacking(&raised("ArgumentError", "code or token")));
    breaks(
        "RA705",
        lacking(&raised("NoMethodError", "undefined method `*' for nil")),
        "without the optional key `code`",
    );
}

#[test]
fn a_target_that_never_answers_is_given_up() {
    let quiet = |took: bool| {
        let params = r#"{"transport":"key","connection_info":{"host":"h"},"load":"require"}"#;
        let dialogue = match took {
            true => transport().call(
                phase::CONNECT,
                "tried:s",
                params,
                &raised("Puppet::Error", "no answer"),
            ),
            false => transport().asks(phase::CONNECT, "tried:s", params).silent(),
        };
        dialogue.member("targets", "quiet")
    };
    keeps("RA709", quiet(true));
    breaks("RA709", quiet(false), "waited more than 30 s");
}

#[test]
fn a_lost_target_is_noticed() {
    let lost = |verify: &str| {
        connects("lost:s", "")
            .call(phase::VERIFY, "verify:s", CLOSE, verify)
            .call(
                phase::FACTS,
                "facts:s",
                CLOSE,
                &raised("Puppet::Error", "gone"),
            )
    };
    keeps("RA707", lost(&raised("Puppet::Error", "gone")));
    breaks(
        "RA707",
        lost(&value("null")),
        "the target does not answer, but `verify` raises no exception",
    );
}

#[test]
fn close_frees_and_never_raises() {
    let closed = |answer: &str, sockets: u8| {
        let holds = |count: u8| format!(r#""result":{{"sockets":{count},"processes":0}}"#);
        connects("first:s", "")
            .call(phase::HOLDS, "before", "{}", &holds(2))
            .call(phase::CLOSE, "close:s", CLOSE, answer)
            .call(phase::HOLDS, "after", "{}", &holds(sockets))
    };
    keeps("RA708", closed(&value("null"), 2));
    breaks(
        "RA708",
        closed(&value("null"), 3),
        "there were 2 before it, and there are 3",
    );
    breaks(
        "RA708",
        closed(&raised("IOError", "closed"), 2),
        "`close` raised",
    );
    let twice =
        |answer: &str| closed(&value("null"), 2).call(phase::CLOSE, "close-twice:s", CLOSE, answer);
    keeps("RA710", twice(&value("null")));
    breaks(
        "RA710",
        twice(&raised("IOError", "closed")),
        "a second `close` raised",
    );
    breaks(
        "RA710",
        connects("connect:s", r#","connection_info_after":{}"#),
        "modified the connection info",
    );
}

#[test]
fn a_method_that_is_missing_is_one_finding() {
    let closed = |methods: &str| {
        let failed = raised("NoMethodError", "no close for #<Key @code=hunter2>");
        connects("connect:s", &format!(r#","methods":{{{methods}}}"#)).call(
            phase::CLOSE,
            "close:s",
            CLOSE,
            &failed,
        )
    };
    // RA705 asks for the method. What Ruby shows of the transport then is not its own message.
    for (code, says) in [("RA708", "`close` raised"), ("RA713", "`code`")] {
        breaks(code, closed(r#""close":[["req","context"]]"#), says);
        assert!(verdict(code, vec![closed("")]).1.is_empty(), "{code}");
    }
}

#[test]
fn contradictions_are_argument_errors() {
    let refused = |answer: &str| {
        let params = r#"{"transport":"key","connection_info":{"host":"h"}}"#;
        transport().call(phase::CONNECT, "invalid:s", params, answer)
    };
    keeps("RA715", refused(&raised("ArgumentError", "no code")));
    breaks(
        "RA715",
        refused(&raised("Puppet::Error", "no code")),
        "instead of an ArgumentError",
    );
    breaks(
        "RA520",
        refused(r#""result":{"transport":1}"#),
        "[target.s] is declared invalid, and it is accepted",
    );
    keeps("RA520", refused(&raised("Puppet::Error", "no code")));
}

#[test]
fn a_secret_never_shows() {
    let shown = |text: &str| {
        let answer = value(&format!(r#""{text}""#));
        connects("connect:s", r#","methods":{}"#).call(phase::INSPECT, "inspect:s", CLOSE, &answer)
    };
    keeps("RA713", shown("#<Key @host=h>"));
    breaks("RA713", shown("#<Key @code=hunter2>"), "`code`");
}

#[test]
fn schemas_are_listed_by_name() {
    let listed = |names: &str| {
        let answer = format!(r#""result":{{"names":{names}}}"#);
        transport().call(phase::TRANSPORTS, "transports", "{}", &answer)
    };
    keeps("RA714", listed(r#"["key","other"]"#));
    breaks("RA714", listed(r#"["other"]"#), "`key` is not in the list");
}

#[test]
fn devices_are_wrappers() {
    let device = |above: &str| {
        let answer = format!(r#""result":{{"class":"Device","ancestors":["{above}"]}}"#);
        transport().call(
            phase::DESCRIBE,
            "device:key",
            r#"{"device":"key"}"#,
            &answer,
        )
    };
    keeps("RA712", device("Puppet::ResourceApi::Transport::Wrapper"));
    breaks(
        "RA712",
        device("Puppet::Util::NetworkDevice::Simple::Device"),
        "does not inherit",
    );
}

#[test]
fn rows_of_a_remote_target_are_read_through_the_transport() {
    let read = |row: &str, calls: u8| {
        let answer = format!(r#""result":{{"value":[{row}],"class":"Array","through":{calls}}}"#);
        open(r#""remote_resource""#, KEY, METHODS).call(
            phase::GET,
            "get:a",
            r#"{"provider":1}"#,
            &answer,
        )
    };
    let row = r#"{"name":"a","ensure":"present","size":1}"#;
    keeps("RA711", read(row, 1));
    breaks("RA711", read(row, 0), "without calling any method");
    // A name that every target has.
    let named = read(r#"{"name":"default"}"#, 0);
    assert!(verdict("RA711", vec![named]).1.is_empty());
}
