//! Reads data of a process that waits in a system call: its files, texts and programs.

use crate::path::plain;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;

/// The longest path, including its final NUL.
const LONGEST: usize = libc::PATH_MAX as usize;
/// The most processes between the caller and the subject.
const DEEPEST: usize = 64;

/// Is this descriptor a regular file?
pub(super) fn is_file(pid: u32, fd: u64) -> bool {
    let path = format!("/proc/{pid}/fd/{}", number(fd));
    fs::metadata(path).is_ok_and(|open| open.is_file())
}

/// The device of an open regular file.
pub(super) fn device(pid: u32, fd: u64) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let open = fs::metadata(format!("/proc/{pid}/fd/{}", number(fd))).ok()?;
    open.is_file().then(|| open.dev())
}

/// The path of an open file, as the process sees it.
pub(super) fn open_file(pid: u32, fd: u64) -> Option<Vec<u8>> {
    link(&format!("/proc/{pid}/fd/{}", number(fd)))
}

/// The path that a text in the process's memory names, relative to an open directory or to the
/// working directory.
pub(super) fn named(pid: u32, dir: Option<u64>, address: u64) -> Option<Vec<u8>> {
    let text = text(pid, address)?;
    if text.starts_with(b"/") {
        return Some(plain(&text));
    }
    let start = match dir.map(number) {
        Some(fd) if fd != libc::AT_FDCWD => link(&format!("/proc/{pid}/fd/{fd}")),
        _ => link(&format!("/proc/{pid}/cwd")),
    };
    Some(plain(&[&start?[..], b"/", &text].concat()))
}

/// The names of the caller's program and of the programs that started it, up to `first`.
pub(super) fn programs(pid: u32, first: i32) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    // A thread may have its own name.
    let mut pid = status(pid, "Tgid:").unwrap_or(0);
    while pid > 1 && i64::from(pid) != i64::from(first) && names.len() < DEEPEST {
        let Ok(name) = fs::read(format!("/proc/{pid}/comm")) else {
            break;
        };
        names.push(name.trim_ascii_end().to_vec());
        pid = status(pid, "PPid:").unwrap_or(0);
    }
    names
}

/// A number from a process's status.
fn status(pid: u32, field: &str) -> Option<u32> {
    let status = fs::read(format!("/proc/{pid}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().parse().ok()
}

/// Descriptors are as wide as an `int`.
fn number(fd: u64) -> i32 {
    fd as i32
}

fn link(path: &str) -> Option<Vec<u8>> {
    let target = fs::read_link(path).ok()?;
    Some(OsString::from(target).into_vec())
}

/// The text at an address, up to its NUL.
fn text(pid: u32, address: u64) -> Option<Vec<u8>> {
    let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
    let mut text = vec![0; LONGEST];
    // The next page may not be mapped.
    let page = 4096 - (address % 4096) as usize;
    let mut read = memory.read_at(text.get_mut(..page)?, address).ok()?;
    if !text[..read].contains(&0) {
        let rest = address.checked_add(read as u64)?;
        read += memory.read_at(text.get_mut(read..)?, rest).unwrap_or(0);
    }
    let end = text[..read].iter().position(|byte| *byte == 0)?;
    text.truncate(end);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{named, programs, text};

    #[test]
    fn texts_are_read_where_they_lie() {
        let mut page = vec![b'x'; 3 * 4096];
        page.extend(b"/and/its/end\0");
        let start = page.len() - 13;
        let me = std::process::id();
        assert_eq!(
            text(me, &raw const page[start] as u64).as_deref(),
            Some(&b"/and/its/end"[..])
        );
        // No path is this long, and nothing is mapped at 0.
        assert_eq!(text(me, page.as_ptr() as u64), None);
        assert_eq!(text(me, 0), None);
        let relative = b"sub/../file\0";
        let path = named(me, None, relative.as_ptr() as u64);
        let here = std::env::current_dir().ok().map(|here| here.join("file"));
        assert_eq!(
            path,
            here.map(|here| here.into_os_string().into_encoded_bytes())
        );
    }

    #[test]
    fn the_first_process_is_left_out() {
        let me = std::process::id();
        assert!(programs(me, me as i32).is_empty());
        assert!(!programs(me, 1).is_empty());
    }
}
