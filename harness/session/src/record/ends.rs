//! Takes over this process's own standard streams.

use rustix::fs::{Mode, OFlags};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The agent's ends. Dropping one closes it, because nothing else holds it open. The exception is
/// standard error, which the agent shares with others anyway.
pub(super) struct Ends {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Ends {
    pub(super) fn take() -> io::Result<Ends> {
        let ends = Ends {
            stdin: io::stdin().as_fd().try_clone_to_owned()?,
            stdout: io::stdout().as_fd().try_clone_to_owned()?,
            stderr: io::stderr().as_fd().try_clone_to_owned()?,
        };
        let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
        dup2_stdin(&null)?;
        dup2_stdout(&null)?;
        Ok(ends)
    }
}
