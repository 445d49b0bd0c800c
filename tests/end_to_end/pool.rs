//! One scheduler for all tests of this program: together they use each CPU once, and wait meanwhile half as much,
//! however many tests run, and however many subjects each of them has.

use std::cell::Cell;
use std::fs::File;
use std::io::Write as _;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Instant;

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
    since: Instant,
}

/// Notes that a test had a CPU for these seconds: a line in the file that `STICKLER_TEST_SECONDS` names.
fn note(test: &str, seconds: f64) {
    static NOTES: OnceLock<Option<File>> = OnceLock::new();
    let notes = NOTES.get_or_init(|| {
        let path = std::env::var_os("STICKLER_TEST_SECONDS")?;
        let file = File::options().create(true).append(true).open(path);
        Some(file.expect("the file of STICKLER_TEST_SECONDS"))
    });
    if let Some(mut file) = notes.as_ref() {
        let line = format!("{test}\t{seconds:.3}\n");
        file.write_all(line.as_bytes()).expect("a note");
    }
}

/// The test that this thread serves: libtest names its threads after the tests.
fn test() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
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
                free: cpus() * PARTS * 3 / 2,
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
                let since = Instant::now();
                return Some(Self { parts, since });
            }
            guard = CHANGED.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        HELD.set(false);
        let share = self.parts as f64 / PARTS as f64;
        note(&test(), share * self.since.elapsed().as_secs_f64());
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
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let permit = Permit::shared(per_cpu);
            let result = work(item);
            drop(permit);
            done.lock().expect("no panic").push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..(cpus() * per_cpu).min(items.len()) {
            let thread = std::thread::Builder::new().name(test());
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let mut done = done.into_inner().expect("no panic");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
