//! Texts, lists and containers.

use crate::choices::Choices;
use crate::scope::Scope;

/// Texts for policies, the simple ones first.
const WORDS: [&str; 28] = [
    "a",
    "b",
    "c",
    "x y",
    "1",
    "0",
    "",
    "a,b",
    "ü",
    "/etc/passwd",
    "a.b",
    "A",
    "-1",
    "2k",
    "\"",
    "'",
    "\\",
    "%s",
    "{",
    "}",
    "$",
    "@",
    "(x",
    "[0]",
    "#",
    "\\n",
    "1.5",
    "c_m",
];

/// JSON for containers.
const CONTAINERS: [&str; 12] = [
    r#"{"a":"1","b":"2"}"#,
    r#"["x","y"]"#,
    r#"{"a":{"b":"c"},"k":["l","m"]}"#,
    r#"{}"#,
    r#"[]"#,
    r#"[{"n":"1"},{"n":"2"}]"#,
    r#"{"a":1,"b":2.5,"c":true,"d":null}"#,
    r#"["a","b","c","a"]"#,
    r#"{"z":"1","a":"2","m":["1"]}"#,
    r#"[1,2,3]"#,
    r#"[["a","b"],["c"]]"#,
    r#"{"a b":"ü","c.d":"e"}"#,
];

/// Keys that containers and arrays may have.
pub(crate) const KEYS: [&str; 7] = ["a", "b", "k", "0", "1", "n", "none"];

/// Quotes a text so that the parser gives it back unchanged.
pub(crate) fn quoted(choices: &mut Choices, text: &str) -> String {
    let quote = choices.of(&['"', '"', '"', '\'', '`']);
    match quote {
        '`' if !text.contains(['`', '\\']) => format!("`{text}`"),
        '`' => format!("\"{}\"", escaped(text, '"')),
        quote => format!("{quote}{}{quote}", escaped(text, quote)),
    }
}

fn escaped(text: &str, quote: char) -> String {
    let text = text.replace('\\', "\\\\");
    text.replace(quote, &format!("\\{quote}"))
}

/// Generates a text of words and references.
pub(crate) fn text(choices: &mut Choices, scope: &Scope) -> String {
    let mut text = String::new();
    let mut pieces = 0;
    while pieces == 0 || choices.more(pieces, 3, 40) {
        match choices.below(10) {
            0..=5 => text.push_str(choices.of(&WORDS)),
            _ => text.push_str(&reference(choices, scope)),
        }
        pieces += 1;
    }
    text
}

/// A text without references.
pub(crate) fn word(choices: &mut Choices) -> &'static str {
    choices.of(&WORDS)
}

/// Generates a reference to a variable that exists or may not exist.
pub(crate) fn reference(choices: &mut Choices, scope: &Scope) -> String {
    let name = match choices.below(12) {
        0..=4 => known(choices, &scope.strings).unwrap_or("g.s").to_owned(),
        5 | 6 => known(choices, &scope.lists).unwrap_or("g.l").to_owned(),
        7 | 8 => {
            let name = known(choices, &scope.containers)
                .unwrap_or("g.d")
                .to_owned();
            match choices.below(4) {
                0 => name,
                1 | 2 => format!("{name}[{}]", choices.of(&KEYS)),
                _ => format!("{name}[a][b]"),
            }
        }
        9 => {
            let name = known(choices, &scope.arrays).unwrap_or("g.a").to_owned();
            format!("{name}[{}]", choices.of(&KEYS))
        }
        10 => (choices.of(&[
            "this.bundle",
            "const.dollar",
            "this.namespace",
            "sys.cf_version",
            "with",
            "this.promiser",
        ]))
        .to_owned(),
        _ => "undefined".to_owned(),
    };
    match choices.below(5) {
        0..=3 => format!("$({name})"),
        _ => format!("${{{name}}}"),
    }
}

pub(crate) fn known<'a>(choices: &mut Choices, names: &'a [String]) -> Option<&'a str> {
    if names.is_empty() {
        return None;
    }
    Some(&names[choices.index(names.len())])
}

/// The name of a list, for functions and `@(…)`.
pub(crate) fn list_name(choices: &mut Choices, scope: &Scope) -> String {
    let name = match choices.below(8) {
        0..=4 => known(choices, &scope.lists).unwrap_or("g.l"),
        5 => known(choices, &scope.containers).unwrap_or("g.d"),
        6 => known(choices, &scope.arrays).unwrap_or("g.a"),
        _ => "undefined_list",
    };
    name.to_owned()
}

/// Generates a list in braces.
pub(crate) fn list(choices: &mut Choices, scope: &Scope) -> String {
    let mut items = Vec::new();
    while choices.more(items.len(), 4, 60) {
        items.push(match choices.below(8) {
            0..=6 => {
                let text = text(choices, scope);
                quoted(choices, &text)
            }
            _ => format!("@({})", list_name(choices, scope)),
        });
    }
    format!("{{ {} }}", items.join(", "))
}

/// Generates a list, in braces or by name.
pub(crate) fn list_value(choices: &mut Choices, scope: &Scope) -> String {
    match choices.below(6) {
        0..=3 => list(choices, scope),
        _ => format!("@({})", list_name(choices, scope)),
    }
}

/// The JSON of a container.
pub(crate) fn container(choices: &mut Choices) -> &'static str {
    choices.of(&CONTAINERS)
}
