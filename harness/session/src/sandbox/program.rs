//! A program to run, prepared so that another process can take it over and call execve at once.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;

use rustix::thread::{CapabilitySet, CpuSet};

use super::control::word_of;
use super::limits;
use super::{Command, Error};

/// A program in the form of execve. The texts are stored one after another, each followed by a NUL.
#[derive(Debug)]
pub(super) struct Program {
    _texts: Box<[u8]>,
    /// The files to try, in the order of PATH. These three are pointers into the texts; the next
    /// two end with a null pointer.
    pub(super) candidates: Vec<*const libc::c_char>,
    pub(super) argv: Vec<*const libc::c_char>,
    pub(super) envp: Vec<*const libc::c_char>,
    pub(super) cwd: *const libc::c_char,
    pub(super) umask: u32,
    pub(super) cpus: CpuSet,
    pub(super) kept: CapabilitySet,
}

/// The numbers before the texts: how many candidates, arguments and variables there are, the umask,
/// the CPU (`u64::MAX` for any), whether it is unprivileged, and the length of the texts.
const WORDS: usize = 7;

/// Encodes a command for [`Program::read`].
pub(super) fn write(command: &Command, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut texts = Vec::new();
    let mut text = |parts: &[&[u8]]| {
        let start = texts.len();
        parts.iter().for_each(|part| texts.extend_from_slice(part));
        if texts.get(start..).unwrap_or_default().contains(&0) {
            let whole = parts.concat();
            return Err(Error::Nul(String::from_utf8_lossy(&whole).into_owned()));
        }
        texts.push(0);
        Ok(())
    };
    let name = command.argv.first().ok_or(Error::NoProgram)?.as_bytes();
    let mut candidates = 0_u64;
    if name.contains(&b'/') {
        text(&[name])?;
        candidates += 1;
    } else {
        let path = command.env.iter().find(|(key, _)| key == "PATH");
        let path = path.map_or(OsStr::new("/usr/bin:/bin"), |(_, path)| path);
        for folder in path.as_bytes().split(|byte| *byte == b':') {
            let folder = if folder.is_empty() { b"." } else { folder };
            text(&[folder, b"/", name])?;
            candidates += 1;
        }
    }
    for argument in &command.argv {
        text(&[argument.as_bytes()])?;
    }
    for (key, value) in &command.env {
        text(&[key.as_bytes(), b"=", value.as_bytes()])?;
    }
    text(&[command.cwd.as_os_str().as_bytes()])?;
    let cpu = command.cpu.filter(|cpu| *cpu < CpuSet::MAX_CPU);
    let words: [u64; WORDS] = [
        candidates,
        command.argv.len() as u64,
        command.env.len() as u64,
        command.umask.into(),
        cpu.map_or(u64::MAX, |cpu| cpu as u64),
        command.unprivileged.into(),
        texts.len() as u64,
    ];
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    out.extend_from_slice(&texts);
    Ok(())
}

/// The requested CPU, otherwise all.
pub(super) fn cpus(wanted: Option<usize>, all: &CpuSet) -> CpuSet {
    let Some(cpu) = wanted.filter(|cpu| *cpu < CpuSet::MAX_CPU) else {
        return *all;
    };
    let mut one = CpuSet::new();
    one.set(cpu);
    one
}

impl Program {
    /// Decodes the output of [`write`], and advances behind it. `None` if it is something else.
    pub(super) fn read(bytes: &mut &[u8], all_cpus: &CpuSet) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(WORDS * 8)?;
        let mut words = head.chunks_exact(8).map(word_of);
        let mut size = || usize::try_from(words.next()?).ok();
        let counts = [size()?, size()?, size()?];
        let umask = u32::try_from(size()?).ok()?;
        let (cpu, unprivileged, length) = (words.next()?, words.next()?, words.next()?);
        let (texts, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        *bytes = rest;
        let texts: Box<[u8]> = texts.into();
        let mut left = &*texts;
        let mut next = || {
            let text = CStr::from_bytes_until_nul(left).ok()?;
            left = left.get(text.count_bytes() + 1..)?;
            Some(text.as_ptr())
        };
        let mut take = |count: usize| -> Option<Vec<_>> { (0..count).map(|_| next()).collect() };
        let [candidates, mut argv, mut envp] =
            [take(counts[0])?, take(counts[1])?, take(counts[2])?];
        argv.push(std::ptr::null());
        envp.push(std::ptr::null());
        let cwd = next()?;
        Some(Self {
            _texts: texts,
            candidates,
            argv,
            envp,
            cwd,
            umask,
            cpus: cpus(usize::try_from(cpu).ok(), all_cpus),
            kept: if unprivileged == 0 {
                limits::KEPT
            } else {
                limits::KEPT_UNPRIVILEGED
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(program: &'a Program, pointers: &[*const libc::c_char]) -> Vec<&'a str> {
        let texts = std::str::from_utf8(&program._texts).expect("the test's texts are UTF-8");
        let text = |pointer: &*const libc::c_char| {
            let start = pointer.addr().checked_sub(texts.as_ptr().addr())?;
            texts.get(start..)?.split('\0').next()
        };
        pointers.iter().map_while(text).collect()
    }

    #[test]
    fn programs_survive_the_way() {
        let mut command = Command::new(["module", "", "two words"]);
        command.env = vec![("PATH".into(), "/a::/b".into()), ("X".into(), "=".into())];
        command.cpu = Some(3);
        command.unprivileged = true;
        let plain = Command::new(["/bin/true"]);
        let mut bytes = Vec::new();
        write(&command, &mut bytes).expect("it has no NUL");
        write(&plain, &mut bytes).expect("nor has this");
        let mut all = CpuSet::new();
        (0..8).for_each(|cpu| all.set(cpu));
        let mut left = &*bytes;
        let program = Program::read(&mut left, &all).expect("it was written");
        let texts_of = |pointers: &[_]| texts(&program, pointers);
        let candidates = ["/a/module", "./module", "/b/module"];
        assert_eq!(texts_of(&program.candidates), candidates);
        assert_eq!(texts_of(&program.argv), ["module", "", "two words"]);
        assert_eq!(texts_of(&program.envp), ["PATH=/a::/b", "X=="]);
        assert_eq!(texts_of(&[program.cwd]), ["/"]);
        assert!(program.argv.ends_with(&[std::ptr::null()]));
        assert_eq!((program.cpus.count(), program.cpus.is_set(3)), (1, true));
        assert_eq!(program.kept, limits::KEPT_UNPRIVILEGED);
        let program = Program::read(&mut left, &all).expect("it was written");
        assert_eq!(texts(&program, &program.candidates), ["/bin/true"]);
        assert_eq!(program.cpus.count(), 8);
        assert!(left.is_empty());
        for end in 0..bytes.len() {
            let mut left = &bytes[..end];
            let first = Program::read(&mut left, &all);
            assert!(first.is_none() || Program::read(&mut left, &all).is_none());
        }
        assert!(write(&Command::new(["a\0b"]), &mut bytes).is_err());
        assert!(write(&Command::new([""; 0]), &mut bytes).is_err());
    }
}
