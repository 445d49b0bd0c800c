//! Evaluates a manifest, and hands what it declares to the compiler.

mod access;
mod collections;
mod compare;
mod control;
mod declare;
mod describe;
mod numbers;
mod operators;
mod relate;
mod variables;

use crate::bounds::{BUDGET, size, too_large};
use crate::catalog::Catalog;
use crate::compiler::Compiler;
use crate::error::{Error, Kind, Result, unsupported};
use crate::reference::Reference;
use crate::source::Source;
use crate::tree::{Block, Expr, Node, Piece};
use puppet_types::Value;
use std::collections::HashMap;

/// Evaluates all statements and completes the catalog.
pub(crate) fn evaluate(source: &Source, block: &Block) -> Result<Catalog> {
    let mut evaluator = Evaluator {
        source,
        variables: HashMap::new(),
        budget: BUDGET,
        compiler: Compiler::new(source),
    };
    evaluator.block(block)?;
    evaluator.compiler.finish()
}

struct Evaluator<'s, 't> {
    source: &'s Source<'t>,
    variables: HashMap<String, Value>,
    budget: usize,
    compiler: Compiler<'s, 't>,
}

/// Names of types of data; all other types are those of resources.
const DATA_TYPES: &[&str] = &[
    "any",
    "array",
    "binary",
    "boolean",
    "callable",
    "catalogentry",
    "collection",
    "data",
    "default",
    "deferred",
    "enum",
    "error",
    "float",
    "hash",
    "init",
    "integer",
    "iterable",
    "iterator",
    "notundef",
    "numeric",
    "object",
    "optional",
    "pattern",
    "regexp",
    "resource",
    "richdata",
    "runtime",
    "scalar",
    "scalardata",
    "semver",
    "semverrange",
    "sensitive",
    "string",
    "struct",
    "target",
    "timespan",
    "timestamp",
    "tuple",
    "type",
    "typereference",
    "typeset",
    "undef",
    "unit",
    "uri",
    "variant",
];

impl Evaluator<'_, '_> {
    fn refuse(&self, offset: usize, message: impl Into<String>) -> Box<Error> {
        self.source.error(Kind::Evaluation, offset, message)
    }

    fn unsupported(&self, offset: usize, part: &str) -> Box<Error> {
        self.source
            .error(Kind::Unsupported, offset, unsupported(part))
    }

    /// Notes that values of so many bytes are made.
    fn charge(&mut self, bytes: usize, offset: usize) -> Result<()> {
        let Some(rest) = self.budget.checked_sub(bytes) else {
            return Err(self.source.error(Kind::Unsupported, offset, too_large()));
        };
        self.budget = rest;
        Ok(())
    }

    /// A value that is kept as well as used elsewhere.
    fn copy(&mut self, value: &Value, offset: usize) -> Result<Value> {
        self.charge(size(value), offset)?;
        Ok(value.clone())
    }

    /// The value of the last statement.
    fn block(&mut self, block: &Block) -> Result<Value> {
        let mut last = Value::Undef;
        for statement in block {
            last = self.eval(statement)?;
        }
        Ok(last)
    }

    fn eval(&mut self, expr: &Expr) -> Result<Value> {
        let offset = expr.offset;
        Ok(match &expr.node {
            Node::Undef => Value::Undef,
            Node::Default => Value::symbol("default"),
            Node::Bool(value) => Value::Bool(*value),
            Node::Integer(number) => Value::integer(*number),
            Node::Float(number) => Value::Float(*number),
            Node::String(text) | Node::Name(text) => {
                self.charge(text.len(), offset)?;
                Value::string(text.as_str())
            }
            Node::Interpolated(pieces) => self.interpolated(pieces, offset)?,
            Node::Heredoc(_, inner) | Node::Parenthesized(inner) => self.eval(inner)?,
            Node::Regexp(source) => Value::Regexp {
                source: source.clone(),
                options: String::new(),
            },
            Node::Variable(name) => self.variable(name, offset)?,
            Node::TypeName(kind) => self.type_name(kind, offset)?,
            Node::List(items) => Value::Array(self.items(items)?),
            Node::Hash(pairs) => self.hash(pairs, offset)?,
            Node::Not(inner) => Value::Bool(!is_true(&self.eval(inner)?)),
            Node::Minus(inner) => self.negated(inner, offset)?,
            Node::Unfold(inner) => {
                let value = self.eval(inner)?;
                Value::Array(collections::unfolded(value))
            }
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, offset)?,
            Node::And(left, right) => {
                Value::Bool(is_true(&self.eval(left)?) && is_true(&self.eval(right)?))
            }
            Node::Or(left, right) => {
                Value::Bool(is_true(&self.eval(left)?) || is_true(&self.eval(right)?))
            }
            Node::Assign(_, left, right) => self.assign(left, right, offset)?,
            Node::Access(left, keys) => self.access(left, keys)?,
            Node::Sensitive(inner) => match self.eval(inner)? {
                value @ Value::Sensitive(_) => value,
                value => Value::Sensitive(Box::new(value)),
            },
            Node::Selector(test, entries) => self.selector(test, entries)?,
            Node::If(wanted, test, then, other) => {
                let met = is_true(&self.eval(test)?) == *wanted;
                self.block(if met { then } else { other })?
            }
            Node::Case(test, choices) => self.case(test, choices)?,
            Node::Relation(first, rest) => self.relation(first, rest)?,
            Node::Resource(kind, bodies) => self.resource(kind, bodies, offset)?,
            Node::Defaults(kind, operations) => self.defaults(kind, operations, offset)?,
            Node::Override(resources, operations) => {
                self.overrides(resources, operations, offset)?
            }
            // The checks before refuse these.
            Node::TooLarge(_) | Node::Untitled(_) | Node::Reserved(_) => {
                return Err(self.refuse(offset, "Illegal expression"));
            }
        })
    }

    fn type_name(&self, kind: &str, offset: usize) -> Result<Value> {
        if kind == "class" {
            return Err(self.unsupported(offset, "reference to a class"));
        }
        if DATA_TYPES.contains(&kind) {
            let name = crate::reference::capitalized(kind);
            return Err(self.unsupported(offset, &format!("data type '{name}'")));
        }
        Ok(Reference::new(kind, "").to_value())
    }

    fn interpolated(&mut self, pieces: &[Piece], offset: usize) -> Result<Value> {
        let mut text = String::new();
        for piece in pieces {
            let before = text.len();
            match piece {
                Piece::Text(own) => text.push_str(own),
                Piece::Expr(expr) => {
                    let value = self.eval(expr)?;
                    describe::text(&value, &mut text);
                }
            }
            self.charge(text.len() - before, offset)?;
        }
        Ok(Value::String(text))
    }
}

/// What conditions take for true: all but `undef` and `false`.
fn is_true(value: &Value) -> bool {
    value.is_truthy()
}
