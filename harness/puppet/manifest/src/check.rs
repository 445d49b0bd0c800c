//! What Puppet checks between parsing and evaluation.

use crate::error::{Error, Kind};
use crate::source::Source;
use crate::tree::{Block, Expr, Node, Operation};

/// All errors, in Puppet's order.
pub(crate) fn check(source: &Source, block: &Block) -> Vec<Error> {
    let mut checker = Checker {
        source,
        errors: Vec::new(),
    };
    checker.block(block);
    checker.errors
}

struct Checker<'s, 't> {
    source: &'s Source<'t>,
    errors: Vec<Error>,
}

impl Checker<'_, '_> {
    fn refuse(&mut self, offset: usize, message: impl Into<String>) {
        self.errors
            .push(*self.source.error(Kind::Syntax, offset, message));
    }

    fn block(&mut self, block: &Block) {
        let before_last = block.split_last().map_or(&[][..], |(_, before)| before);
        if let Some(idle) = before_last.iter().find(|one| has_no_effect(one)) {
            let message = format!(
                "This {} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)",
                label(&idle.node)
            );
            self.refuse(idle.offset, message);
        }
        for statement in block {
            self.expr(statement);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.node {
            Node::TooLarge(text) => self.too_large(expr.offset, text),
            Node::Integer(number) if i64::try_from(*number).is_err() => {
                self.too_large(expr.offset, &number.to_string());
            }
            Node::Variable(name) => self.variable(expr.offset, name),
            Node::Assign(sign, left, _) => self.assignment(sign, left, expr.offset),
            Node::Reserved(word) => self.refuse(
                expr.offset,
                format!("Use of reserved word: {word}, must be quoted if intended to be a String value"),
            ),
            Node::Untitled(name) => self.refuse(
                expr.offset,
                format!("This expression is invalid. Did you try declaring a '{name}' resource without a title?"),
            ),
            Node::Heredoc(syntax, text) => self.heredoc(syntax, text),
            Node::Selector(_, entries) => {
                let keys = entries.iter().map(|(key, _)| key);
                self.duplicate_default(keys, "Selector Expression");
            }
            Node::Case(_, choices) => {
                let keys = choices.iter().flat_map(|choice| &choice.values);
                self.duplicate_default(keys, "'case' statement");
            }
            Node::Resource(_, bodies) => {
                for body in bodies {
                    let unfolded = body.operations.iter().filter(|one| one.name.is_none());
                    for again in unfolded.skip(1) {
                        let message = "Unfolding of attributes from Hash can only be used once per resource body";
                        self.refuse(again.offset, message);
                    }
                    self.no_additions(&body.operations, "Resource Instance Definition");
                }
            }
            Node::Defaults(_, operations) => {
                self.no_additions(operations, "Resource Defaults Expression");
            }
            Node::If(_, test, then, other) => {
                self.expr(test);
                self.block(then);
                self.block(other);
                return;
            }
            _ => {}
        }
        if let Node::Case(test, choices) = &expr.node {
            self.expr(test);
            for choice in choices {
                choice.values.iter().for_each(|value| self.expr(value));
                self.block(&choice.then);
            }
            return;
        }
        expr.node.each_child(&mut |child| self.expr(child));
    }

    fn too_large(&mut self, offset: usize, text: &str) {
        let hex = num_bigint::BigInt::parse_bytes(text.as_bytes(), 10)
            .map(|number| format!("{number:x}"));
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let octal = || {
            let octal = text
                .starts_with('0')
                .then(|| num_bigint::BigInt::parse_bytes(text.as_bytes(), 8));
            octal.flatten().map(|number| format!("{number:x}"))
        };
        let hex = digits
            .map(str::to_lowercase)
            .or_else(octal)
            .or(hex)
            .unwrap_or_default();
        let hex = hex.trim_start_matches('0');
        let message = format!(
            "A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x{hex}'"
        );
        self.refuse(offset, message);
    }

    fn variable(&mut self, offset: usize, name: &str) {
        let word = |text: &str| {
            text.bytes()
                .all(|one| one.is_ascii_alphanumeric() || one == b'_')
        };
        if name.starts_with(|one: char| one.is_ascii_digit()) {
            let number = name == "0"
                || !name.starts_with('0') && name.bytes().all(|one| one.is_ascii_digit());
            if !number {
                let message = format!(
                    "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
                );
                self.refuse(offset, message);
            }
            return;
        }
        let plain = name.strip_prefix("::").unwrap_or(name);
        let segments: Vec<&str> = plain.split("::").collect();
        let last = segments.len() - 1;
        let legal = segments.iter().enumerate().all(|(index, segment)| {
            let first = |one: char| one.is_ascii_lowercase() || index == last && one == '_';
            segment.starts_with(first) && word(segment)
        });
        if !legal {
            let message = format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            );
            self.refuse(offset, message);
        }
    }

    fn assignment(&mut self, sign: &str, left: &Expr, offset: usize) {
        if sign == "=" {
            self.assignable(left);
        } else {
            let message = format!(
                "The operator '{sign}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
            );
            self.refuse(offset, message);
        }
    }

