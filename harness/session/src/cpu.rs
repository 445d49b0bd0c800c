//! Gives a harness thread and its subject one CPU: a round trip over a pipe then takes a tenth of
//! the time that it takes across two CPUs.

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::os::fd::OwnedFd;

/// A CPU that no other run of Stickler on this machine uses while the lease exists. The thread that
/// took it is pinned. Dropping the lease frees the CPU and restores the thread's affinity.
#[derive(Debug)]
pub struct CpuLease {
    cpu: usize,
    before: CpuSet,
    _lock: OwnedFd,
}

impl CpuLease {
    /// Takes a free CPU of this thread's affinity mask and pins the thread to it. `None` if no CPU
    /// is free; the thread then runs unpinned, which is only slower.
    pub fn take() -> Option<CpuLease> {
        let before = sched_getaffinity(None).ok()?;
        (0..CpuSet::MAX_CPU)
            .filter(|cpu| before.is_set(*cpu))
            .find_map(|cpu| {
                let lock = lock(cpu)?;
                let mut one = CpuSet::new();
                one.set(cpu);
                sched_setaffinity(None, &one).ok()?;
                Some(CpuLease {
                    cpu,
                    before,
                    _lock: lock,
                })
            })
    }

    /// The CPU's number.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

impl Drop for CpuLease {
    fn drop(&mut self) {
        // Errors are ignored: the thread is about to end or to take another lease.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// An abstract socket name is a lock that the kernel removes, however its holder ends.
fn lock(cpu: usize) -> Option<OwnedFd> {
    let name = format!("stickler-cpu-{cpu}");
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).ok()?;
    let socket = socket_with(
        AddressFamily::UNIX,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .ok()?;
    bind(&socket, &address).ok()?;
    Some(socket)
}
