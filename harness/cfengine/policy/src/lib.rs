//! The CFEngine policy language: a parser from text to a syntax tree with places.
//!
//! Follows the grammar of a release of CFEngine with its peculiarities: it accepts exactly what that
//! parser accepts. This crate is independent of evaluation, of promise modules and of processes.

pub mod check;
pub mod class;
mod diagnostic;
mod lexer;
mod load;
mod macros;
pub mod order;
mod parser;
mod print;
pub mod real;
mod source;
pub mod syntax;
pub mod text;
pub mod tree;
pub mod variable;

pub use diagnostic::Diagnostic;
pub use load::{Constants, Loaded, Resolve, Value, load};
pub use parser::parse;
pub use print::{print, quoted};
pub use source::{FileId, Position, Source, Sources, Span};
