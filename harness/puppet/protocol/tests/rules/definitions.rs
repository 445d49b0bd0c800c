//! RA1xx, RA701 to RA704 and RA717: definitions.

use crate::common::{KEY, breaks, definition, keeps, loaded};

/// A definition with these attributes beside the usual ones.
fn with(attribute: &str) -> String {
    definition("", &format!("{KEY},{attribute}"))
}

#[test]
fn a_usual_definition_breaks_no_rule() {
    for code in [
        "RA101", "RA102", "RA103", "RA104", "RA105", "RA106", "RA107", "RA108", "RA109", "RA110",
        "RA111", "RA112", "RA113", "RA114", "RA115",
    ] {
        keeps(code, loaded("type", &definition("", KEY)));
    }
}

#[test]
fn a_fault_of_a_definition_breaks_its_rule() {
    let patterns = |first: &str, second: &str| {
        let one = |text: &str| {
            format!(r#"{{"pattern":{{"$re":"{text}","options":""}},"desc":"A title."}}"#)
        };
        format!(r#""title_patterns":[{},{}],"#, one(first), one(second))
    };
    let own = r#""desc":"x","type":"Optional[String]""#;
    let cases = [
        (
            "RA101",
            definition("", KEY).replace(r#""key""#, r#""ke-y""#),
            "no valid class name",
        ),
        ("RA102", with(r#""note":{"desc":"x"}"#), "has no type"),
        (
            "RA103",
            with(r#""note":{"type":"String"}"#),
            "has no `desc`",
        ),
        (
            "RA104",
            definition(r#""feature":[],"#, KEY),
            "is `features` meant?",
        ),
        (
            "RA105",
            with(r#""note":{"desc":"x","type":"String["}"#),
            "does not parse",
        ),
        (
            "RA106",
            with(&format!(r#""note":{{{own},"behaviour":"parameter"}}"#)),
            "is no behaviour",
        ),
        (
            "RA107",
            with(&format!(r#""tag":{{{own}}}"#)),
            "reserved name",
        ),
        (
            "RA108",
            definition("", &KEY.replace("present, absent", "present, absent, held")),
            "not `Enum[present, absent]`",
        ),
        (
            "RA109",
            with(r#""count":{"desc":"x","type":"Integer","default":"1"}"#),
            "the default",
        ),
        (
            "RA110",
            definition(r#""features":["remote"],"#, KEY),
            "`remote` is unknown",
        ),
        (
            "RA111",
            definition("", &KEY.replace(r#","behaviour":{"$sym":"namevar"}"#, "")),
            "no attribute is a namevar",
        ),
        (
            "RA112",
            definition(&patterns("^(?<nam>.*)$", "^(?<name>.*)$"), KEY),
            "captures `nam`",
        ),
        (
            "RA113",
            definition(&patterns("^(?<name>.*)$", "^(?<name>a+)$"), KEY),
            "never the first match",
        ),
        (
            "RA114",
            definition(r#""autorequire":{"file":"$pth"},"#, KEY),
            "attribute `pth`",
        ),
        (
            "RA115",
            with(&format!(r#""password":{{{own}}}"#)),
            "looks like a secret",
        ),
        (
            "RA115",
            with(
                r#""password":{"desc":"x","type":"Sensitive[String]","default":{"$sens":"changeme"}}"#,
            ),
            "the secret `password` has a default",
        ),
    ];
    for (code, definition, says) in cases {
        breaks(code, loaded("type", &definition), says);
    }
}

#[test]
fn a_definition_that_only_resembles_a_faulty_one_breaks_no_rule() {
    let cases = [
        ("RA103", definition("", &KEY.replace("desc", "docs"))),
        ("RA104", definition(r#""maintainer":"x","#, KEY)),
        (
            "RA106",
            definition("", &KEY.replace("behaviour", "behavior")),
        ),
        ("RA107", with(r#""tags":{"desc":"x","type":"String"}"#)),
        (
            "RA108",
            definition(
                "",
                &KEY.replace("Enum[present, absent]", "Optional[Enum[absent, present]]"),
            ),
        ),
        (
            "RA109",
            with(r#""note":{"desc":"x","type":"Optional[String]","default":null}"#),
        ),
        (
            "RA114",
            definition(r#""autorequire":{"file":["$name",null,"/etc"]},"#, KEY),
        ),
        (
            "RA115",
            with(r#""password_file":{"desc":"x","type":"String"}"#),
        ),
    ];
    for (code, definition) in cases {
        keeps(code, loaded("type", &definition));
    }
}

/// A schema with this key beside a usual one.
fn schema(more: &str, key: &str) -> String {
    format!(
        r#"{{"name":"key","desc":"A switch.",{more}"connection_info":{{"host":{{"type":"String","desc":"x"}}{key}}}}}"#
    )
}

#[test]
fn schemas_of_transports_have_rules_of_their_own() {
    let own = r#""type":"Optional[String]","desc":"x""#;
    let key = |name: &str, more: &str| schema("", &format!(r#",{name}:{{{own}{more}}}"#));
    for (code, broken, sound, says) in [
        (
            "RA701",
            schema(r#""connection_info_order":[{"$sym":"prot"}],"#, ""),
            schema(r#""connection_info_order":[{"$sym":"host"}],"#, ""),
            "connection_info_order",
        ),
        (
            "RA702",
            key(r#""path""#, ""),
            key(r#""base_path""#, ""),
            "reserved keyword",
        ),
        (
            "RA703",
            key(r#""username""#, ""),
            key(r#""hostname""#, ""),
            "usually called `user`",
        ),
        (
            "RA704",
            key(r#""token""#, ""),
            key(r#""token""#, r#","sensitive":true"#),
            "looks like a secret",
        ),
    ] {
        breaks(code, loaded("transport", &broken), says);
        keeps(code, loaded("transport", &sound));
    }
    let strings = schema("", "").replace(
        r#"{"host":{"type":"String","desc":"x"}}"#,
        r#"{"$h":[["host",{"type":"String","desc":"x"}]]}"#,
    );
    breaks("RA717", loaded("transport", &strings), "is a string");
    keeps("RA717", loaded("transport", &schema("", "")));
}

#[test]
fn a_file_that_raises_is_no_type() {
    use crate::common::raised;
    use puppet_protocol::phase;
    let load = |answer: &str| {
        loaded("type", &definition("", KEY)).call(
            phase::LOAD,
            "load:other",
            r#"{"type":"other"}"#,
            answer,
        )
    };
    breaks(
        "RA116",
        load(&raised("RuntimeError", "not today")),
        "cannot be loaded",
    );
}
