//! The engine: resources without a script.

mod plain;
