//! One direction: bytes from a source to a sink, with at most one buffer in between.

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use stickler_transcript::Stream;

/// How many bytes one read takes.
const BUFFER: usize = 64 << 10;

/// How many bytes can be written without blocking if the pipe is writable at all.
const WRITE: usize = 4096;

/// One end of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Source,
    Sink,
}

/// The result of one turn.
#[derive(Default)]
pub(super) struct Moved {
    /// Bytes that the subject read or wrote.
    pub(super) data: Option<Vec<u8>>,
    /// Did anything happen?
    pub(super) any: bool,
    /// The end that the other process closed.
    pub(super) closed: Option<End>,
}

/// The positions of the ends in the list for poll.
pub(super) struct Watched {
    source: Option<usize>,
    sink: Option<usize>,
}

/// One direction.
pub(super) struct Relay {
    pub(super) stream: Stream,
    source: Option<OwnedFd>,
    sink: Option<OwnedFd>,
    buffer: Vec<u8>,
    written: usize,
}

impl Relay {
    pub(super) fn new(stream: Stream, source: OwnedFd, sink: OwnedFd) -> Relay {
        Relay {
            stream,
            source: Some(source),
            sink: Some(sink),
            buffer: Vec::new(),
            written: 0,
        }
    }

    /// Are there bytes in the buffer?
    pub(super) fn holds(&self) -> bool {
        self.written < self.buffer.len()
    }

    /// Is it closed?
    pub(super) fn is_closed(&self) -> bool {
        self.source.is_none()
    }

    /// Closes both ends.
    pub(super) fn close(&mut self) {
        self.source = None;
        self.sink = None;
        self.buffer.clear();
        self.written = 0;
    }

    /// Adds the ends to the list for poll. A sink without a reader reports this even if there is
    /// nothing to write.
    pub(super) fn watch<'f>(&'f self, fds: &mut Vec<PollFd<'f>>) -> Watched {
        let mut add = |fd: Option<&'f OwnedFd>, flags| {
            fd.map(|fd| {
                fds.push(PollFd::new(fd, flags));
                fds.len() - 1
            })
        };
        let (reading, writing) = if self.holds() {
            (None, PollFlags::OUT)
        } else {
            (self.source.as_ref(), PollFlags::empty())
        };
        Watched {
            source: add(reading, PollFlags::IN),
            sink: add(self.sink.as_ref(), writing),
        }
    }

    /// Moves the bytes that can be moved now.
    pub(super) fn serve(&mut self, watched: &Watched, seen: &[PollFlags]) -> Moved {
        let flags = |index: Option<usize>| index.map_or(PollFlags::empty(), |index| seen[index]);
        let sink = flags(watched.sink);
        let mut moved = Moved::default();
        if sink.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            self.close();
            moved.any = true;
            moved.closed = Some(End::Sink);
        } else if sink.contains(PollFlags::OUT) {
            self.write(&mut moved);
        } else if !flags(watched.source).is_empty() {
            self.read(&mut moved);
        }
        moved
    }

    fn read(&mut self, moved: &mut Moved) {
        let Some(source) = &self.source else {
            return;
        };
        moved.any = true;
        self.buffer.resize(BUFFER, 0);
        self.written = 0;
        let read = rustix::io::read(source, &mut self.buffer[..]);
        self.buffer.truncate(*read.as_ref().unwrap_or(&0));
        match read {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => {
                self.close();
                moved.closed = Some(End::Source);
            }
            Ok(_) if self.stream == Stream::Stdin => {}
            Ok(_) => moved.data = Some(self.buffer.clone()),
        }
    }

    fn write(&mut self, moved: &mut Moved) {
        let Some(sink) = &self.sink else {
            return;
        };
        let rest = &self.buffer[self.written..];
        let chunk = &rest[..rest.len().min(WRITE)];
        match rustix::io::write(sink, chunk) {
            Ok(taken) => {
                if self.stream == Stream::Stdin {
                    moved.data = Some(chunk[..taken].to_vec());
                }
                self.written += taken;
                moved.any = true;
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => {
                self.close();
                moved.any = true;
                moved.closed = Some(End::Sink);
            }
        }
    }
}
