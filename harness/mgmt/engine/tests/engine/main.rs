//! The engine: recordings of the real one, resources without a script, files that are no recordings.

mod garbage;
mod plain;
mod recorded;
