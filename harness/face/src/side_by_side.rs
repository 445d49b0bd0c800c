//! Work that several threads share.

use crate::failure::Failure;
use std::sync::Mutex;
pub use stickler_suite::lock;

/// Does the pieces that `next` hands out in as many threads, until there are none left or one fails.
///
/// # Errors
/// The first failure.
pub fn side_by_side<T>(
    threads: usize,
    next: impl Fn() -> Option<T> + Sync,
    work: impl Fn(T) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some(piece) = next().filter(|_| lock(&failed).is_none()) {
                    if let Err(failure) = work(piece) {
                        lock(&failed).get_or_insert(failure);
                    }
                }
            });
        }
    });
    lock(&failed).take().map_or(Ok(()), Err)
}
