//! Waits for what is left of sandboxes, beside the sessions.
//!
//! The processes in them are killed by then. But the kernel takes apart their namespaces and
//! mounts at leisure, and whoever waits for that, or closes a mount's last descriptor, sleeps
//! for a good part of the time that a sandbox takes.

use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};

use rustix::thread::{CpuSet, sched_setaffinity};

use super::build::Place;
use super::launcher;

/// Network namespaces in which nothing runs any more.
pub(super) type Networks = Arc<Mutex<Vec<OwnedFd>>>;

/// What is left of a sandbox whose init was killed.
#[derive(Debug)]
pub(super) struct Remains {
    pub(super) init: OwnedFd,
    /// To be used again, once the init is gone.
    pub(super) network: Option<OwnedFd>,
    /// What holds its mounts.
    pub(super) top: OwnedFd,
    pub(super) places: Vec<Place>,
}

/// A thread that buries remains, started with the first. Dropping it waits until all are gone.
#[derive(Debug)]
pub(super) struct Undertaker {
    cpus: CpuSet,
    networks: Networks,
    /// `None` where the machine has no thread to spare.
    thread: OnceLock<Option<Thread>>,
}

#[derive(Debug)]
struct Thread {
    queue: SyncSender<Remains>,
    handle: JoinHandle<()>,
}

/// So many sandboxes may wait to be buried.
const QUEUE: usize = 8;
/// So many clean networks are worth keeping.
const MAX_NETWORKS: usize = 64;
/// An init that was killed is certain to end, but behind hundreds that want the processor.
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
            // Whoever started it may be pinned.
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
        let gone = launcher::reap(&self.init, KILLED_MS);
        if let (true, Some(network)) = (gone, self.network) {
            keep(networks, network);
        }
        drop((self.top, self.places));
    }
}

/// Keeps a network namespace in which nothing runs any more.
pub(super) fn keep(networks: &Networks, network: OwnedFd) {
    if let Ok(mut networks) = networks.lock()
        && networks.len() < MAX_NETWORKS
    {
        networks.push(network);
    }
}
