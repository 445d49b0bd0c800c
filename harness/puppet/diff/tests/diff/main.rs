//! Stickler's runtime beside the real Puppet.

mod differential;
