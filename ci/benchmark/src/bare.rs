//! Exchanges without a harness: a write, a read, and nothing else.

use anyhow::{Context, Result, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A module that was sent its header.
pub struct Peer {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    buffer: [u8; 4096],
    /// Does it speak JSON?
    speaks_json: bool,
}

impl Peer {
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut peer = Self {
            stdin: child.stdin.take().context("stdin")?,
            stdout: child.stdout.take().context("stdout")?,
            child,
            buffer: [0; 4096],
            speaks_json: false,
        };
        peer.exchange(b"cf-agent 3.21.0 v1\n\n")?;
        let header = String::from_utf8_lossy(&peer.buffer);
        peer.speaks_json = header.contains("json_based");
        Ok(peer)
    }

    pub fn speaks_json(&self) -> bool {
        self.speaks_json
    }

    pub fn exchange(&mut self, request: &[u8]) -> Result<()> {
        self.stdin.write_all(request)?;
        // An answer may come in pieces.
        let mut length = 0;
        while !self.buffer[..length].ends_with(b"\n\n") {
            let count = self.stdout.read(&mut self.buffer[length..])?;
            ensure!(count > 0, "a part of an answer");
            length += count;
        }
        Ok(())
    }

    pub fn end(mut self) -> Result<()> {
        drop(self.stdin);
        self.child.wait()?;
        Ok(())
    }
}

/// Does something on one CPU: this one, or the first.
pub fn pinned<T>(cpu: Option<usize>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = sched_getaffinity(None)?;
    let first = (0..CpuSet::MAX_CPU).find(|cpu| before.is_set(*cpu));
    let mut only = CpuSet::new();
    only.set(cpu.or(first).context("no CPU")?);
    sched_setaffinity(None, &only)?;
    let done = work();
    sched_setaffinity(None, &before)?;
    done
}
