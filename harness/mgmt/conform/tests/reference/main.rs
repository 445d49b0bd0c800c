//! Stickler's own engine plays recorded situations; files that are no recordings.

mod garbage;
mod recorded;
