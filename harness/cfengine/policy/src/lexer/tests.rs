//! Splitting texts into tokens.

use super::{Lexer, Token};
use crate::source::Sources;
use cfengine_protocol::release::Release;

/// The tokens as texts; strings are shown by their values.
fn cut(text: &str) -> Result<Vec<String>, String> {
    let mut sources = Sources::new();
    let file = sources.add("t.cf", text);
    let mut lexer = Lexer::new(sources.get(file).bytes(), file, Release::oldest());
    let mut tokens = Vec::new();
    loop {
        let lexed = lexer.next().map_err(|wrong| wrong.message)?;
        tokens.push(match lexed.token {
            Token::End => return Ok(tokens),
            Token::Quoted(value) => format!("<{}>", String::from_utf8_lossy(&value)),
            _ => String::from_utf8_lossy(sources.text(lexed.span)).into_owned(),
        });
    }
}

fn tokens(text: &str) -> Vec<String> {
    cut(text).unwrap_or_else(|wrong| panic!("{text:?}: {wrong}"))
}

#[test]
fn a_promise_is_cut_into_its_parts() {
    assert_eq!(
        tokens("vars:\nlinux.!a::\n\"x\" -> { 'y' } string => concat(`z`, @(a.b)); # end"),
        [
            "vars:",
            "linux.!a::",
            "<x>",
            "->",
            "{",
            "<y>",
            "}",
            "string",
            "=>",
            "concat",
            "(",
            "<z>",
            ",",
            "@(a.b)",
            ")",
            ";"
        ]
    );
}

#[test]
fn a_guard_behind_a_section_on_one_line_swallows_it() {
    let wrong = cut("reports: x:: \"a\";");
    assert_eq!(
        wrong,
        Ok(vec!["reports: x::".into(), "<a>".into(), ";".into()])
    );
}

#[test]
fn blanks_between_class_names_are_refused() {
    assert!(cut("a b::").is_err());
    assert_eq!(tokens("a . b ::"), ["a . b ::"]);
}

#[test]
fn quoted_guards_are_longer_than_strings() {
    assert_eq!(tokens("\"$(x)\"::"), ["\"$(x)\"::"]);
    assert_eq!(tokens("\"a\\\"b\" ::x"), ["<a\"b>", ":", ":", "x"]);
}

#[test]
fn sections_give_way_to_qualified_names() {
    assert_eq!(tokens("vars:x vars: x"), ["vars:x", "vars:", "x"]);
    assert_eq!(tokens("git2: x"), ["git2", ":", "x"]);
}

#[test]
fn conditions_leave_text_out() {
    let text = "a\n@if minimum_version(4)\nb '\n@if x\n@else\nc\n@endif\nd";
    assert_eq!(tokens(text), ["a", "c", "d"]);
    let text = "@if minimum_version(3)\na\n@else\nb\n@endif\nd";
    assert_eq!(tokens(text), ["a", "d"]);
}

#[test]
fn conditions_are_balanced_and_start_their_lines() {
    assert!(cut("@if feature(yaml)\n").is_err());
    assert!(cut("@if feature(warp)\n").is_err());
    assert!(cut("@else\n").is_err());
    assert!(cut("@endif\n").is_err());
    assert!(cut(" @if feature(yaml)\n@endif").is_err());
    assert!(cut("@if feature(yaml)\n@if feature(yaml)\n@endif\n@endif").is_err());
}

#[test]
fn names_have_a_longest_length() {
    assert!(cut(&"a".repeat(1023)).is_ok());
    assert!(cut(&"a".repeat(1024)).is_err());
}

#[test]
fn long_runs_are_read_once() {
    assert_eq!(tokens(&"(".repeat(100_000)).len(), 100_000);
}
