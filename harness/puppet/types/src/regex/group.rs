//! What stands in parentheses.

use super::Fault;
use super::node::Node;
use super::parse::{Flags, Parsed, Parser, invalid, unsupported};

impl Parser {
    pub(super) fn group(&mut self, flags: Flags) -> Parsed<Option<Node>> {
        if !self.eat('?') {
            if self.has_names {
                return self.close(flags).map(Some);
            }
            self.groups += 1;
            let node = Box::new(self.close(flags)?);
            return Ok(Some(Node::Group { name: None, node }));
        }
        let Some(kind) = self.next() else {
            return Err(invalid("end pattern in group"));
        };
        let look = |behind, negative, node| {
            Some(Node::Look {
                behind,
                negative,
                node: Box::new(node),
            })
        };
        Ok(match kind {
            ':' => Some(self.close(flags)?),
            '=' => look(false, false, self.close(flags)?),
            '!' => look(false, true, self.close(flags)?),
            '>' => Some(Node::Atomic(Box::new(self.close(flags)?))),
            '~' => return Err(unsupported("an absence operator")),
            '(' => return Err(unsupported("a condition")),
            '<' if matches!(self.peek(), Some('=' | '!')) => {
                let negative = self.next() == Some('!');
                let node = self.close(flags)?;
                if !super::behind::is_valid(&node, negative) {
                    return Err(invalid("invalid pattern in look-behind"));
                }
                look(true, negative, node)
            }
            '<' => Some(self.named('>', flags)?),
            '\'' => Some(self.named('\'', flags)?),
            other => return self.flags(other, flags),
        })
    }

    /// The inside of a group, and its closing parenthesis.
    fn close(&mut self, flags: Flags) -> Parsed<Node> {
        let node = self.alternatives(flags)?;
        if !self.eat(')') {
            return Err(invalid("end pattern with unmatched parenthesis"));
        }
        Ok(node)
    }

    fn named(&mut self, end: char, flags: Flags) -> Parsed<Node> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(character) if character == end => break,
                Some(character) => name.push(character),
                None => return Err(Fault::Invalid(format!("invalid group name <{name}>"))),
            }
        }
        let bad = |first: char| first.is_ascii_digit() || first == '-';
        if name.is_empty() {
            return Err(invalid("group name is empty"));
        }
        if name.starts_with(bad) || name.contains(')') {
            return Err(Fault::Invalid(format!("invalid group name <{name}>")));
        }
        if !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        self.groups += 1;
        let node = Box::new(self.close(flags)?);
        let name = Some(name);
        Ok(Node::Group { name, node })
    }

    /// `(?imx-imx)` up to the end of the group around it, alternatives included, or
    /// `(?imx-imx:…)`.
    fn flags(&mut self, first: char, outer: Flags) -> Parsed<Option<Node>> {
        let mut flags = outer;
        let mut on = true;
        let mut encoding = false;
        let mut letter = first;
        if first == ')' {
            return Err(invalid("undefined group option"));
        }
        loop {
            match letter {
                'i' => flags.insensitive = on,
                'm' => flags.multiline = on,
                'x' => flags.extended = on,
                '-' => on = false,
                'd' if on => {}
                'a' | 'u' if on => encoding = true,
                ')' | ':' if encoding => {
                    return Err(unsupported("an option for ASCII or Unicode"));
                }
                ')' => {
                    let node = self.alternatives(flags)?;
                    return Ok(Some(cased(outer, flags, node)));
                }
                ':' => {
                    let node = self.close(flags)?;
                    return Ok(Some(cased(outer, flags, node)));
                }
                _ => return Err(invalid("undefined group option")),
            }
            match self.next() {
                Some(next) => letter = next,
                None => return Err(invalid("end pattern in group")),
            }
        }
    }
}

fn cased(outer: Flags, inner: Flags, node: Node) -> Node {
    if outer.insensitive == inner.insensitive {
        return node;
    }
    Node::Case {
        ignored: inner.insensitive,
        node: Box::new(node),
    }
}
