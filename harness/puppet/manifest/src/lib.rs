//! Manifests and catalogs of Puppet, without Puppet.
//!
//! [`compile`] reads the part of the language that declares resources, and refuses the rest by name.
//! It accepts, refuses and says what Puppet 7.23 does; tests compare it with the real one. It knows
//! no types: which attributes exist, and what they may hold, is the runtime's business.
//! [`read_catalog`] reads what Puppet compiled. This crate does no I/O.

mod bounds;
mod catalog;
mod check;
mod compiler;
mod error;
mod evaluator;
mod hash;
mod json;
mod lexer;
mod metaparameters;
mod parser;
mod reference;
mod source;
mod tags;
mod tokens;
mod tree;

pub use catalog::{Catalog, Container, METAPARAMETERS, Parameter, Resource};
pub use error::{Error, Kind};
pub use json::{DEFERRED, read_catalog};
pub use reference::{Reference, capitalized};
pub use source::Place;

/// Compiles a manifest. `file` is its name in errors and places.
///
/// # Errors
/// What Puppet would refuse, or what of the language is not supported. Only checks before the
/// evaluation find several errors at once.
pub fn compile(file: &str, text: &str) -> Result<Catalog, Vec<Error>> {
    let source = source::Source::new(file, text);
    let tokens = lexer::tokens(&source);
    let tree = parser::parse(&source, tokens).map_err(|error| vec![*error])?;
    let errors = check::check(&source, &tree);
    if !errors.is_empty() {
        return Err(errors);
    }
    evaluator::evaluate(&source, &tree).map_err(|error| vec![*error])
}
