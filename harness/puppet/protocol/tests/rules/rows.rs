//! RA2xx: rows of `get`.

use crate::common::{KEY, METHODS, breaks, created, keeps, open, raised, usual, value, verdict};
use puppet_protocol::phase;

const ROWS: &str = r#"[{"name":"a","ensure":"present","size":1}]"#;

#[test]
fn usual_rows_break_no_rule() {
    let read = || {
        usual()
            .gets("get:a", ROWS)
            .effects(vec![])
            .gets("get:b", ROWS)
            .effects(vec![])
    };
    for code in ["RA201", "RA202", "RA203", "RA205"] {
        keeps(code, read());
    }
}

#[test]
fn each_fault_of_a_row_breaks_its_rule() {
    for (code, rows, says) in [
        ("RA201", "null", "`get` returned"),
        ("RA201", r#"[{"$h":[["name","a"]]}]"#, "which is no symbol"),
        ("RA202", r#"[{"name":"a","size":"1"}]"#, "size expects"),
        (
            "RA202",
            r#"[{"name":"a","bytes":1}]"#,
            "`bytes` is no attribute",
        ),
        ("RA203", r#"[{"size":1}]"#, "has no `name`"),
        ("RA203", r#"[{"name":null}]"#, "has no `name`"),
        ("RA203", r#"[{"name":"a"},{"name":"a"}]"#, "two rows are"),
    ] {
        breaks(code, usual().gets("get:a", rows), says);
    }
}

#[test]
fn a_resource_created_twice_may_be_listed_twice() {
    let target = r#"{"name":"a","ensure":"present","size":1}"#;
    let twice = format!("[{target},{target}]");
    let made = |key: &str| {
        usual()
            .gets("get:a", ROWS)
            .sets(
                key,
                r#""a""#,
                &format!(r#"{{"is":null,"should":{target}}}"#),
                &value("null"),
            )
            .gets("get:b", &twice)
    };
    keeps("RA203", made("repeated:e1"));
    breaks("RA203", made("e:e1"), "two rows are");
}

#[test]
fn a_title_is_no_attribute_and_no_fault() {
    keeps(
        "RA202",
        usual().gets("get:a", r#"[{"title":"A","name":"a","size":null}]"#),
    );
    // RA203 asks for the name.
    let nameless = usual().gets("get:a", r#"[{"name":null,"size":1}]"#);
    assert!(verdict("RA202", vec![nameless]).1.is_empty());
}

/// A type with two namevars.
fn pins(default: &str, title: &str) -> crate::common::Dialogue {
    let namevar = r#""behaviour":{"$sym":"namevar"}"#;
    let pattern =
        |text: &str| format!(r#"{{"pattern":{{"$re":"{text}","options":""}},"desc":"x"}}"#);
    let attributes = format!(
        r#""package":{{"type":"String","desc":"x",{namevar}}},"manager":{{"type":"String","desc":"x",{namevar}{default}}}"#
    );
    let definition = format!(
        r#"{{"name":"key","desc":"x","title_patterns":[{},{}],"attributes":{{{attributes}}}}}"#,
        pattern("^(?<package>[a-z]+)-(?<manager>[a-z]+)$"),
        pattern("^(?<package>[a-z]+)$"),
    );
    let row = format!(r#"[{{"title":"{title}","package":"php","manager":"apt"}}]"#);
    crate::common::loaded("type", &definition)
        .opens(METHODS)
        .gets("get:a", &row)
}

#[test]
fn a_title_gives_all_namevars() {
    keeps("RA204", pins("", "php-apt"));
    breaks("RA204", pins("", "apt-php"), "gives `apt` for `package`");
    breaks("RA204", pins("", "php"), "gives nothing for `manager`");
    keeps("RA204", pins(r#","default":"apt""#, "php"));
    breaks(
        "RA204",
        pins(r#","default":"gem""#, "php"),
        "gives `gem` for `manager`",
    );
}

#[test]
fn without_title_patterns_no_row_needs_a_title() {
    let namevar = r#""type":"String","desc":"x","behaviour":{"$sym":"namevar"}"#;
    let attributes = format!(r#""package":{{{namevar}}},"manager":{{{namevar}}}"#);
    let dialogue = open("", &attributes, METHODS);
    let rows = r#"[{"package":"php","manager":"apt"}]"#;
    let found = verdict("RA204", vec![dialogue.gets("get:a", rows)]);
    assert_eq!(found, (0, Vec::new()));
}

#[test]
fn get_only_reads() {
    let changes = usual()
        .effects(vec![])
        .gets("get:a", ROWS)
        .effects(vec![created("/etc/lock")]);
    breaks("RA205", changes, "`get` changed /etc/lock");
    breaks(
        "RA205",
        usual().gets("get:a", ROWS).gets("get:b", "[]"),
        "other rows",
    );
}

#[test]
fn rows_by_name_are_those_among_all_rows() {
    let filtered = |rows: &str| {
        let params = r#"{"provider":1,"names":["a"]}"#;
        open(r#""simple_get_filter""#, KEY, METHODS)
            .gets("get:a", ROWS)
            .call(phase::GET, "get-one:a", params, &value(rows))
    };
    keeps("RA207", filtered(ROWS));
    keeps(
        "RA207",
        filtered(r#"[{"name":"a","ensure":"present","size":1},{"name":"b","ensure":"absent"}]"#),
    );
    breaks("RA207", filtered("[]"), "leaves out");
    // A run would take what is missing for not set; a list may be shorter than a row by name.
    let short = r#"[{"name":"a","ensure":"present"}]"#;
    breaks("RA207", filtered(short), "without its `size`, 1");
    let longer = open(r#""simple_get_filter""#, KEY, METHODS).gets("get:a", short);
    let params = r#"{"provider":1,"names":["a"]}"#;
    keeps(
        "RA207",
        longer.call(phase::GET, "get-one:a", params, &value(ROWS)),
    );
    breaks(
        "RA207",
        filtered(&ROWS.replace("1}", "2}")),
        "is 2 instead of 1",
    );
    let arity = raised(
        "ArgumentError",
        "wrong number of arguments (given 2, expected 1)",
    );
    let fails = open(r#""simple_get_filter""#, KEY, METHODS).call(
        phase::GET,
        "get:a",
        r#"{"provider":1,"names":["a"]}"#,
        &arity,
    );
    breaks("RA207", fails, "wrong number of arguments");
    // What only fails without names is a filter that is not complete, and not a value that is refused.
    let listing = |named: &str| {
        let broken = raised("NoMethodError", "undefined method `map' for nil");
        let params = r#"{"provider":1,"names":["a"]}"#;
        open(r#""simple_get_filter""#, KEY, METHODS)
            .call(phase::GET, "get:a", r#"{"provider":1}"#, &broken)
            .call(phase::GET, "get-one:a", params, named)
    };
    let alone = open(r#""simple_get_filter""#, KEY, METHODS).call(
        phase::GET,
        "get:a",
        r#"{"provider":1}"#,
        &raised("NoMethodError", "undefined method `map' for nil"),
    );
    breaks("RA207", alone, "given nothing, `get` raises");
    // Where the provider is asked by name as well, its rows are those that count.
    keeps("RA801", listing(&value(ROWS)));
    assert!(verdict("RA207", vec![listing(&value(ROWS))]).1.is_empty());
    let always = || listing(&raised("NoMethodError", "undefined method `map' for nil"));
    breaks("RA801", always(), "`get` raised");
    // A call inside of `get` is no question of its names.
    for (signature, code) in [(true, "RA207"), (false, "RA801")] {
        let data = format!(r#""standard":true,"signature":{signature}"#);
        let answer = arity.replace(r#""standard":true"#, &data);
        let params = r#"{"provider":1,"names":["a"]}"#;
        for one in ["RA207", "RA801"] {
            let dialogue = open(r#""simple_get_filter""#, KEY, METHODS);
            let dialogue = dialogue.call(phase::GET, "get:a", params, &answer);
            let found = verdict(one, vec![dialogue]).1;
            assert_eq!(
                found.is_empty(),
                one != code,
                "{one}, {signature}: {found:?}"
            );
        }
    }
}
