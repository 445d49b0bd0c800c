//! Classes by name: `\d`, `[:alpha:]`, `\p{Greek}`.

/// The inside of the class `\d`, `\w`, `\s`, `\h`: ASCII alone, as in Ruby.
pub(super) fn shorthand(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' | 'D' => "0-9",
        'w' | 'W' => "a-zA-Z0-9_",
        's' | 'S' => r"\t\n\x0b\x0c\r\x20",
        'h' | 'H' => "0-9a-fA-F",
        _ => return None,
    })
}

/// The inside of the class with one of POSIX's names: Unicode, as in Ruby.
pub(super) fn posix(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => r"\p{Alphabetic}",
        "digit" => r"\p{Nd}",
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "upper" => r"\p{Uppercase}",
        "lower" => r"\p{Lowercase}",
        "space" => r"\p{White_Space}",
        "blank" => r"\p{Zs}\t",
        "cntrl" => r"\p{Cc}",
        "punct" => r"\p{P}$+<=>\^`|\x7e",
        "xdigit" => "0-9a-fA-F",
        "word" => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}",
        "graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "print" => r"[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}",
        "ascii" => r"\x00-\x7f",
        _ => return None,
    })
}

/// The inside of the class `\p{name}`. `None` if the engine has to be asked.
pub(super) fn property(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|character| !matches!(character, ' ' | '_' | '-'))
        .collect::<String>()
        .to_lowercase();
    if plain == "any" {
        return r"\x{0}-\x{10ffff}".to_owned();
    }
    posix(&plain).map_or_else(|| format!("\\p{{{name}}}"), str::to_owned)
}

/// Does the engine know the class?
pub(super) fn is_known(inside: &str) -> bool {
    regex_syntax_class(&format!("[{inside}]")).is_some()
}

/// The ranges of a class in brackets.
pub(super) fn regex_syntax_class(class: &str) -> Option<Vec<(char, char)>> {
    use regex_syntax::hir::{Class, HirKind};
    let tree = regex_syntax::Parser::new().parse(class).ok()?;
    match tree.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(
            class
                .iter()
                .map(|range| (range.start(), range.end()))
                .collect(),
        ),
        HirKind::Class(Class::Bytes(class)) => Some(
            class
                .iter()
                .map(|range| (char::from(range.start()), char::from(range.end())))
                .collect(),
        ),
        HirKind::Literal(literal) => {
            let character = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(vec![(character, character)])
        }
        _ => None,
    }
}
