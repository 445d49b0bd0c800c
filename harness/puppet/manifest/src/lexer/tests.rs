use super::*;

fn kinds(text: &str) -> Vec<(Kind, String)> {
    let source = Source::new("f.pp", text);
    let tokens = tokens(&source);
    assert_eq!(tokens.error, None);
    let all = tokens.all.into_iter();
    all.map(|token| (token.kind, token.text)).collect()
}

fn error(text: &str) -> String {
    let source = Source::new("f.pp", text);
    tokens(&source).error.expect("an error").to_string()
}

#[test]
fn strings_are_taken_apart() {
    let own: Vec<(Kind, String)> = [
        (Kind::DqPre, "a "),
        (Kind::Variable, "x"),
        (Kind::DqMid, " $ "),
        (Kind::Variable, "y"),
        (Kind::LBrack, "["),
        (Kind::Number, "0"),
        (Kind::RBrack, "]"),
        (Kind::DqPost, "\"\\q"),
        (Kind::End, ""),
    ]
    .map(|(kind, text)| (kind, text.to_owned()))
    .into();
    assert_eq!(kinds(r#""a $x $ ${y[0]}\"\q""#), own);
    assert_eq!(kinds(r"'a\'b\\\n'")[0].1, r"a'b\\n");
    assert_eq!(kinds("\"a\\\nb\\u0041\\s\"")[0].1, "abA ");
}

#[test]
fn heredocs_lose_their_margin() {
    let found = kinds("$a = [@(A), @(B/L)]\n  x\n   y\n  | A\nz\\\nw\n-B\n$b");
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    let own = [
        "a", "=", "[", "", "", "x\n y\n", ",", "", "", "zw", "]", "b", "",
    ];
    assert_eq!(texts, own);
}

#[test]
fn errors_have_places() {
    let quote = "f.pp:1:2: Unclosed quote after \"'\" followed by 'ab...'";
    assert_eq!(error("'ab"), quote);
    assert_eq!(error("a\n/* b"), "f.pp:2:1: Unclosed multiline comment");
    assert_eq!(
        error("@(A)"),
        "f.pp:1:5: Heredoc without any following lines of text"
    );
    assert_eq!(
        error("@(A)\nb"),
        "f.pp:2:1: Heredoc without end-tagged line"
    );
    assert_eq!(error("A::b"), "f.pp:1:3: Illegal class reference");
    assert_eq!(error("1x"), "f.pp:1:1: Illegal number '1x'");
    let deep = "\"${".repeat(150);
    assert!(error(&deep).contains("nested too deep"));
}

#[test]
fn slashes_divide_or_quote() {
    let found: Vec<Kind> = kinds("$a / 2 =~ /a\\/b/").iter().map(|one| one.0).collect();
    let own = [
        Kind::Variable,
        Kind::Div,
        Kind::Number,
        Kind::Match,
        Kind::Regex,
        Kind::End,
    ];
    assert_eq!(found, own);
}
