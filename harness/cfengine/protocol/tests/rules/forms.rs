//! The forms in which formats write a text.

use cfengine_protocol::carried::forms::{holds, shows};

#[track_caller]
fn both(text: &str, value: &str) {
    assert!(
        holds(text.as_bytes(), value.as_bytes()),
        "{value} in {text}"
    );
}

#[test]
fn a_text_is_found_in_the_forms_of_usual_formats() {
    both("x: a=b", "a=b");
    both(r#"{"m": "it's \"so\" \\n"}"#, r#"it's "so" \n"#);
    both(r#"{"m": "\ud835\udd18 \u00e4\u2028"}"#, "𝔘 ä\u{2028}");
    both(r"m='it'\''s $1'", "it's $1");
    both(r"m=it\'s\ \$1", "it's $1");
    both(r"m=$'a\nb\tc'", "a\nb\tc");
    both("m: 'it''s'", "it's");
    both("m,\"say \"\"so\"\"\"", "say \"so\"");
    both("m = 100%% %%d", "100% %d");
    both("m: $$HOME", "$HOME");
    both("<m>&lt;b&gt;&amp;amp; &#228;</m>", "<b>&amp; ä");
    both("m=a%3Db%25+c", "a=b% c");
    both("m=%C3%A4", "ä");
    both(r#"m="\xe4""#, "ä");
    both(r#"m="\303\244""#, "ä");
    both(r#"a IN TXT "\195\164 b""#, "ä b");
    both("m=3D=C3=A4 b=\nc", "m=ä bc");
    both("d:: w6QgYiBj\n", "ä b c");
    both(
        "d:: w6QgYiBjIGQgZSBmIGcgaCBpIGog\n ayBsIG0=\n",
        "ä b c d e f g h i j k l m",
    );
    both(r#"m = "\u{1d518} \#{x}""#, "𝔘 #{x}");
    both("m: |\n  a\n  b\n\n  c\n", "a\nb\n\nc");
    both("m: 'a\n\n  b\n\n\n  c'\n", "a\nb\n\nc");
    both("m: \"a\\\n  \\ b\\L\"", "a b\u{2028}");
    both(
        r"m = a\textbackslash{}n \{x\} \textasciitilde{}",
        r"a\n {x} ~",
    );
    both("# a\n# b\n#\n# c\n", "a\nb\n\nc");
    both("msgstr \"\"\n\"a\\n\"\n\"b\"\n", "a\nb");
    both(r#"'{"m": "it'\''s \"so\""}'"#, r#"it's "so""#);
}

#[test]
fn a_text_that_lost_something_is_not_found() {
    for (text, value) in [
        ("a=b", "a=b="),
        ("an\\t", "a\\n\\t"),
        ("it s so", "it's so"),
        ("100 d", "100% %d"),
        ("? x", "ä x"),
        ("a b", "a\tb"),
        ("a\nb\nc", "a\nb\n\nc"),
        ("e\u{301}", "é"),
    ] {
        assert!(
            !holds(text.as_bytes(), value.as_bytes()),
            "{value} in {text}"
        );
    }
}

#[test]
fn a_database_holds_a_value_verbatim_or_json_escaped() {
    let kept = |text: &str| {
        [
            cfengine_protocol::carried::forms::DATABASE,
            b"\0\x10name",
            text.as_bytes(),
        ]
        .concat()
    };
    assert!(holds(&kept("don't"), b"don't"));
    assert!(holds(&kept("{\"a\":\"one\\ntwo\"}"), b"one\ntwo"));
    assert!(!holds(&kept("don''t"), b"don't"));
    assert!(!holds(&kept("one &amp; two"), b"one & two"));
    assert!(holds(b"one &amp; two", b"one & two"));
}

#[test]
fn a_value_shows_by_itself() {
    assert!(shows(b"color=red\n", b"red"));
    assert!(!shows(b"# Stored by hand\n", b"red"));
    let kept = |text: &str| {
        [
            cfengine_protocol::carried::forms::DATABASE,
            b"\0\x10",
            text.as_bytes(),
        ]
        .concat()
    };
    assert!(shows(&kept("colorred"), b"red"));
    assert!(!shows(
        &kept("tablekvkvCREATE TABLE kv (stored text)"),
        b"red"
    ));
}

#[test]
fn broken_escapes_do_no_harm() {
    for text in [
        "\\", "\\x", "\\u", "\\u{", "\\u{}", "&#;", "&#x;", "%", "%1", "\\U00", "\\9", "\\777",
        "\\9zz", "=+1", "=", "====", "AAAAA",
    ] {
        holds(text.as_bytes(), b"value");
    }
}
