//! Limits on a subject's resources, and the privileges that it keeps.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, capability_is_in_bounding_set, remove_capability_from_bounding_set,
};

/// What one process may use, and what all processes of a sandbox may use together; in bytes unless
/// noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Heap and private mappings of one process.
    pub memory: u64,
    /// The longest file that one process may write.
    pub file: u64,
    /// How many descriptors one process may have open.
    pub descriptors: u64,
    /// The size of the files that a sandbox's processes write, in the overlay tier: of those in the
    /// scratch space, and of all others.
    pub disk: u64,
    /// How many files and directories they may create, counted likewise.
    pub files: u64,
    /// How many processes there may be, if the kernel limits them (6.14 and newer).
    pub processes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 2 << 30,
            file: 1 << 30,
            descriptors: 1024,
            disk: 256 << 20,
            files: 100_000,
            // After a wrap-around, the kernel does not reuse process ids below 300.
            processes: 640,
        }
    }
}

/// Sets the limits of the calling process; its children inherit them.
pub(super) fn apply(limits: &Limits) -> Result<(), Errno> {
    let set = |resource, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        match setrlimit(resource, limit) {
            // A lower limit already applies, which is enough.
            Ok(()) | Err(Errno::PERM) => Ok(()),
            Err(error) => Err(error),
        }
    };
    set(Resource::Core, 0)?;
    set(Resource::Data, limits.memory)?;
    set(Resource::Fsize, limits.file)?;
    set(Resource::Nofile, limits.descriptors)
}

/// The capabilities that a root subject keeps: to manage files and users, as modules must.
pub(super) const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(KEPT_UNPRIVILEGED)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP);

/// The capabilities that remain if files must resist root.
pub(super) const KEPT_UNPRIVILEGED: CapabilitySet = CapabilitySet::KILL
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT);

/// Removes all capabilities except `kept` from the bounding set of the calling process.
pub(super) fn bound_capabilities(kept: CapabilitySet) -> Result<(), Errno> {
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(capability) {
            continue;
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Beyond the last capability that the kernel knows.
            Err(Errno::INVAL) => break,
            // Without the right to drop capabilities there should be none to drop; check that.
            Err(Errno::PERM) => {
                if capability_is_in_bounding_set(capability)? {
                    return Err(Errno::PERM);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The bits of a mark that number the children of one sandbox.
pub(super) const MARK_ROOM: u64 = 0xFFFF;

/// Marks the calling process and all its descendants. The mark is the limit on file locks, which
/// the kernel has ignored since 2.4.25. No other mark survives fork, exec and a new session, is
/// readable from outside, and stays invisible to a program that lists its environment.
pub(super) fn mark(mark: u64) -> Result<(), Errno> {
    let limit = Rlimit {
        current: Some(mark),
        maximum: Some(mark),
    };
    setrlimit(Resource::Locks, limit)
}
