//! What the init does once, such as mounts, with system calls only.
#![expect(unsafe_code, reason = "rustix has no safe form of these system calls")]

use std::ffi::CStr;
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::MountFlags;

use super::descriptors::EXTRA;
use super::plan::Step;

pub(super) fn last_error() -> Errno {
    // SAFETY: errno of this thread.
    errno(unsafe { *libc::__errno_location() })
}

/// Converts an error number; rustix panics on an invalid one.
pub(super) fn errno(raw: i32) -> Errno {
    Errno::from_raw_os_error(if (1..4096).contains(&raw) {
        raw
    } else {
        libc::EIO
    })
}

pub(super) fn write(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.to_bytes()).map(drop)
}

pub(super) fn carry_out(step: &Step) -> Result<(), Errno> {
    match step {
        Step::Directory { path, mode, owner } => {
            match rustix::fs::mkdir(path.as_c_str(), Mode::from_raw_mode(*mode)) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Ok(()),
                Err(errno) => return Err(errno),
            }
            if let Some((uid, gid)) = owner
                && (*uid, *gid) != (0, 0)
            {
                let (uid, gid) = (
                    rustix::fs::Uid::from_raw(*uid),
                    rustix::fs::Gid::from_raw(*gid),
                );
                rustix::fs::chownat(CWD, path.as_c_str(), Some(uid), Some(gid), AtFlags::empty())?;
            }
            Ok(())
        }
        Step::File { path } => {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match rustix::fs::open(path.as_c_str(), flags, Mode::from_raw_mode(0o644)) {
                // Something already exists there, which is enough for a bind mount.
                Ok(_) | Err(Errno::ACCESS | Errno::ROFS | Errno::NXIO | Errno::LOOP) => Ok(()),
                Err(errno) => Err(errno),
            }
        }
        Step::Symlink { path, to } => rustix::fs::symlink(to.as_c_str(), path.as_c_str()),
        Step::Device { path, major, minor } => rustix::fs::mknodat(
            CWD,
            path.as_c_str(),
            FileType::CharacterDevice,
            Mode::from_raw_mode(0o666),
            rustix::fs::makedev(*major, *minor),
        ),
        Step::Mount {
            kind,
            at,
            flags,
            data,
        } => rustix::mount::mount(
            kind.as_c_str(),
            at.as_c_str(),
            kind.as_c_str(),
            MountFlags::from_bits_retain(*flags as u32),
            Some(data.as_c_str()),
        ),
        Step::Bind {
            from,
            at,
            recursive,
        } => {
            if *recursive {
                rustix::mount::mount_bind_recursive(from.as_c_str(), at.as_c_str())
            } else {
                rustix::mount::mount_bind(from.as_c_str(), at.as_c_str())
            }
        }
        Step::ReadOnly { at, recursive } => read_only(
            libc::AT_FDCWD,
            at,
            if *recursive { libc::AT_RECURSIVE } else { 0 },
        ),
        Step::Setting { path, text } => {
            let _ = write(path, text);
            Ok(())
        }
    }
}

/// Makes a mount read-only, and disables set-uid bits and devices below it.
pub(super) fn read_only(dir: RawFd, at: &CStr, flags: i32) -> Result<(), Errno> {
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes = Attributes {
        set: libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID,
        clear: 0,
        propagation: 0,
        user_namespace: 0,
    };
    // SAFETY: the path ends in NUL, and the structure has the size given.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir,
            at.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(last_error()) }
}

/// Enters the network namespace of the extra descriptor.
pub(super) fn enter_network() -> Result<(), Errno> {
    // SAFETY: plain system calls on a number.
    unsafe {
        if libc::setns(EXTRA, libc::CLONE_NEWNET) != 0 {
            return Err(last_error());
        }
        libc::close(EXTRA);
    }
    Ok(())
}

/// Brings up `lo` in a new network namespace.
pub(super) fn bring_up_loopback() -> Result<(), Errno> {
    let socket = rustix::net::socket_with(
        rustix::net::AddressFamily::INET,
        rustix::net::SocketType::DGRAM,
        rustix::net::SocketFlags::CLOEXEC,
        None,
    )?;
    // SAFETY: a zeroed ifreq is valid; the ioctl reads the name and the flags.
    let done = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &raw const request,
        )
    };
    if done == 0 { Ok(()) } else { Err(last_error()) }
}
