//! The system-call filter of subjects: calls that only serve to change the machine, or to escape,
//! fail with `EPERM`. It is a second barrier; capabilities and namespaces already prevent this.

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
    SECCOMP_RET_ERRNO, sock_filter,
};

const NUMBER: u32 = 0;
const ARCH: u32 = 4;
/// The offset of the arguments; each takes eight bytes, the lower half first.
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const NATIVE: u32 = 0xC000_00F3;

/// New namespaces would give a subject capabilities, and kernel code to attack.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541C;

/// The call numbers of one architecture.
struct Calls {
    denied: &'static [u32],
    clone: u32,
    unshare: u32,
    ioctl: u32,
}

/// These are the same on every architecture: open_tree, move_mount, fsopen, fsconfig, fsmount,
/// fspick, mount_setattr, quotactl_fd, open_tree_attr.
const NEWER: [u32; 9] = [428, 429, 430, 431, 432, 433, 442, 443, 467];
const CLONE3: u32 = 435;

const NATIVE_CALLS: Calls = Calls {
    denied: &[
        libc::SYS_mount as u32,
        libc::SYS_umount2 as u32,
        libc::SYS_pivot_root as u32,
        libc::SYS_reboot as u32,
        libc::SYS_swapon as u32,
        libc::SYS_swapoff as u32,
        libc::SYS_init_module as u32,
        libc::SYS_delete_module as u32,
        libc::SYS_finit_module as u32,
        libc::SYS_kexec_load as u32,
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_kexec_file_load as u32),
        libc::SYS_bpf as u32,
        libc::SYS_perf_event_open as u32,
        libc::SYS_keyctl as u32,
        libc::SYS_add_key as u32,
        libc::SYS_request_key as u32,
        libc::SYS_setns as u32,
        libc::SYS_open_by_handle_at as u32,
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_iopl as u32),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_ioperm as u32),
        libc::SYS_settimeofday as u32,
        libc::SYS_clock_settime as u32,
        libc::SYS_adjtimex as u32,
        libc::SYS_clock_adjtime as u32,
        libc::SYS_acct as u32,
        libc::SYS_quotactl as u32,
        libc::SYS_userfaultfd as u32,
    ],
    clone: libc::SYS_clone as u32,
    unshare: libc::SYS_unshare as u32,
    ioctl: libc::SYS_ioctl as u32,
};

/// 32-bit programs on x86-64 use other call numbers.
#[cfg(target_arch = "x86_64")]
const I386: u32 = 0x4000_0003;
#[cfg(target_arch = "x86_64")]
const I386_CALLS: Calls = Calls {
    denied: &[
        21, 22, 25, 51, 52, 79, 87, 88, 101, 110, 115, 124, 128, 129, 131, 217, 264, 283, 286, 287,
        288, 336, 342, 343, 346, 350, 357, 374, 404, 405,
    ],
    clone: 120,
    unshare: 310,
    ioctl: 54,
};

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

fn load(offset: u32) -> sock_filter {
    instruction(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset)
}

fn answer(value: u32) -> sock_filter {
    instruction(BPF_RET | BPF_K, 0, 0, value)
}

const fn failure(errno: i32) -> u32 {
    SECCOMP_RET_ERRNO | errno as u32
}

/// When a listed call gets its verdict. Arguments count from 0.
#[derive(Clone, Copy)]
pub(super) enum When {
    Always,
    /// If this argument has one of these bits.
    Bits(u32, u32),
    /// If this argument is one of these values.
    Is(u32, [u32; 2]),
}

/// A call number, the condition, and the action: one of `SECCOMP_RET_…`.
pub(super) type Verdict = (u32, When, u32);

