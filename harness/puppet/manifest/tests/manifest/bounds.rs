//! Any text is read or refused, in bounded time and depth.

use proptest::prelude::*;
use puppet_manifest::{Kind, compile, read_catalog};
use std::time::{Duration, Instant};

fn message(text: &str) -> String {
    let errors = compile("f.pp", text).expect_err("refused");
    errors[0].to_string()
}

#[test]
fn nesting_is_bounded() {
    for open in [
        "[",
        "(",
        "[{ 1 => ",
        "!",
        "- ",
        "*",
        "Sensitive(",
        "if true { ",
        "if ",
        "$x ? 1 => ",
        "case 1 { 1: { ",
        "pka { 'a': a => [",
        "$a = ",
        "1 + ",
        "$x[",
        "Foo[",
        "unless 1 { } else { ",
        "\"${",
        "if 1 { } elsif ",
    ] {
        let text = format!("$x = 1\n{}", open.repeat(20_000));
        let text = message(&text);
        assert!(text.contains("nested"), "{open}: {text}");
    }
    let deep = format!("{}{}", "[".repeat(190), "]".repeat(190));
    assert!(compile("f.pp", &format!("pka {{ 'a': a => {deep} }}")).is_ok());
    let deep = format!("{}{}", "if true { ".repeat(90), "}".repeat(90));
    assert!(compile("f.pp", &deep).is_ok());
    let deep = format!("{{\"resources\":{}}}", "[".repeat(100_000));
    assert!(read_catalog("c.json", deep.as_bytes()).is_err());
}

#[test]
fn long_chains_are_no_deep_ones() {
    let chain = (0..5_000).map(|index| format!("Pka['{index}']"));
    let chain = chain.collect::<Vec<_>>().join(" -> ");
    let titles = (0..5_000)
        .map(|index| format!("'{index}'"))
        .collect::<Vec<_>>()
        .join(", ");
    let catalog = compile("f.pp", &format!("pka {{ [{titles}]: }}\n{chain}")).expect("a catalog");
    assert_eq!(catalog.resources.len(), 5_000);
    let text = "${'a'}".repeat(5_000);
    assert!(compile("f.pp", &format!("$x = \"{text}\"")).is_ok());
}

#[test]
fn values_cannot_grow_for_ever() {
    let mut text = "$x0 = 'aaaaaaaaaaaaaaaa'\n".to_owned();
    for index in 1..100 {
        text += &format!("$x{index} = \"$x{}$x{}\"\n", index - 1, index - 1);
    }
    assert!(message(&text).contains("The values of the manifest take more than"));
    let titles = (0..2_000)
        .map(|index| format!("'{index}'"))
        .collect::<Vec<_>>()
        .join(", ");
    let text = format!("$t = [{titles}] pka {{ $t: before => [] }} Pka[$t] -> Pka[$t]");
    assert!(message(&text).contains("The values of the manifest take more than"));
    let text = format!("pka {{ [{titles}]: a => [{titles}] }}");
    assert!(message(&text).contains("The values of the manifest take more than"));
    let mut text = "$x0 = [1]\n".to_owned();
    for index in 1..100 {
        text += &format!("$x{index} = [$x{}, $x{}]\n", index - 1, index - 1);
    }
    assert!(message(&text).contains("The values of the manifest take more than"));
}

