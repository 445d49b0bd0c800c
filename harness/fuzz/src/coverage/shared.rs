//! A System V segment that a campaign shares with programs that AFL++ has instrumented. They attach
//! to it by its number.
#![expect(unsafe_code, reason = "shared memory")]

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// A segment; it is gone once nobody is attached to it any more.
#[derive(Debug)]
pub(super) struct Segment {
    at: NonNull<AtomicU64>,
    words: usize,
    number: i32,
}

// SAFETY: other threads may attach to the memory or read it; all access is atomic.
unsafe impl Send for Segment {}

/// Leaves the machine's namespace for such segments, so that subjects that share this process's do
/// not reach other programs. Threads that start later do the same.
///
/// # Errors
/// If this process may not do that.
pub(super) fn separate() -> io::Result<()> {
    // SAFETY: only changes the namespace of this thread.
    match unsafe { libc::unshare(libc::CLONE_NEWIPC) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

impl Segment {
    /// Makes a segment of so many bytes, all zero.
    ///
    /// # Errors
    /// If the machine has no more.
    pub(super) fn make(bytes: usize) -> io::Result<Self> {
        // SAFETY: makes a new segment, and attaches it where the kernel chooses.
        unsafe {
            let number = libc::shmget(libc::IPC_PRIVATE, bytes, libc::IPC_CREAT | 0o600);
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            let at = libc::shmat(number, std::ptr::null(), 0);
            let failure = io::Error::last_os_error();
            // It can still be attached to by its number, as long as this process is.
            libc::shmctl(number, libc::IPC_RMID, std::ptr::null_mut());
            match NonNull::new(at.cast::<AtomicU64>()) {
                Some(at) if at.as_ptr().addr() != usize::MAX => Ok(Segment {
                    at,
                    words: bytes / size_of::<u64>(),
                    number,
                }),
                _ => Err(failure),
            }
        }
    }

    /// Its number.
    pub(super) fn number(&self) -> i32 {
        self.number
    }

    fn memory(&self) -> &[AtomicU64] {
        // SAFETY: attached, zeroed memory of this size, which only atomics access here. Programs
        // that write to it at the same time only change values.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.words) }
    }

    /// Sets all to zero.
    pub(super) fn clear(&self) {
        for word in self.memory() {
            if word.load(Ordering::Relaxed) != 0 {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    /// The places of the bytes that are not zero, and the bytes.
    pub(super) fn set(&self) -> impl Iterator<Item = (usize, u8)> {
        let words = self.memory().iter().enumerate();
        words.flat_map(|(at, word)| {
            let bytes = word.load(Ordering::Relaxed).to_ne_bytes();
            let set = (0..bytes.len()).filter(move |byte| bytes[*byte] != 0);
            set.map(move |byte| (at * size_of::<u64>() + byte, bytes[byte]))
        })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: detaches what `make` attached; nothing refers to it any more.
        unsafe {
            libc::shmdt(self.at.as_ptr().cast());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_attachment_can_write_to_the_shared_segment() {
        let segment = Segment::make(1 << 12).expect("a segment");
        assert_eq!(segment.set().count(), 0);
        // SAFETY: a second attachment, to whose first and last byte one is written.
        unsafe {
            let other: *mut u8 = libc::shmat(segment.number(), std::ptr::null(), 0).cast();
            assert_ne!(other.addr(), usize::MAX);
            other.write_volatile(1);
            other.add(4095).write_volatile(7);
            libc::shmdt(other.cast());
        }
        assert_eq!(segment.set().collect::<Vec<_>>(), [(0, 1), (4095, 7)]);
        segment.clear();
        assert_eq!(segment.set().count(), 0);
    }
}