    fn assignable(&mut self, left: &Expr) {
        match &left.node {
            Node::Variable(name) => {
                if name.starts_with(|one: char| one.is_ascii_digit()) {
                    let message = format!(
                        "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
                    );
                    self.refuse(left.offset, message);
                }
                if name.contains("::") {
                    let message = format!(
                        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
                    );
                    self.refuse(left.offset, message);
                }
            }
            Node::Access(..) => {
                let message =
                    "Illegal attempt to assign via [index/key]. Not an assignable reference";
                self.refuse(left.offset, message);
            }
            Node::List(items) => items.iter().for_each(|item| self.assignable(item)),
            node => {
                let message = format!(
                    "Illegal attempt to assign to '{}'. Not an assignable reference",
                    with_article(&label(node))
                );
                self.refuse(left.offset, message);
            }
        }
    }

    /// Puppet checks the text of a heredoc whose syntax it knows. Of these, only JSON is known here.
    fn heredoc(&mut self, syntax: &str, text: &Expr) {
        let Node::String(json) = &text.node else {
            return;
        };
        if syntax == "json"
            && let Err(error) = stickler_json::parse(json.as_bytes())
        {
            let message = format!(
                "Invalid produced text having syntax: 'json'. JSON syntax checker: Cannot parse invalid JSON string. \"{error}\""
            );
            self.refuse(text.offset, message);
        }
    }

    fn duplicate_default<'e>(&mut self, keys: impl Iterator<Item = &'e Expr>, what: &str) {
        let mut defaults = keys.filter(|key| matches!(key.node, Node::Default));
        if let Some(again) = defaults.nth(1) {
            let message =
                format!("This {what} already has a 'default' entry - this is a duplicate");
            self.refuse(again.offset, message);
        }
    }

    fn no_additions(&mut self, operations: &[Operation], what: &str) {
        for one in operations.iter().filter(|one| one.adds) {
            let message = format!(
                "Illegal +> operation on attribute {}. This operator can not be used in {}",
                one.name.as_deref().unwrap_or_default(),
                with_article(what)
            );
            self.refuse(one.offset, message);
        }
    }
}

/// Does a statement only produce a value?
fn has_no_effect(expr: &Expr) -> bool {
    match &expr.node {
        Node::Assign(..)
        | Node::Relation(..)
        | Node::Resource(..)
        | Node::Defaults(..)
        | Node::Override(..)
        | Node::Sensitive(_)
        | Node::Reserved(_) => false,
        Node::Binary(operator, ..) => !matches!(operator.sign(), "=~" | "!~"),
        Node::Parenthesized(inner) => has_no_effect(inner),
        Node::If(_, test, then, other) => {
            has_no_effect(test) && then.iter().chain(other).all(has_no_effect)
        }
        Node::Case(test, choices) => {
            let idle = |choice: &crate::tree::Choice| {
                choice.values.iter().chain(&choice.then).all(has_no_effect)
            };
            has_no_effect(test) && choices.iter().all(idle)
        }
        _ => true,
    }
}

/// With `a` or `an` before it.
pub(crate) fn with_article(label: &str) -> String {
    let first = label.chars().find(|one| !matches!(one, '\'' | '"'));
    let vowel = first.is_some_and(|one| "aeiouyAEIOUY".contains(one));
    format!("{} {label}", if vowel { "an" } else { "a" })
}

/// What messages call an expression.
pub(crate) fn label(node: &Node) -> String {
    match node {
        Node::Undef => "'undef' expression".to_owned(),
        Node::Default => "'default' expression".to_owned(),
        Node::Bool(_) => "Boolean".to_owned(),
        Node::Integer(_) | Node::TooLarge(_) => "Literal Integer".to_owned(),
        Node::Float(_) => "Literal Float".to_owned(),
        Node::String(_) => "String".to_owned(),
        Node::Name(_) => "Name".to_owned(),
        Node::Interpolated(_) => "Double Quoted String".to_owned(),
        Node::Heredoc(syntax, _) => format!("'@({syntax})' expression"),
        Node::Regexp(_) => "Regular Expression".to_owned(),
        Node::Variable(_) => "Variable".to_owned(),
        Node::TypeName(_) => "Type-Name".to_owned(),
        Node::List(_) => "Array Expression".to_owned(),
        Node::Hash(_) => "Hash Expression".to_owned(),
        Node::Parenthesized(_) => "Parenthesized Expression".to_owned(),
        Node::Not(_) => "'not' expression".to_owned(),
        Node::Minus(_) => "Unary Minus".to_owned(),
        Node::Unfold(_) => "Unfold".to_owned(),
        Node::Binary(operator, ..) => format!("'{}' expression", operator.sign()),
        Node::And(..) => "'and' expression".to_owned(),
        Node::Or(..) => "'or' expression".to_owned(),
        Node::Assign(sign, ..) => format!("'{sign}' expression"),
        Node::Access(..) => "'[]' expression".to_owned(),
        Node::Sensitive(_) => "Function Call".to_owned(),
        Node::Selector(..) => "Selector Expression".to_owned(),
        Node::If(true, ..) => "'if' statement".to_owned(),
        Node::If(false, ..) => "'unless' Statement".to_owned(),
        Node::Case(..) => "'case' statement".to_owned(),
        Node::Relation(_, rest) => {
            let sign = rest.last().map_or("->", |(edge, ..)| edge.sign());
            format!("'{sign}' expression")
        }
        Node::Resource(..) => "Resource Statement".to_owned(),
        Node::Defaults(..) => "Resource Defaults Expression".to_owned(),
        Node::Override(..) => "Resource Override".to_owned(),
        Node::Untitled(_) => "Block Expression".to_owned(),
        Node::Reserved(word) => format!("Reserved Word '{word}'"),
    }
}
