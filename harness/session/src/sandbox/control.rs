//! The messages between the harness and a sandbox's init, over one `SOCK_SEQPACKET` pair.
//!
//! The init is a copy of the harness between clone and exec, so its side must not allocate.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, UCred, recvmsg, sendmsg,
};

use super::{Error, steps};

/// Space for a request: an operation, two numbers, and a path of at most `PATH_MAX`.
pub(super) const REQUEST_BYTES: usize = 4096 + 24;
/// How many descriptors one message carries at most.
pub(super) const MAX_FDS: usize = 5;

/// A request from the harness to the init.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Operation {
    /// Start command `a` as child `b`. Carries stdin, stdout and stderr, and the two ends of a
    /// channel if it has one.
    Spawn = 1,
    /// Make the target's mount read-only.
    ReadOnly = 2,
    /// Limit the target's tmpfs to `a` bytes and `b` inodes.
    Resize = 3,
    /// Open the path in the payload, below the stage (`a` is 0) or the target. `b` is 0 to read the
    /// content, or 1 to read attributes only.
    Open = 4,
    /// Kill child `a`, unless it has ended.
    Kill = 5,
    /// Kill everything except the init, if it has a pid namespace.
    KillAll = 6,
    /// Like `Spawn`; the child's calls that change files are announced.
    SpawnWatched = 7,
    /// Like `Spawn`; only the child's calls after which files may have changed are announced.
    SpawnTold = 8,
    /// Process `a`, which is already a child of the init, is child `b`.
    Adopt = 9,
}

impl Operation {
    pub(super) fn from_word(word: u64) -> Option<Self> {
        [
            Self::Spawn,
            Self::ReadOnly,
            Self::Resize,
            Self::Open,
            Self::Kill,
            Self::KillAll,
            Self::SpawnWatched,
            Self::SpawnTold,
            Self::Adopt,
        ]
        .into_iter()
        .find(|operation| *operation as u64 == word)
    }
}

/// A message from the init: a kind and five numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) kind: u64,
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
    pub(super) d: u64,
    pub(super) e: u64,
}

/// The sandbox is set up (`a` is 0), or step `b` failed with error number `a`.
pub(super) const READY: u64 = 1;
/// A request is done; `a` is an error number or 0, `b` a process id in the sandbox.
pub(super) const DONE: u64 = 2;
/// Child `a` ended with wait status `b`, after `c` µs user time, `d` µs system time and `e` KiB.
pub(super) const EXIT: u64 = 3;
/// Child `a` is watched. Carries the descriptor to listen to; comes before [`DONE`].
pub(super) const WATCHED: u64 = 4;

const WORDS: usize = 6;

impl Reply {
    fn to_bytes(self) -> [u8; WORDS * 8] {
        let mut bytes = [0; WORDS * 8];
        let words = [self.kind, self.a, self.b, self.c, self.d, self.e];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; WORDS * 8]) -> Self {
        let mut words = [0; WORDS];
        for (word, from) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = word_of(from);
        }
        let [kind, a, b, c, d, e] = words;
        Self {
            kind,
            a,
            b,
            c,
            d,
            e,
        }
    }
}

/// A little-endian number from the first eight bytes; missing bytes count as zero.
pub(super) fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

/// Sends a request from the harness.
pub(super) fn send_request(
    socket: BorrowedFd<'_>,
    operation: Operation,
    a: u64,
    b: u64,
    payload: &[u8],
    fds: &[BorrowedFd<'_>],
) -> Result<(), Errno> {
    let mut head = [0; 24];
    for (to, word) in head.chunks_exact_mut(8).zip([operation as u64, a, b]) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let parts = [IoSlice::new(&head), IoSlice::new(payload)];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::INVAL);
    }
    sendmsg(socket, &parts, &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Receives a request in the init: its length and its descriptors.
pub(super) fn receive_request(
    socket: BorrowedFd<'_>,
    buffer: &mut [u8; REQUEST_BYTES],
) -> Result<(usize, [Option<OwnedFd>; MAX_FDS]), Errno> {
    let mut fds = [const { None }; MAX_FDS];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(buffer)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            for (place, fd) in fds.iter_mut().zip(rights) {
                *place = Some(fd);
            }
        }
    }
    Ok((received.bytes, fds))
}

/// Sends a reply from the init, with descriptors, and with a process id that the kernel translates.
pub(super) fn send_reply(
    socket: BorrowedFd<'_>,
    reply: Reply,
    fds: &[BorrowedFd<'_>],
    credentials: Option<UCred>,
) -> Result<(), Errno> {
    let bytes = reply.to_bytes();
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS), ScmCredentials(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::INVAL);
    }
    if let Some(credentials) = credentials
        && !ancillary.push(SendAncillaryMessage::ScmCredentials(credentials))
    {
        return Err(Errno::INVAL);
    }
    sendmsg(
        socket,
        &[IoSlice::new(&bytes)],
        &mut ancillary,
        SendFlags::NOSIGNAL,
    )
    .map(drop)
}

/// The result of [`receive_reply`].
#[derive(Debug)]
pub(super) struct Received {
    pub(super) reply: Reply,
    pub(super) fds: Vec<OwnedFd>,
    /// The process of the reply, by its process id outside.
    pub(super) pid: Option<i32>,
}

/// Receives a reply in the harness without waiting; `Ok(None)` if the init has ended.
pub(super) fn receive_reply(socket: BorrowedFd<'_>) -> Result<Option<Received>, Errno> {
    let mut bytes = [0; WORDS * 8];
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS), ScmCredentials(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut bytes)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT,
    );
    let received = match received {
        Ok(received) => received,
        Err(Errno::CONNRESET) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut fds = Vec::new();
    let mut pid = None;
    for message in ancillary.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(rights) => fds.extend(rights),
            RecvAncillaryMessage::ScmCredentials(credentials) => {
                pid = Some(credentials.pid.as_raw_nonzero().get());
            }
            _ => {}
        }
    }
    if received.bytes < bytes.len() {
        return Ok(None);
    }
    Ok(Some(Received {
        reply: Reply::from_bytes(&bytes),
        fds,
        pid,
    }))
}

/// How long the init may take for one request.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn errno_of(word: u64) -> Errno {
    steps::errno(i32::try_from(word).unwrap_or(libc::EIO))
}

/// Waits for the next message from the init.
pub(super) fn wait_reply(control: BorrowedFd<'_>) -> Result<Received, Error> {
    let end = Instant::now() + PATIENCE;
    loop {
        match receive_reply(control) {
            Ok(Some(received)) => return Ok(received),
            Ok(None) => return Err(Error::Gone),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => {
                return Err(Error::System {
                    call: "recvmsg",
                    errno,
                });
            }
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::Stuck(PATIENCE.as_secs()));
        }
        let timeout = left.try_into().ok();
        let mut fds = [PollFd::from_borrowed_fd(control, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => {
                return Err(Error::System {
                    call: "poll",
                    errno,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_survives_the_way() {
        let reply = Reply {
            kind: EXIT,
            a: 1,
            b: u64::MAX,
            c: 3,
            d: 4,
            e: 5,
        };
        assert_eq!(Reply::from_bytes(&reply.to_bytes()), reply);
    }
}
