//! What a warmer has to do for one process: system calls as text, for `serve.py`.

use std::fmt::Write;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::thread::CapabilitySet;

use super::super::limits;
use super::super::spec::Command;

/// One process that is to be started.
pub(crate) struct Order<'o> {
    /// The filter of system calls of all subjects.
    pub(crate) filter: &'o [libc::sock_filter],
    pub(crate) command: &'o Command,
    /// The one that announces calls.
    pub(crate) announced: Option<&'o [libc::sock_filter]>,
    /// All CPUs that the harness may use.
    pub(crate) cpus: &'o rustix::thread::CpuSet,
    /// The init of the sandbox.
    pub(crate) init: BorrowedFd<'o>,
    /// Standard input, output and error, and what it has as 3 and 4.
    pub(crate) ends: &'o [BorrowedFd<'o>],
    /// The mark of the process.
    pub(crate) mark: u64,
}

/// A copy that waits in its sandbox, as a child of the init.
pub(crate) struct Started {
    /// It goes on once it gets a byte here, and ends if this is closed.
    pub(crate) own: OwnedFd,
    /// Its process ids in the sandbox and outside.
    pub(crate) inside: i32,
    pub(crate) outside: i32,
    /// What announces its calls.
    pub(crate) listener: Option<OwnedFd>,
}

/// The namespaces that the child of a warmer enters, after that of process ids.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// The place of the first of the subject's descriptors in a message; before it are the socket to the harness, and the
/// init.
const FIRST: usize = 2;
const INIT: usize = 1;

/// An argument of a system call.
enum Argument<'a> {
    Number(i64),
    /// A descriptor of the message.
    Descriptor(usize),
    Bytes(&'a [u8]),
    Filter(&'a [libc::sock_filter]),
}

use Argument::{Bytes, Descriptor, Filter, Number};

impl Order<'_> {
    /// The text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut call = |place: &str, number: i64, arguments: &[Argument<'_>]| {
            write_call(&mut text, place, number, arguments);
        };
        let namespaces = |flags: i32| [Descriptor(INIT), Number(flags.into())];
        call("outer", libc::SYS_setns, &namespaces(libc::CLONE_NEWPID));
        call("middle", libc::SYS_setns, &namespaces(NAMESPACES));
        call("inner", libc::SYS_setsid, &[]);
        call(
            "inner",
            libc::SYS_umask,
            &[Number(self.command.umask.into())],
        );
        call(
            "inner",
            libc::SYS_chdir,
            &[Bytes(self.command.cwd.as_os_str().as_bytes())],
        );
        for (to, from) in (0..).zip(FIRST..FIRST + self.ends.len()) {
            call(
                "inner",
                libc::SYS_dup3,
                &[Descriptor(from), Number(to), Number(0)],
            );
        }
        let kept = match self.command.unprivileged {
            true => limits::KEPT_UNPRIVILEGED,
            false => limits::KEPT,
        };
        for capability in NEEDED.union(limits::KEPT).difference(kept).iter() {
            let number = capability.bits().trailing_zeros();
            let arguments = [libc::PR_CAPBSET_DROP.into(), number.into(), 0, 0, 0].map(Number);
            call("inner", libc::SYS_prctl, &arguments);
        }
        call(
            "inner",
            libc::SYS_capset,
            &[Bytes(&CAPABILITY_HEAD), Bytes(&capabilities(kept))],
        );
        let filter = Number(libc::SECCOMP_SET_MODE_FILTER.into());
        let allow = Number(libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW as i64);
        call(
            "inner",
            libc::SYS_seccomp,
            &[filter, allow, Filter(self.filter)],
        );
        if let Some(announced) = self.announced {
            for more in [libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0] {
                let mode = Number(libc::SECCOMP_SET_MODE_FILTER.into());
                let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | more;
                call(
                    "listen",
                    libc::SYS_seccomp,
                    &[mode, Number(flags as i64), Filter(announced)],
                );
            }
        }
        let kept = self.ends.len() as i64;
        call(
            "last",
            libc::SYS_close_range,
            &[kept, u32::MAX.into(), 0].map(Number),
        );
        text
    }
}

/// What a warmer can do beside what subjects can: its children enter sandboxes.
pub(super) const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::SYS_PTRACE);

/// The version of capset(2) that has 64 bits, and the calling process.
const CAPABILITY_HEAD: [u8; 8] = {
    let mut head = [0; 8];
    let version = 0x2008_0522_u32.to_ne_bytes();
    let mut at = 0;
    while at < version.len() {
        head[at] = version[at];
        at += 1;
    }
    head
};

/// The data of capset(2): effective, permitted and inheritable sets, the lower half of each first.
fn capabilities(kept: CapabilitySet) -> [u8; 24] {
    let own = rustix::thread::capabilities(None);
    // Running another program would leave these as they are.
    let inherited = own.map_or(0, |own| own.inheritable.bits());
    let sets = [kept.bits(), kept.bits(), inherited];
    let halves = [
        sets.map(|set| set as u32),
        sets.map(|set| (set >> 32) as u32),
    ];
    let mut data = [0; 24];
    for (to, half) in data.chunks_exact_mut(4).zip(halves.as_flattened()) {
        to.copy_from_slice(&half.to_ne_bytes());
    }
    data
}

/// Adds a line: the process that makes a call, its number, and its arguments.
fn write_call(text: &mut String, place: &str, number: i64, arguments: &[Argument<'_>]) {
    // Writing to a text cannot fail.
    let _ = write!(text, "{place} i{number}");
    for argument in arguments {
        let _ = match argument {
            Number(number) => write!(text, " i{number}"),
            Descriptor(place) => write!(text, " f{place}"),
            Bytes(bytes) => write!(text, " b{}", hex(bytes.iter().copied())),
            Filter(filter) => write!(text, " p{}", hex(filter.iter().flat_map(instruction))),
        };
    }
    text.push('\n');
}

/// An instruction of a filter, as the kernel reads it.
fn instruction(one: &libc::sock_filter) -> [u8; 8] {
    let ([a, b], [c, d, e, f]) = (one.code.to_ne_bytes(), one.k.to_ne_bytes());
    [a, b, one.jt, one.jf, c, d, e, f]
}

fn hex(bytes: impl Iterator<Item = u8>) -> String {
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
