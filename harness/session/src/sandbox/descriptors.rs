//! The descriptors that the init and its children inherit.

use std::os::fd::RawFd;

/// The socket to the harness.
pub(super) const CONTROL: RawFd = 3;
/// The descriptor of the Landlock rules, or of a network namespace to enter.
pub(super) const EXTRA: RawFd = 4;
