//! Locks that a panic elsewhere does not close: whoever panicked has lost only its own case.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks what threads share.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
