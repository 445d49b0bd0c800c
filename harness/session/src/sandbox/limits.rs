//! Bounds on what a subject may use, and the privileges that it keeps.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, capability_is_in_bounding_set, remove_capability_from_bounding_set,
};

/// What one process may use, and all of a sandbox together. Bytes where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Heap and private mappings of one process.
    pub memory: u64,
    /// The longest file that one process may write.
    pub file: u64,
    /// How many descriptors one process may have open.
    pub descriptors: u64,
    /// All files that a sandbox's processes write, in the overlay tier.
    pub disk: u64,
    /// How many files and directories they may make, in the overlay tier.
    pub files: u64,
    /// How many processes there may be, where the kernel counts them (6.14 and newer).
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
            // Numbers below 300 are not given again once the kernel has come round.
            processes: 640,
        }
    }
}

/// Sets the limits of the calling process, which its children inherit.
pub(super) fn apply(limits: &Limits) -> Result<(), Errno> {
    let set = |resource, value: u64| {
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        match setrlimit(resource, limit) {
            // A lower limit already stands: that will do.
            Ok(()) | Err(Errno::PERM) => Ok(()),
            Err(error) => Err(error),
        }
    };
    set(Resource::Core, 0)?;
    set(Resource::Data, limits.memory)?;
    set(Resource::Fsize, limits.file)?;
    set(Resource::Nofile, limits.descriptors)
}

/// What a subject of root may still do: manage files and users, as modules must.
pub(super) const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(KEPT_UNPRIVILEGED)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP);

/// What is left when files must resist root.
pub(super) const KEPT_UNPRIVILEGED: CapabilitySet = CapabilitySet::KILL
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT);

/// Takes all but `kept` from what programs of the calling process may ever have.
pub(super) fn bound_capabilities(kept: CapabilitySet) -> Result<(), Errno> {
    for number in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(capability) {
            continue;
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Past the last one that the kernel knows.
            Err(Errno::INVAL) => break,
            // Without the right to drop there is little to drop; but none may remain.
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

/// Marks the calling process, and all that come of it, by a limit that the kernel has ignored
/// since 2.4.25, that of file locks. No other mark survives fork, exec and a new session, can be
/// read from outside, and is not seen by a program that lists its environment.
pub(super) fn mark(mark: u64) -> Result<(), Errno> {
    let limit = Rlimit {
        current: Some(mark),
        maximum: Some(mark),
    };
    setrlimit(Resource::Locks, limit)
}
