//! Makes a scratch directory refuse writes.

use super::control::Operation;
use super::{Error, Protection, Sandbox, Target, errno_of, view};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};

/// How many files can still be created on a full disk, so that it runs out of space before it runs
/// out of inodes.
const SPARE_INODES: u64 = 1_000;

impl Sandbox {
    /// Makes {dir} refuse writes from now on. Take a snapshot afterwards: the changes made here are
    /// no effect of a subject.
    ///
    /// # Errors
    ///
    /// If the sandbox's [`Target`] does not support it, or if a subject has {dir} open for writing.
    pub fn protect(&mut self, protection: Protection) -> Result<(), Error> {
        let result = match protection {
            Protection::Forbidden => return self.forbid(),
            _ if self.target == Target::Plain => {
                let tier = self.host.tier();
                return Err(Error::Unsupported {
                    tier,
                    what: "this protection of a plain {dir}",
                });
            }
            Protection::ReadOnly => self.request(Operation::ReadOnly, 0, 0, b"", &[])?,
            Protection::Full => {
                let Some(place) = self.places.last() else {
                    return Err(Error::Gone);
                };
                // A size of 0 would mean no limit, so at least one block must be used.
                self.ballast = Some(ballast(&place.dir)?);
                let used = rustix::fs::fstatfs(&place.dir).map_err(|errno| Error::System {
                    call: "fstatfs",
                    errno,
                })?;
                let block = u64::try_from(used.f_bsize).unwrap_or(4096);
                let bytes = (used.f_blocks - used.f_bfree) * block;
                let inodes = used.f_files - used.f_ffree + SPARE_INODES;
                self.request(Operation::Resize, bytes, inodes, b"", &[])?
            }
        };
        match result.reply.a {
            0 => Ok(()),
            errno => Err(Error::System {
                call: "protecting {dir}",
                errno: errno_of(errno),
            }),
        }
    }

    fn forbid(&mut self) -> Result<(), Error> {
        let dir = self.scratch().join("dir");
        let owner =
            (rustix::process::geteuid().is_root() && self.host.inner.privileged).then_some(12_345);
        self.view.each(&dir, &mut |fd, directory| {
            if let Some(owner) = owner {
                // A user namespace may have no other user.
                match view::chown(fd.as_fd(), owner, owner) {
                    Ok(()) | Err(Errno::INVAL | Errno::PERM) => {}
                    Err(errno) => return Err(errno),
                }
            }
            view::chmod(fd, if directory { 0o555 } else { 0o444 })
        })
    }
}

/// An unnamed file that takes one block.
fn ballast(place: &OwnedFd) -> Result<OwnedFd, Error> {
    let failed = |errno| Error::System {
        call: "filling {dir}",
        errno,
    };
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(place, ".", flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
    rustix::io::write(&file, b"full").map_err(failed)?;
    Ok(file)
}
