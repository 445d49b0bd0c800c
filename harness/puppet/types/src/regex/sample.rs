//! Makes texts that a pattern may match.

use super::node::{Node, Reference};
use super::property::regex_syntax_class;
use crate::dice::Dice;
use std::collections::HashMap;

/// Longer texts are not made.
const LONGEST: usize = 4_096;

/// Makes texts along the tree of a pattern. What looks around is left to luck: whoever needs a
/// match tries the text.
pub(crate) struct Sampler<'t> {
    tree: &'t Node,
    classes: HashMap<&'t str, Vec<(char, char)>>,
}

impl<'t> Sampler<'t> {
    pub(super) fn new(tree: &'t Node) -> Self {
        let mut classes = HashMap::new();
        collect(tree, &mut classes);
        Self { tree, classes }
    }

    /// A text.
    pub(crate) fn text(&self, dice: &mut Dice) -> String {
        let mut made = Made {
            text: String::new(),
            groups: Vec::new(),
            names: HashMap::new(),
        };
        self.node(self.tree, dice, &mut made);
        made.text
    }

    fn node(&self, node: &'t Node, dice: &mut Dice, made: &mut Made) {
        if made.text.len() > LONGEST {
            return;
        }
        match node {
            Node::Char(character) => made.text.push(*character),
            Node::Any(multiline) => {
                const USUAL: [char; 10] = ['a', 'b', '1', ' ', '-', '/', '.', 'é', '"', '日'];
                let character = if *multiline && dice.one_in(8) {
                    '\n'
                } else {
                    *dice.pick(&USUAL).unwrap_or(&'a')
                };
                made.text.push(character);
            }
            Node::Class(class) | Node::Exact(class) => {
                if let Some(ranges) = self.classes.get(class.as_str()) {
                    made.text.extend(pick(ranges, dice));
                }
            }
            Node::Seq(nodes) => nodes.iter().for_each(|one| self.node(one, dice, made)),
            Node::Alt(nodes) => {
                if let Some(one) = dice.pick(nodes) {
                    self.node(one, dice, made);
                }
            }
            Node::Repeat { node, min, max, .. } => {
                let most = max.unwrap_or(min.saturating_add(4)).max(*min);
                let spread = (most - min) as usize + 1;
                // Both limits are telling; so are a few more.
                let more = match dice.below(4) {
                    0 => 0,
                    1 if max.is_some() => spread - 1,
                    _ => dice.below(spread.min(6)),
                };
                for _ in 0..(*min as usize + more).min(LONGEST) {
                    self.node(node, dice, made);
                }
            }
            Node::Group { name, node } => {
                let start = made.text.len();
                let index = made.groups.len();
                made.groups.push(String::new());
                self.node(node, dice, made);
                let text = made.text[start..].to_owned();
                if let Some(name) = name {
                    made.names.insert(name.clone(), text.clone());
                }
                made.groups[index] = text;
            }
            Node::Case { ignored, node } => {
                let start = made.text.len();
                self.node(node, dice, made);
                if *ignored && dice.one_in(2) {
                    let text = made.text.split_off(start);
                    made.text.push_str(&text.to_ascii_uppercase());
                }
            }
            Node::Atomic(node) => self.node(node, dice, made),
            // What must follow often is what the rest of the pattern makes: leave it to that, or
            // write it where nothing follows.
            Node::Look {
                behind: false,
                negative: false,
                node,
            } if dice.one_in(2) => self.node(node, dice, made),
            Node::Back(Reference::Number(number)) => {
                let text = made.groups.get((*number as usize).wrapping_sub(1)).cloned();
                made.text.push_str(&text.unwrap_or_default());
            }
            Node::Back(Reference::Name(name)) => {
                let text = made.names.get(name).cloned();
                made.text.push_str(&text.unwrap_or_default());
            }
            Node::TextEndOrNewline | Node::LineEnd if dice.one_in(8) => made.text.push('\n'),
            _ => {}
        }
    }
}

struct Made {
    text: String,
    groups: Vec<String>,
    names: HashMap<String, String>,
}

fn collect<'t>(node: &'t Node, classes: &mut HashMap<&'t str, Vec<(char, char)>>) {
    match node {
        Node::Class(class) | Node::Exact(class) => {
            if let Some(ranges) = regex_syntax_class(class) {
                classes.insert(class, ranges);
            }
        }
        Node::Seq(nodes) | Node::Alt(nodes) => nodes.iter().for_each(|one| collect(one, classes)),
        Node::Repeat { node, .. }
        | Node::Group { node, .. }
        | Node::Case { node, .. }
        | Node::Look { node, .. }
        | Node::Atomic(node) => collect(node, classes),
        _ => {}
    }
}

/// Characters that every Ruby knows: which ones newer versions of Unicode add depends on it.
const USUAL: &[(char, char)] = &[
    (' ', '~'),
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{24f}'),
    ('\u{391}', '\u{3a1}'),
    ('\u{410}', '\u{44f}'),
    ('\u{5d0}', '\u{5ea}'),
    ('\u{2010}', '\u{2027}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{4e00}', '\u{9fa5}'),
    ('\u{1f600}', '\u{1f64f}'),
];

/// A character of a class: often a printable one of ASCII, if there is one, or a limit.
fn pick(ranges: &[(char, char)], dice: &mut Dice) -> Option<char> {
    let within = |usual: &[(char, char)]| -> Vec<(char, char)> {
        let overlap = |(from, to): &(char, char)| {
            let both = usual.iter();
            both.map(|(low, high)| (*from.max(low), *to.min(high)))
                .filter(|(from, to)| from <= to)
                .collect::<Vec<_>>()
        };
        ranges.iter().flat_map(overlap).collect()
    };
    let (printable, usual) = (within(&USUAL[..1]), within(USUAL));
    let ranges = if printable.is_empty() && usual.is_empty() {
        ranges
    } else if printable.is_empty() || dice.one_in(8) {
        &usual
    } else {
        &printable
    };
    let (from, to) = *dice.pick(ranges)?;
    match dice.below(4) {
        0 => Some(from),
        1 => Some(to),
        _ => {
            let span = u32::from(to) - u32::from(from) + 1;
            let offset = u32::try_from(dice.below(span as usize)).unwrap_or(0);
            // Surrogates lie between the ends of a wide range.
            char::from_u32(u32::from(from) + offset).or(Some(from))
        }
    }
}
