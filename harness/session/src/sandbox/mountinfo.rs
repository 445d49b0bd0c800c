//! The mounts of the harness, as `/proc/self/mountinfo` lists them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Where it is mounted.
    pub(super) at: PathBuf,
    /// The type of its file system.
    pub(super) kind: String,
    /// Is it mounted read-only?
    pub(super) read_only: bool,
}

impl Mount {
    /// Does this file system show the kernel instead of files? No subject gets the harness's.
    pub(super) fn is_virtual(&self) -> bool {
        const VIRTUAL: [&str; 22] = [
            "proc",
            "sysfs",
            "cgroup",
            "cgroup2",
            "devpts",
            "devtmpfs",
            "mqueue",
            "hugetlbfs",
            "debugfs",
            "tracefs",
            "securityfs",
            "pstore",
            "bpf",
            "configfs",
            "fusectl",
            "binfmt_misc",
            "autofs",
            "efivarfs",
            "rpc_pipefs",
            "nsfs",
            "selinuxfs",
            "nfsd",
        ];
        VIRTUAL.contains(&self.kind.as_str())
    }

    /// Can this file system be the lower one of an overlay without a server or a user program?
    pub(super) fn is_local(&self) -> bool {
        const LOCAL: [&str; 14] = [
            "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay", "zfs", "squashfs",
            "erofs", "bcachefs", "ramfs", "rootfs",
        ];
        LOCAL.contains(&self.kind.as_str())
    }
}

/// Parses the list; lines in another format are skipped. Of several mounts on one directory, the
/// last one counts.
pub(super) fn parse(text: &[u8]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(mount) = parse_line(line) else {
            continue;
        };
        mounts.retain(|other| other.at != mount.at);
        mounts.push(mount);
    }
    mounts.sort_by(|a, b| a.at.cmp(&b.at));
    mounts
}

fn parse_line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let at = unescape(fields.nth(4)?);
    let options = fields.next()?;
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some(Mount {
        at: PathBuf::from(OsString::from_vec(at)),
        kind: String::from_utf8_lossy(kind).into_owned(),
        read_only: options
            .split(|byte| *byte == b',')
            .any(|option| option == b"ro"),
    })
}

/// Decodes blanks and backslashes, which are written as three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let octal = match tail {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] if *first == b'\\' => {
                Some((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'))
            }
            _ => None,
        };
        plain.push(octal.unwrap_or(*first));
        rest = if octal.is_some() {
            tail.get(3..).unwrap_or_default()
        } else {
            tail
        };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_their_escapes() {
        let mounts = parse(
            b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
              28 27 0:1 / /a\\040b ro,nosuid shared:1 master:2 - tmpfs x rw\nnonsense\n\
              29 27 0:1 / /a\\040b rw - proc x rw\n",
        );
        assert_eq!(mounts.len(), 2);
        assert_eq!(mounts[1].at, PathBuf::from("/a b"));
        assert_eq!(mounts[1].kind, "proc");
        assert!(!mounts[0].read_only);
    }
}
