//! One scheduler for all tests of this program: together they use each CPU once, however many
//! tests run, and however many subjects each of them has.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The parts of a CPU that can be given separately.
const PARTS: usize = 12;

struct Pool {
    free: usize,
    /// The numbers of the next permit to ask for, and of the next to be given.
    asked: usize,
    given: usize,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Has this thread a permit? Whatever it calls needs no other.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(2, NonZero::get)
}

/// The right to use a CPU, or a part of one, until it is dropped.
#[derive(Debug)]
pub struct Permit {
    parts: usize,
}

impl Permit {
    /// Waits for a CPU, which `per_cpu` permits may share. None if the thread already has a permit.
    pub fn shared(per_cpu: usize) -> Option<Self> {
        if HELD.replace(true) {
            return None;
        }
        let parts = (PARTS / per_cpu).max(1);
        let mut guard = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = {
            let pool = guard.get_or_insert_with(|| Pool {
                free: cpus() * PARTS,
                asked: 0,
                given: 0,
            });
            pool.asked += 1;
            pool.asked - 1
        };
        loop {
            if let Some(pool) = guard.as_mut()
                && pool.given == ticket
                && pool.free >= parts
            {
                pool.given += 1;
                pool.free -= parts;
                CHANGED.notify_all();
                return Some(Self { parts });
            }
            guard = CHANGED.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        HELD.set(false);
        let mut guard = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = guard.as_mut() {
            pool.free += self.parts;
        }
        CHANGED.notify_all();
    }
}

/// Calls a function for each item, one item per CPU at a time, and returns the results in order.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    several_a_cpu(1, items, work)
}

/// Like [`side_by_side`], with several items per CPU: for work that mostly waits.
pub fn several_a_cpu<T: Sync, R: Send>(
    per_cpu: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..(cpus() * per_cpu).min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let permit = Permit::shared(per_cpu);
                    let result = work(item);
                    drop(permit);
                    done.lock().expect("no panic").push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
