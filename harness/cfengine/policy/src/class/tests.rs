//! Which texts are expressions, and how much of a text is parsed.

use super::*;

fn shown(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => format!("{} <{}>", parsed.expression, &text[parsed.length..]),
        Err(wrong) => format!("{}: {wrong}", wrong.offset),
    }
}

#[test]
fn operators_bind_as_the_agent_binds_them() {
    assert_eq!(shown("a.b|!c&(d||e)"), "(a.b)|(!c.(d|e)) <>");
    assert_eq!(shown("!(a|b)"), "!(a|b) <>");
    assert_eq!(shown("ns:a.default:b"), "ns:a.default:b <>");
}

#[test]
fn names_hold_variables() {
    assert_eq!(shown("linux_$(a.b)_x"), "linux_$(a.b)_x <>");
    assert_eq!(shown("@{x$(y)}"), "@(x$(y)) <>");
    assert_eq!(shown("a[x y]b"), "a[x y]b <>");
}

#[test]
fn text_after_an_expression_is_left_unread() {
    assert_eq!(shown("a b"), "a < b>");
    assert_eq!(shown("a)"), "a <)>");
    assert_eq!(shown("a$(b.c.d)"), "a <$(b.c.d)>");
}

#[test]
fn the_parser_refuses_incomplete_class_expressions() {
    assert_eq!(shown(""), "0: expected a class name");
    assert_eq!(shown("a.."), "2: expected a class name");
    assert_eq!(shown("!!a"), "1: expected a class name");
    assert_eq!(shown("(a"), "2: expected `)`");
    assert_eq!(shown("a|"), "2: expected a class name");
}

#[test]
fn depth_is_bounded() {
    assert!(parse(&"(".repeat(100_000)).is_err());
    assert!(parse(&"$(".repeat(100_000)).is_err());
    assert!(parse(&"a.".repeat(100_000)).is_err());
    assert!(parse(&format!("{}a{}", "(".repeat(400), ")".repeat(400))).is_ok());
}

#[test]
fn blanks_between_names_are_seen() {
    assert!(has_inner_blank(b"a \t b::"));
    assert!(has_inner_blank(b"x.a b"));
    assert!(!has_inner_blank(b"a . b | c"));
    assert!(!has_inner_blank(b" a "));
}
