//! Waits in the background until ended sandboxes are gone.
//!
//! Their processes are already killed. But the kernel removes their namespaces and mounts later.
//! Waiting for that, or closing a mount's last descriptor, would take a large part of a sandbox's
//! time.

#![expect(unsafe_code, reason = "waitid for children that clone3 made")]

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_setaffinity};

use super::place::Place;
use super::steps;

/// Network namespaces without processes.
pub(super) type Networks = Arc<Mutex<Vec<OwnedFd>>>;

/// What is left of a sandbox whose init was killed.
#[derive(Debug)]
pub(super) struct Remains {
    pub(super) init: OwnedFd,
    /// Reused once the init has ended.
    pub(super) network: Option<OwnedFd>,
    /// The descriptors that keep its mounts alive.
    pub(super) top: OwnedFd,
    pub(super) places: Vec<Place>,
}

/// A thread that waits for remains; started with the first ones. Dropping it waits until all are
/// gone.
#[derive(Debug)]
pub(super) struct Undertaker {
    cpus: CpuSet,
    networks: Networks,
    /// `None` if no thread could be started.
    thread: OnceLock<Option<Thread>>,
}

#[derive(Debug)]
struct Thread {
    queue: SyncSender<Remains>,
    handle: JoinHandle<()>,
}

/// How many sandboxes may wait in the queue.
const QUEUE: usize = 8;
/// How many clean networks are kept.
const MAX_NETWORKS: usize = 64;
/// A killed init ends for certain, but it may have to wait while hundreds of processes use the
/// processor.
pub(super) const KILLED_MS: i32 = 60_000;

impl Undertaker {
    /// For the sandboxes of a host whose threads may run on these CPUs.
    pub(super) fn new(cpus: CpuSet, networks: Networks) -> Self {
        Self {
            cpus,
            networks,
            thread: OnceLock::new(),
        }
    }

    pub(super) fn bury(&self, remains: Remains) {
        let thread = self.thread.get_or_init(|| self.start().ok());
        let refused = match thread {
            Some(thread) => thread.queue.send(remains).err().map(|refused| refused.0),
            None => Some(remains),
        };
        if let Some(remains) = refused {
            remains.bury(&self.networks);
        }
    }

    fn start(&self) -> std::io::Result<Thread> {
        let (queue, orders) = sync_channel(QUEUE);
        let (cpus, networks) = (self.cpus, Arc::clone(&self.networks));
        let serve = move |orders: Receiver<Remains>| {
            // The thread that started this one may be pinned.
            let _ = sched_setaffinity(None, &cpus);
            for remains in orders {
                remains.bury(&networks);
            }
        };
        let thread = thread::Builder::new().name("undertaker".into());
        let handle = thread.spawn(move || serve(orders))?;
        Ok(Thread { queue, handle })
    }
}

impl Drop for Undertaker {
    fn drop(&mut self) {
        if let Some(Some(Thread { queue, handle })) = self.thread.take() {
            drop(queue);
            let _ = handle.join();
        }
    }
}

impl Remains {
    fn bury(self, networks: &Networks) {
        let gone = reap(&self.init, KILLED_MS);
        if let (true, Some(network)) = (gone, self.network) {
            keep(networks, network);
        }
        drop((self.top, self.places));
    }
}

/// Keeps a network namespace without processes for reuse.
pub(super) fn keep(networks: &Networks, network: OwnedFd) {
    if let Ok(mut networks) = networks.lock()
        && networks.len() < MAX_NETWORKS
    {
        networks.push(network);
    }
}

/// Waits until a child has ended, and reaps it; false if it has not ended in time.
pub(super) fn reap(pidfd: &OwnedFd, milliseconds: i32) -> bool {
    let mut poll = libc::pollfd {
        fd: pidfd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live pollfd; then waitid on a descriptor that is ours, with space for its result.
    unsafe {
        loop {
            match libc::poll(&raw mut poll, 1, milliseconds) {
                0 => return false,
                count if count > 0 => break,
                _ if steps::last_error() == Errno::INTR => {}
                _ => return false,
            }
        }
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let id = pidfd.as_raw_fd().unsigned_abs();
        libc::waitid(
            libc::P_PIDFD,
            id,
            &raw mut info,
            libc::WEXITED | libc::__WALL,
        ) == 0
    }
}
