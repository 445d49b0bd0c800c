//! Stickler's own runtime of Puppet's Resource API: it applies catalogs and lists resources as
//! Puppet does with `puppet/resource_api`.
//!
//! It starts nothing: a [`Host`] calls the providers. It refuses what it does not support, by name,
//! and never guesses.

mod build;
mod built_in;
mod context;
mod display;
mod evaluate;
mod fault;
mod generate;
mod graph;
mod host;
mod instances;
mod kept;
mod kind;
mod log;
mod own;
mod release;
mod report;
mod resource;
mod row;
mod settings;
mod state;
mod strict;
mod transaction;

pub use context::told;
pub use display::shown;
pub use fault::{Fault, Raised, Stopped};
pub use host::Exchange;
pub use instances::{Attribute, ListedResource};
pub use kind::Runtime;
pub use log::{Log, Severity};
pub use release::{Api, Core, Release};
pub use report::{ReportEvent, ResourceOutcome, RunReport, Skipped, Status};
pub use resource::Resource;
pub use settings::RuntimeSettings;
pub use strict::Strict;