#[test]
fn bad_input_takes_linear_time() {
    let begun = Instant::now();
    for part in [
        "/",
        "\\/",
        "'",
        "\"",
        "\"$",
        "@(A)",
        "@(A)\n",
        "${",
        "::",
        "0x",
        "1.",
        "#",
        "/*",
        "<<|",
        "a-",
        "$",
        "\n",
        "@(",
        "'\\'",
        "\"\\u{",
        "pka { 'a': }",
        "[",
        "x,",
        "Pka['a'] { b => 1 }\n",
        "$a = 1\n",
        "'' ",
        "\"\"",
        "é",
    ] {
        let _ = compile("f.pp", &part.repeat(50_000));
        let _ = compile("f.pp", &format!("$x = \"{}", part.repeat(50_000)));
    }
    let mut json = "{\"resources\":[".to_owned();
    for index in 0..20_000 {
        json += &format!("{{\"type\":\"A\",\"title\":\"{index}\"}},");
    }
    json += "{\"type\":\"A\",\"title\":\"x\"}],\"edges\":[";
    for index in 1..20_000 {
        json += &format!(
            "{{\"source\":\"A[{}]\",\"target\":\"A[{index}]\"}},",
            index - 1
        );
    }
    json += "{\"source\":\"A[x]\",\"target\":\"A[0]\"}]}";
    assert!(read_catalog("c.json", json.as_bytes()).is_err());
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn unsupported_parts_are_named() {
    for (text, part) in [
        ("include foo", "function 'include'"),
        ("notice('x')", "function 'notice'"),
        ("$x = [1].map |$i| { $i }", "function 'map'"),
        ("$x = lookup('a')", "function 'lookup'"),
        ("class foo { }", "classes"),
        ("class { 'foo': }", "classes"),
        ("define foo::bar { }", "defined types"),
        ("foo::bar { 'x': }", "defined type 'foo::bar'"),
        ("node default { }", "nodes"),
        ("function foo() { }", "functions"),
        ("type Foo = String", "type aliases"),
        ("Pka <| |>", "collectors"),
        ("Pka <<| |>>", "collectors"),
        ("@pka { 'a': }", "virtual resources"),
        ("@@pka { 'a': }", "exported resources"),
        ("$x = $facts['os']", "variable '$facts' of the node"),
        ("$x = \"$::trusted\"", "variable '$::trusted' of the node"),
        ("$x = Integer('5')", "call of the type 'Integer'"),
        ("$x = 5 =~ Integer", "data type 'Integer'"),
        ("$x = Class['foo']", "reference to a class"),
        ("'Pka[a]' -> Pka['b']", "relation with a string"),
        ("$x = Deferred('f')", "call of the type 'Deferred'"),
    ] {
        let errors = compile("f.pp", text).expect_err("refused");
        assert_eq!(errors[0].kind, Kind::Unsupported, "{text}");
        let own = format!(
            "the supported part of the language has no {part}: compile the catalog with Puppet and give Stickler the JSON"
        );
        assert_eq!(errors[0].message, own, "{text}");
    }
}

#[test]
fn several_errors_are_reported_at_once() {
    let errors =
        compile("f.pp", "$a::b = 1\n$c += 2\n'x' pka { 'a': a +> 1 }").expect_err("refused");
    let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [3, 1, 2, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = compile("f.pp", &text);
        let _ = read_catalog("c.json", text.as_bytes());
    }

    #[test]
    fn no_mixture_panics(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        let text = parts.concat();
        if let Err(errors) = compile("f.pp", &text) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.line > 0 && error.column > 0 && !error.message.is_empty());
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_catalog("c.json", &bytes);
    }
}

/// Pieces of manifests.
const PARTS: &[&str] = &[
    "pka",
    "Pka",
    "{",
    "}",
    "'a'",
    ":",
    "=>",
    "a",
    "1",
    "[",
    "]",
    "(",
    ")",
    ",",
    ";",
    "$x",
    "=",
    "->",
    "~>",
    "<-",
    "\"",
    "${",
    "$",
    "@(E)",
    "@(\"E\"/)",
    "\nE\n",
    "| E",
    " ",
    "\n",
    "if",
    "else",
    "case",
    "default",
    "undef",
    "true",
    "Sensitive",
    ".new",
    "/",
    "\\",
    "*",
    "+",
    "-",
    "!",
    "?",
    "==",
    "=~",
    "in",
    "and",
    "0x",
    "1.5",
    "::",
    "é",
    "+>",
    "#",
    "/*",
    "*/",
    "'",
    "noop",
    "require",
    "tag",
    "alias",
    "unless",
    "elsif",
];