/// The filter for one architecture.
fn rules(calls: &Calls) -> Vec<sock_filter> {
    let denied = calls.denied.iter().chain(&NEWER);
    let mut verdicts: Vec<Verdict> = denied
        .map(|number| (*number, When::Always, failure(libc::EPERM)))
        .collect();
    verdicts.extend([
        (calls.clone, When::Bits(0, NAMESPACES), failure(libc::EPERM)),
        (
            calls.unshare,
            When::Bits(0, NAMESPACES),
            failure(libc::EPERM),
        ),
        (
            calls.ioctl,
            When::Is(1, [TIOCSTI, TIOCLINUX]),
            failure(libc::EPERM),
        ),
        // Its flags are behind a pointer; C libraries fall back to clone on ENOSYS.
        (CLONE3, When::Always, failure(libc::ENOSYS)),
    ]);
    verdicts.sort_by_key(|(number, ..)| *number);
    let mut filter = vec![load(NUMBER)];
    #[cfg(target_arch = "x86_64")]
    {
        // The x32 interface has the same architecture, but other call numbers.
        filter.push(instruction(BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x4000_0000));
        filter.push(answer(failure(libc::EPERM)));
    }
    filter.append(&mut search(&verdicts));
    filter
}

/// A binary search: the kernel simulates the filter for every possible call when it is installed.
fn search(verdicts: &[Verdict]) -> Vec<sock_filter> {
    let (lower, upper) = verdicts.split_at(verdicts.len() / 2);
    match (lower, upper) {
        ([], [verdict]) => leaf(*verdict),
        (_, [(middle, ..), ..]) => {
            let (mut lower, mut upper) = (search(lower), search(upper));
            let mut filter = Vec::new();
            if let Ok(distance) = u8::try_from(lower.len()) {
                filter.push(instruction(BPF_JMP | BPF_JGE | BPF_K, distance, 0, *middle));
            } else {
                // Too far for a conditional jump.
                filter.push(instruction(BPF_JMP | BPF_JGE | BPF_K, 0, 1, *middle));
                filter.push(instruction(BPF_JMP, 0, 0, lower.len() as u32));
            }
            filter.append(&mut lower);
            filter.append(&mut upper);
            filter
        }
        (_, []) => vec![answer(SECCOMP_RET_ALLOW)],
    }
}

fn leaf((number, when, result): Verdict) -> Vec<sock_filter> {
    let jump = |test, jt, jf, k| instruction(BPF_JMP | test | BPF_K, jt, jf, k);
    let argument = |argument| load(ARGUMENTS + 8 * argument);
    let mut filter = match when {
        When::Always => vec![jump(BPF_JEQ, 0, 1, number)],
        When::Bits(which, bits) => vec![
            jump(BPF_JEQ, 0, 3, number),
            argument(which),
            jump(BPF_JSET, 0, 1, bits),
        ],
        When::Is(which, [first, second]) => vec![
            jump(BPF_JEQ, 0, 4, number),
            argument(which),
            jump(BPF_JEQ, 1, 0, first),
            jump(BPF_JEQ, 0, 1, second),
        ],
    };
    filter.extend([answer(result), answer(SECCOMP_RET_ALLOW)]);
    filter
}

/// A filter only for calls of this machine's architecture; all others pass.
pub(super) fn native(mut verdicts: Vec<Verdict>) -> Vec<sock_filter> {
    verdicts.sort_by_key(|(number, ..)| *number);
    let mut filter = vec![
        load(ARCH),
        instruction(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE),
        answer(SECCOMP_RET_ALLOW),
        load(NUMBER),
    ];
    filter.append(&mut search(&verdicts));
    filter
}

/// Builds the filter for this machine.
pub(super) fn filter() -> Vec<sock_filter> {
    let mut native = rules(&NATIVE_CALLS);
    // A jump over more than 255 instructions must be unconditional.
    let mut filter = vec![
        load(ARCH),
        instruction(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE),
        instruction(BPF_JMP, 0, 0, native.len() as u32),
    ];
    filter.append(&mut native);
    #[cfg(target_arch = "x86_64")]
    {
        filter.push(instruction(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, I386));
        filter.push(answer(failure(libc::EPERM)));
        filter.append(&mut rules(&I386_CALLS));
    }
    filter.push(answer(failure(libc::EPERM)));
    filter
}

#[cfg(test)]
mod tests {
    use super::*;
    use libc::SECCOMP_RET_USER_NOTIF;

    fn run(arch: u32, number: u32, first: u32, second: u32) -> u32 {
        run_on(&filter(), arch, number, [first, second, 0])
    }

