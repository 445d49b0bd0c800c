//! Writes a pattern for the engine.

use super::node::{How, Node, Reference};
use std::fmt::Write as _;

/// The pattern for texts that do not end in a newline, and the one for all texts.
pub(super) fn both(tree: &Node) -> (String, String) {
    let mut plain = String::new();
    emit(tree, false, &mut plain);
    let mut exact = String::new();
    emit(tree, true, &mut exact);
    (plain, exact)
}

/// The engine wants ASCII names, so each byte beyond letters and digits is written in hexadecimal.
fn safe(name: &str) -> String {
    let mut out = String::from("g_");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "_{byte:02x}");
        }
    }
    out
}

/// The name that was made safe.
pub(super) fn original(safe_name: &str, names: &[String]) -> String {
    let found = names.iter().find(|name| safe(name) == safe_name);
    found.map_or_else(|| safe_name.to_owned(), Clone::clone)
}

/// A character so that no engine takes it for a sign.
pub(super) fn literal(character: char, out: &mut String) {
    if character.is_ascii_alphanumeric() || !character.is_ascii() {
        out.push(character);
    } else {
        let _ = write!(out, "\\x{{{:x}}}", u32::from(character));
    }
}

fn emit(node: &Node, exact: bool, out: &mut String) {
    let mut within = |open: &str, inner: &Node| {
        out.push_str(open);
        emit(inner, exact, out);
        out.push(')');
    };
    match node {
        Node::Empty => {}
        Node::Char(character) => literal(*character, out),
        Node::Any(true) => out.push_str("(?s:.)"),
        Node::Any(false) => out.push_str("(?-s:.)"),
        Node::Class(class) => out.push_str(class),
        Node::Exact(class) => {
            let _ = write!(out, "(?-i:{class})");
        }
        Node::Seq(nodes) => nodes.iter().for_each(|one| emit(one, exact, out)),
        Node::Alt(nodes) => {
            out.push_str("(?:");
            for (index, one) in nodes.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                emit(one, exact, out);
            }
            out.push(')');
        }
        Node::Repeat {
            node,
            min,
            max,
            how,
        } => {
            within("(?:", node);
            match (min, max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => {
                    let _ = write!(out, "{{{min},}}");
                }
                (min, Some(max)) if min == max => {
                    let _ = write!(out, "{{{min}}}");
                }
                (min, Some(max)) => {
                    let _ = write!(out, "{{{min},{max}}}");
                }
            }
            match how {
                How::Greedy => {}
                How::Lazy => out.push('?'),
                How::Possessive => out.push('+'),
            }
        }
        Node::Group {
            name: Some(name),
            node,
        } => within(&format!("(?<{}>", safe(name)), node),
        Node::Group { name: None, node } => within("(", node),
        Node::Case {
            ignored: true,
            node,
        } => within("(?i:", node),
        Node::Case {
            ignored: false,
            node,
        } => within("(?-i:", node),
        // At the end of a text no line starts, not even behind a newline.
        Node::LineStart if exact => out.push_str(r"(?:\A|(?<=\n)(?!\z))"),
        Node::LineStart => out.push_str("(?m:^)"),
        Node::LineEnd => out.push_str("(?m:$)"),
        Node::TextStart => out.push_str(r"\A"),
        Node::TextEndOrNewline if exact => out.push_str(r"(?=\n?\z)"),
        Node::TextEnd | Node::TextEndOrNewline => out.push_str(r"\z"),
        Node::Boundary { inside: false } => out.push_str(r"\b"),
        Node::Boundary { inside: true } => out.push_str(r"\B"),
        Node::Look {
            behind,
            negative,
            node,
        } => within(
            match (behind, negative) {
                (false, false) => "(?=",
                (false, true) => "(?!",
                (true, false) => "(?<=",
                (true, true) => "(?<!",
            },
            node,
        ),
        Node::Atomic(node) => within("(?>", node),
        // A group around it keeps digits behind it apart.
        Node::Back(Reference::Number(number)) => {
            let _ = write!(out, "(?:\\{number})");
        }
        Node::Back(Reference::Name(name)) => {
            let _ = write!(out, "\\k<{}>", safe(name));
        }
        Node::Call(name) => {
            let _ = write!(out, "\\g<{}>", safe(name));
        }
        Node::Keep => out.push_str(r"\K"),
    }
}
