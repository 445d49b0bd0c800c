//! Reads information about the processes of a sandbox from `/proc`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::time::Duration;

use super::ChildId;
use super::limits::MARK_ROOM;

/// How many processes are listed at most: a fork bomb need not be counted completely.
const MOST: usize = 20_000;

/// A process in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its process id outside the sandbox.
    pub host_pid: i32,
    /// The command from which it descends, even if its parents have ended.
    pub child: ChildId,
    /// Its short name.
    pub name: String,
    /// Its arguments, separated by blanks; empty for a zombie.
    pub command_line: String,
    /// The state letter of `/proc/PID/stat`: `R`, `S`, `D`, `T`, `Z` and others.
    pub state: char,
    /// Does it have the stdin of a command open?
    pub holds_stdin: bool,
    /// Does it have the stdout of a command open?
    pub holds_stdout: bool,
    /// Does it have the stderr of a command open?
    pub holds_stderr: bool,
}

/// What a process uses at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Memory in use, in KiB.
    pub rss_kib: u64,
    /// Open descriptors.
    pub descriptors: usize,
}

/// All descendants of a process, without the process itself.
pub(super) fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![root];
    let mut seen = BTreeSet::from([root]);
    while let Some(pid) = open.pop() {
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
            continue;
        };
        for task in tasks.filter_map(Result::ok) {
            let Ok(children) = fs::read_to_string(task.path().join("children")) else {
                continue;
            };
            for child in children
                .split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok())
            {
                if found.len() >= MOST {
                    return found;
                }
                if seen.insert(child) {
                    found.push(child);
                    open.push(child);
                }
            }
        }
    }
    found
}

/// Has a process a regular file open for writing, on another device than `ours`?
pub(super) fn holds_writable(pid: i32, ours: Option<u64>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        // It has ended, or it cannot be looked at.
        return state(pid).is_some_and(|(state, _)| state != 'Z');
    };
    open.filter_map(Result::ok).any(|entry| {
        let Ok(file) = fs::metadata(entry.path()) else {
            return false;
        };
        // Most are pipes.
        if !file.is_file() || Some(file.dev()) == ours {
            return false;
        }
        let name = entry.file_name();
        let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{}", name.display()));
        let flags = info.ok().and_then(|info| {
            let line = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
            i32::from_str_radix(line.trim(), 8).ok()
        });
        flags.is_none_or(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY)
    })
}

/// The mark of a process.
fn mark_of(pid: i32) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max file locks"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// All processes with the mark of a sandbox, without its init.
pub(super) fn marked(mark: u64) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            mark_of(*pid)
                .is_some_and(|found| found & !MARK_ROOM == mark && found & MARK_ROOM != MARK_ROOM)
        })
        .collect()
}

/// The state letter and the name of a process, unless it has ended.
pub(super) fn state(pid: i32) -> Option<(char, String)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let start = stat.iter().position(|byte| *byte == b'(')?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let name = String::from_utf8_lossy(stat.get(start + 1..end)?).into_owned();
    Some((char::from(*stat.get(end + 2)?), name))
}

/// Describes a process; `pipes` are the links of the commands' descriptors.
pub(super) fn describe(pid: i32, pipes: &[[Option<OsString>; 3]]) -> Option<Process> {
    let (state, name) = state(pid)?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = line.strip_suffix(b"\0").unwrap_or(&line);
    let mut process = Process {
        host_pid: pid,
        child: ChildId(mark_of(pid)? & MARK_ROOM),
        name,
        command_line: String::from_utf8_lossy(line).replace('\0', " "),
        state,
        holds_stdin: false,
        holds_stdout: false,
        holds_stderr: false,
    };
    for descriptor in fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let Ok(link) = fs::read_link(descriptor.path()) else {
            continue;
        };
        for [stdin, stdout, stderr] in pipes {
            let is = |pipe: &Option<OsString>| pipe.as_deref() == Some(link.as_os_str());
            process.holds_stdin |= is(stdin);
            process.holds_stdout |= is(stdout);
            process.holds_stderr |= is(stderr);
        }
    }
    Some(process)
}

/// What a process's call waits for, if only input or another process can end it. `call` is the
/// content of `/proc/PID/task/TID/syscall`.
fn waits(pid: i32, call: &str, stdin: &OsStr) -> Option<Wait> {
    let mut words = call.split_ascii_whitespace();
    let number: libc::c_long = words.next()?.parse().ok()?;
    let arguments: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .collect();
    match number {
        libc::SYS_read | libc::SYS_readv => {
            let link = fs::read_link(format!("/proc/{pid}/fd/{}", arguments.first()?)).ok()?;
            if link.as_os_str() == stdin {
                return Some(Wait::Input);
            }
            // A process that is also checked holds the other end.
            link.to_str()?.starts_with("pipe:").then_some(Wait::Others)
        }
        libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_rt_sigsuspend => Some(Wait::Others),
        // Without a timeout.
        libc::SYS_futex if arguments.get(3) == Some(&0) => Some(Wait::Others),
        _ => None,
    }
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// Input from the standard input of its command.
    Input,
    /// Other threads and processes.
    Others,
}

/// Do all processes of a command wait for each other, and at least one for input from the pipe
/// `stdin`? Then waiting for them is pointless. If the system does not tell, the answer is no.
pub(super) fn only_read(pids: &[i32], command: ChildId, stdin: &OsStr) -> bool {
    let mut reads = false;
    for &pid in pids {
        if mark_of(pid).is_none_or(|mark| mark & MARK_ROOM != command.0) {
            continue;
        }
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
            return false;
        };
        for task in tasks {
            let call = task.and_then(|task| fs::read_to_string(task.path().join("syscall")));
            match call.ok().and_then(|call| waits(pid, &call, stdin)) {
                Some(wait) => reads |= wait == Wait::Input,
                // A zombie makes no call, and changes nothing.
                None if state(pid).is_some_and(|(state, _)| state == 'Z') => {}
                None => return false,
            }
        }
    }
    reads
}

/// Memory in use, in KiB.
pub(super) fn rss_kib(pid: i32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * (rustix::param::page_size() as u64 / 1024))
}

/// Has a process waited for a processor longer than it has run, and for more than a moment? Never,
/// if the kernel does not count this.
pub(super) fn is_starved(pid: i32) -> bool {
    const MOMENT_NS: u64 = 100_000_000;
    let counts = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let mut counts = counts.split_ascii_whitespace().map(str::parse);
    match (counts.next(), counts.next()) {
        (Some(Ok(ran)), Some(Ok(waited))) => waited > MOMENT_NS.max(ran),
        _ => false,
    }
}

/// How long the threads of a process have run or waited for a processor: on a busy machine, a thread
/// that works waits most of the time. Zero if the process has ended; the time that it ran if the
/// kernel does not count the rest.
pub(super) fn working_time(pid: i32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let tasks = tasks.into_iter().flatten().filter_map(Result::ok);
    let waited = tasks.filter_map(|task| {
        let counts = fs::read_to_string(task.path().join("schedstat")).ok()?;
        counts.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
    });
    processor_time(pid) + Duration::from_nanos(waited.sum())
}

/// The processor time that the threads of a process have used; zero if it has ended.
fn processor_time(pid: i32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in brackets may contain blanks. `utime` and `stime` are fields 14 and 15.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// What a process uses now.
pub(super) fn sample(pid: i32) -> Option<Sample> {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
    Some(Sample {
        rss_kib: rss_kib(pid)?,
        descriptors,
    })
}