    /// Runs a filter as the kernel would.
    fn run_on(filter: &[sock_filter], arch: u32, number: u32, arguments: [u32; 3]) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter[at];
            at += 1;
            match u32::from(code) & 7 {
                BPF_LD => {
                    value = match k {
                        NUMBER => number,
                        ARCH => arch,
                        offset => arguments[((offset - ARGUMENTS) / 8) as usize],
                    };
                }
                BPF_RET => return k,
                _ => {
                    let holds = match u32::from(code) & 0xf0 {
                        BPF_JEQ => value == k,
                        BPF_JGE => value >= k,
                        BPF_JSET => value & k != 0,
                        _ => {
                            at += k as usize;
                            continue;
                        }
                    };
                    at += usize::from(if holds { jt } else { jf });
                }
            }
        }
    }

    #[test]
    fn exactly_the_listed_calls_fail() {
        let denied = SECCOMP_RET_ERRNO | libc::EPERM as u32;
        for number in 0..600 {
            let listed = NATIVE_CALLS.denied.contains(&number) || NEWER.contains(&number);
            let expected = match number {
                CLONE3 => SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
                _ if listed => denied,
                _ => SECCOMP_RET_ALLOW,
            };
            assert_eq!(run(NATIVE, number, 0, 0), expected, "call {number}");
        }
        let clone = NATIVE_CALLS.clone;
        assert_eq!(
            run(NATIVE, clone, libc::CLONE_NEWUSER as u32 | 17, 0),
            denied
        );
        assert_eq!(run(NATIVE, clone, 17, 0), SECCOMP_RET_ALLOW);
        assert_eq!(run(NATIVE, NATIVE_CALLS.ioctl, 0, TIOCSTI), denied);
        assert_eq!(run(NATIVE, NATIVE_CALLS.ioctl, 0, TIOCLINUX), denied);
        assert_eq!(
            run(NATIVE, NATIVE_CALLS.ioctl, 0, 0x5401),
            SECCOMP_RET_ALLOW
        );
        assert_eq!(run(1, 0, 0, 0), denied, "an unknown architecture");
    }

    #[test]
    fn exactly_the_calls_that_change_files_are_announced() {
        let filter = super::super::watch::filter();
        let run =
            |arch, number: libc::c_long, arguments| run_on(&filter, arch, number as u32, arguments);
        let made = libc::O_CREAT as u32;
        for (number, arguments, told) in [
            (libc::SYS_write, [1, 0, 0], true),
            (libc::SYS_unlinkat, [0; 3], true),
            (libc::SYS_renameat2, [0; 3], true),
            (libc::SYS_fchmodat2, [0; 3], true),
            (libc::SYS_read, [0; 3], false),
            (libc::SYS_close, [0; 3], false),
            (libc::SYS_openat, [0; 3], false),
            (libc::SYS_openat, [0, made, 0], false),
            (libc::SYS_openat, [0, 0, made], true),
            (libc::SYS_openat, [0, 0, libc::O_TRUNC as u32], true),
        ] {
            let expected = if told {
                SECCOMP_RET_USER_NOTIF
            } else {
                SECCOMP_RET_ALLOW
            };
            assert_eq!(run(NATIVE, number, arguments), expected, "call {number}");
        }
        assert_eq!(run(1, libc::SYS_write, [0; 3]), SECCOMP_RET_ALLOW);
    }

    #[test]
    fn writes_are_announced_when_a_file_is_opened() {
        let filter = super::super::watch::touches();
        for (number, arguments, told) in [
            (libc::SYS_write, [1, 0, 0], false),
            (libc::SYS_read, [0; 3], false),
            (libc::SYS_openat, [0; 3], false),
            (libc::SYS_openat, [0, 0, libc::O_CLOEXEC as u32], false),
            (libc::SYS_openat, [0, 0, libc::O_WRONLY as u32], true),
            (libc::SYS_openat, [0, 0, libc::O_RDWR as u32], true),
            (libc::SYS_openat, [0, 0, libc::O_CREAT as u32], true),
            (libc::SYS_ftruncate, [0; 3], true),
            (libc::SYS_utimensat, [0; 3], true),
            (libc::SYS_io_uring_setup, [0; 3], true),
        ] {
            let expected = if told {
                SECCOMP_RET_USER_NOTIF
            } else {
                SECCOMP_RET_ALLOW
            };
            let told = run_on(&filter, NATIVE, number as u32, arguments);
            assert_eq!(told, expected, "call {number}");
        }
    }
}
