//! Nothing that can be written makes the parser panic, and what is read and
//! written again is read as the same.

use cfengine_policy::tree::Policy;
use cfengine_policy::{Sources, check, class, parse, print};
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Option<Policy> {
    let mut sources = Sources::new();
    let file = sources.add("t.cf", bytes);
    match parse(&sources, file, Default::default()) {
        Ok(policy) => Some(policy),
        Err(problems) => {
            for problem in problems {
                assert!(!problem.render("error", &sources).is_empty());
            }
            None
        }
    }
}

/// A tree without its places.
fn shape(policy: &Policy) -> String {
    let shown = format!("{policy:?}");
    let mut out = String::new();
    let mut rest = shown.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = rest.split_once('}').map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    let lines = out.split("agent_line: ");
    lines
        .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()))
        .collect()
}

/// Pieces that make policies, and spoil them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("bundle agent m {".to_owned()),
        Just("body perms p(a, b) {".to_owned()),
        Just("promise agent git {".to_owned()),
        Just("}\n".to_owned()),
        Just(" vars:\n".to_owned()),
        Just(" linux.!(a|b)::\n".to_owned()),
        Just("\"$(x)\"::\n".to_owned()),
        Just(" string => \"y\"".to_owned()),
        Just(" slist => { 'a', @(b), f($(c)), }".to_owned()),
        Just("-> `me`".to_owned()),
        Just("@if minimum_version(3.18)\n".to_owned()),
        Just("@else\n".to_owned()),
        Just("@endif\n".to_owned()),
        Just("# note\n".to_owned()),
        "[;,(){}=>@$\"'`:. \n\t\\\\]{0,3}",
        "\"[^\"\\\\]{0,6}\"",
        "[a-z_]{1,5}",
        any::<String>(),
    ]
}

/// A sound policy.
fn sound() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "\"[ -~&&[^\"\\\\]]{0,12}\"",
        "'(\\\\['\"\\\\]|[a-z$()é\n]){0,6}'",
        "`[^`\\\\\\x00]{0,6}`",
        "[a-z_]{1,6}(:[a-z]{1,4})?",
        "\\$\\([a-z.]{1,6}\\)",
        "@\\{[a-z]{1,4}\\[[a-z]{1,3}\\]\\}",
    ];
    let call = ("[a-z]{1,5}", proptest::collection::vec(value.clone(), 0..3))
        .prop_map(|(name, arguments)| format!("{name}({})", arguments.join(",")));
    let item = prop_oneof![3 => value.clone(), 1 => call];
    let list = proptest::collection::vec(item.clone(), 0..4)
        .prop_map(|items| format!("{{ {} }}", items.join(" , ")));
    let rval = prop_oneof![3 => item, 1 => list];
    let attribute =
        ("[a-z_]{1,6}", rval.clone()).prop_map(|(name, value)| format!("{name} => {value}"));
    let attributes = proptest::collection::vec(attribute, 0..4);
    let promise = (
        "\"[a-z/]{0,5}\"",
        proptest::option::of(rval),
        attributes.clone(),
    )
        .prop_map(|(promiser, promisee, attributes)| {
            let promisee = promisee.map_or(String::new(), |promisee| format!("-> {promisee}"));
            format!("{promiser} {promisee} {};\n", attributes.join(",\n"))
        });
    let guard = prop_oneof!["[a-z]{1,4}(\\.!?[a-z]{1,4}){0,2}", "\"[a-z$()]{0,5}\""];
    let part = prop_oneof![
        4 => promise,
        1 => guard.prop_map(|guard| format!("\n{guard}::\n")),
        1 => "[a-z_]{1,6}".prop_map(|kind| format!("\n{kind}:\n")),
    ];
    let bundle = proptest::collection::vec(part, 0..6)
        .prop_map(|parts| format!("bundle agent m(a)\n{{ vars:\n{} }}\n", parts.concat()));
    let body = attributes.prop_map(|attributes| {
        let lines = attributes.iter().map(|attribute| format!("{attribute};\n"));
        format!("body x y {{ {} }}\n", lines.collect::<String>())
    });
    proptest::collection::vec(prop_oneof![bundle, body], 0..3).prop_map(|blocks| blocks.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        read(&bytes);
    }

    #[test]
    fn any_pieces_are_read_or_refused(pieces in proptest::collection::vec(piece(), 0..20)) {
        if let Some(policy) = read(pieces.concat().as_bytes()) {
            check::file(&policy, Default::default());
            check::whole(&policy, Default::default());
            check::missing(&policy, Default::default());
        }
    }

    #[test]
    fn any_expression_is_read_or_refused(text in "[a-z.|&!()$@{}: ]{0,20}") {
        if let Ok(parsed) = class::parse(&text) {
            let shown = parsed.expression.to_string();
            let again = class::parse(&shown).expect("what is shown is read");
            prop_assert_eq!(again.length, shown.len());
            prop_assert_eq!(again.expression.to_string(), shown);
        }
    }

    #[test]
    fn a_printed_policy_parses_to_the_same_structure(text in sound()) {
        let policy = read(text.as_bytes());
        prop_assert!(policy.is_some(), "not read: {}", text);
        let policy = policy.unwrap_or_default();
        let written = print(&policy);
        let again = read(&written);
        prop_assert!(again.is_some(), "not read: {}", String::from_utf8_lossy(&written));
        prop_assert_eq!(shape(&again.unwrap_or_default()), shape(&policy));
    }
}
