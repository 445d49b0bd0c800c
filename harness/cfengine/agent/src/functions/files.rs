//! Functions that inspect files.

use super::{Done, arg, class, glob, is_true, list, string};
use crate::context::{Agent, set_order};
use crate::data::Data;
use crate::log::Severity;
use crate::machine;
use crate::number;
use crate::promise_types::compressed;
use crate::scan;
use crate::value::{Text, Value};
use cfengine_policy::text;
use indexmap::IndexSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

impl Agent {
    /// A file's content, within the size limit; reports an error.
    pub(super) fn read_text(&mut self, path: &str) -> Option<String> {
        match self.read_bytes(path) {
            Ok(content) => Some(text::decode(&content).into_owned()),
            Err(error) => {
                let reason = machine::reason(&error);
                self.verbose(|| format!("Could not open file '{path}': {reason}"));
                None
            }
        }
    }

    /// The first `most` bytes of a file, as cf-agent's functions read them: up to a NUL and without
    /// the line end of a single line.
    pub(super) fn read_limited(&mut self, path: &str, most: i64) -> Option<String> {
        let there = fs::metadata(&*self.at(path));
        let mut content = match there.and_then(|_| self.read_bytes(path)) {
            Ok(content) => content,
            Err(error) => {
                if !self.checking && scan::has_variables(path) {
                    self.verbose(|| {
                        format!("Cannot converge/reduce variable '{path}' yet .. assuming it will resolve later")
                    });
                    return None;
                }
                let message = if fs::metadata(&*self.at(path)).is_ok() {
                    let reason = machine::reason(&error);
                    format!("CfReadFile: Error while reading file '{path}' ({reason})")
                } else if self.checking {
                    format!("Could not examine file '{path}'")
                } else {
                    let reason = machine::reason(&error);
                    format!("CfReadFile: Could not examine file '{path}' (stat: {reason})")
                };
                self.complain(message);
                return None;
            }
        };
        let most = if most <= 0 { number::INFINITE } else { most };
        let length = usize::try_from(most).unwrap_or(usize::MAX);
        if content.len() > length {
            content.truncate(length);
            self.verbose(|| {
                format!(
                    "CfReadFile: Truncating file '{path}' to {most} bytes as requested by maxsize parameter"
                )
            });
        }
        let end = memchr::memchr(0, &content).unwrap_or(content.len());
        content.truncate(end);
        // If the content is a single line, its line end is removed.
        let lines = content.iter().filter(|byte| matches!(byte, b'\n' | b'\r'));
        if lines.count() == 1 && content.last() == Some(&b'\n') {
            content.pop();
        }
        Some(text::decode(&content).into_owned())
    }
}

/// `readfile(path, most)`
pub(super) fn readfile(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let most = match arguments.get(1) {
        Some(_) => agent.int_or_none(arg(arguments, 1)),
        None => number::INFINITE,
    };
    if most < 0 {
        let message = format!("readfile: requested max size {most} is less than 0");
        agent.say(Severity::Error, message);
        return Ok(None);
    }
    match agent.read_limited(path, most) {
        Some(content) => string(content),
        None => {
            agent.verbose(|| format!("Function 'readfile' failed to read file: {path}"));
            Ok(None)
        }
    }
}

pub(super) fn fileexists(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    class(fs::symlink_metadata(&*agent.at(arg(arguments, 0))).is_ok())
}

/// `isdir`, `islink`, `isplain`, `isexecutable`; only the last one follows links.
pub(super) fn is(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = agent.at(arg(arguments, 0)).into_owned();
    let found = fs::symlink_metadata(&*path);
    class(match name {
        "islink" => found.is_ok_and(|meta| meta.is_symlink()),
        "isdir" => found.is_ok_and(|meta| meta.is_dir()),
        "isplain" => found.is_ok_and(|meta| meta.is_file()),
        _ => fs::metadata(&*path).is_ok() && agent.can_execute(&path),
    })
}

pub(super) fn filesize(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    match fs::symlink_metadata(&*agent.at(arg(arguments, 0))) {
        Ok(meta) => string(meta.len().to_string()),
        Err(_) => Ok(None),
    }
}

pub(super) fn filesexist(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(data) = agent.collect(name, &arguments[0], false) else {
        // cf-agent's own message swaps the two names too.
        agent.verbose(|| {
            let shown = arguments[0].show(false);
            format!(
                "Cannot produce valid JSON from the argument '{name}' of the function '{shown}'"
            )
        });
        return Ok(None);
    };
    let paths = super::collect::primitives(&data);
    let exists = |path: &Text| fs::metadata(&*agent.at(path)).is_ok();
    class(!paths.is_empty() && paths.iter().all(exists))
}

/// `isnewerthan`, `accessedbefore`, `changedbefore`
pub(super) fn compare(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let first = fs::metadata(&*agent.at(arg(arguments, 0)));
    let second = fs::metadata(&*agent.at(arg(arguments, 1)));
    let (Ok(first), Ok(second)) = (first, second) else {
        return Ok(None);
    };
    class(match name {
        "isnewerthan" => first.mtime() > second.mtime(),
        "accessedbefore" => first.atime() < second.atime(),
        _ => first.ctime() > second.ctime(),
    })
}

/// `filestat(path, field)`
pub(super) fn filestat(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (path, field) = (arg(arguments, 0), arg(arguments, 1));
    let Ok(meta) = fs::symlink_metadata(&*agent.at(path)) else {
        return Ok(None);
    };
    let kind = || {
        let kind = meta.file_type();
        if kind.is_dir() {
            "directory"
        } else if kind.is_symlink() {
            "symlink"
        } else if kind.is_file() {
            "regular file"
        } else if kind.is_fifo() {
            "FIFO/pipe"
        } else if kind.is_socket() {
            "socket"
        } else if kind.is_block_device() {
            "block device"
        } else {
            "character device"
        }
    };
    let parts = || path.rsplit_once('/').unwrap_or((".", path));
    string(match field {
        "size" => meta.len().to_string(),
        "gid" => meta.gid().to_string(),
        "uid" => meta.uid().to_string(),
        "ino" => meta.ino().to_string(),
        "nlink" => meta.nlink().to_string(),
        "ctime" => meta.ctime().to_string(),
        "atime" => meta.atime().to_string(),
        "mtime" => meta.mtime().to_string(),
        "mode" => meta.mode().to_string(),
        "modeoct" => format!("{:o}", meta.mode()),
        "permstr" => permissions(meta.mode()),
        "permoct" => format!("{:o}", meta.mode() & 0o777),
        "type" => kind().to_owned(),
        "devno" => meta.dev().to_string(),
        "dev_major" => rustix::fs::major(meta.dev()).to_string(),
        "dev_minor" => rustix::fs::minor(meta.dev()).to_string(),
        "dirname" => parts().0.to_owned(),
        "basename" => parts().1.to_owned(),
        "linktarget" | "linktarget_shallow" => {
            agent.link_target(path, field == "linktarget", meta.is_symlink())
        }
        "xattr" => xattr(&agent.at(path)),
        _ => String::new(),
    })
}

impl Agent {
    /// The target of a link, after one step or after all steps.
    fn link_target(&mut self, path: &str, all: bool, mut is_link: bool) -> String {
        const MOST: usize = 31;
        let mut at = path.to_owned();
        for cycle in 1.. {
            if !is_link {
                break;
            }
            let bails = |at: &str, why: &str| {
                format!("filestat bailing on link '{at}' (original '{path}') because {why}")
            };
            if cycle > MOST {
                let message = bails(&at, &format!("{cycle} cycles were chased"));
                self.say(Severity::Info, message);
                break;
            }
            self.verbose(|| format!("filestat cycle {cycle}, resolving link: {at}"));
            let Ok(target) = fs::read_link(&*self.at(&at)) else {
                self.complain(format!("filestat could not readlink '{at}'"));
                return String::new();
            };
            let target = target.into_os_string().into_encoded_bytes();
            let target = text::decode(&target).into_owned();
            at = match at.rsplit_once('/') {
                Some((folder, _)) if all && !target.starts_with('/') => {
                    let whole = format!("{folder}/{target}");
                    compressed(&whole).unwrap_or(whole)
                }
                _ => target,
            };
            self.verbose(|| format!("Link resolved to: {at}"));
            if !all {
                self.verbose(|| bails(&at, "linktarget_shallow was requested"));
                break;
            }
            match fs::symlink_metadata(&*self.at(&at)) {
                Ok(meta) => is_link = meta.is_symlink(),
                Err(_) => {
                    self.say(Severity::Info, bails(&at, "it could not be read"));
                    break;
                }
            }
        }
        at
    }
}

/// Extended attributes, one a line.
fn xattr(path: &str) -> String {
    const MOST: usize = 4096;
    let mut names = [0; MOST];
    let length = rustix::fs::llistxattr(path, &mut names).unwrap_or(0);
    let mut shown = String::new();
    for name in names[..length].split(|byte| *byte == 0) {
        let mut data = [0; MOST];
        let printable = |bytes: &[u8]| bytes.iter().all(|b| (0x20..0x7f).contains(b));
        if name.is_empty() || !printable(name) {
            continue;
        }
        let Ok(length) = rustix::fs::lgetxattr(path, name, &mut data) else {
            continue;
        };
        let value = data[..length].split(|byte| *byte == 0).next();
        let value = value.unwrap_or_default();
        if printable(value) {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            shown.push_str(&format!("{}={}\n", text(name), text(value)));
        }
    }
    shown
}

/// A mode as `ls` shows it; of the file types, only directories have a letter.
fn permissions(mode: u32) -> String {
    let kind = match mode & 0o170_000 {
        0o040_000 => 'd',
        _ => '-',
    };
    let bits = (0..9).rev().map(|bit| match (mode >> bit & 1, bit % 3) {
        (0, _) => '-',
        (_, 2) => 'r',
        (_, 1) => 'w',
        _ => 'x',
    });
    std::iter::once(kind).chain(bits).collect()
}

pub(super) fn dirname(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let above = &parts[..parts.len().saturating_sub(1)];
    match (path.starts_with('/'), above) {
        (true, above) => string(format!("/{}", above.join("/"))),
        (false, []) if path.is_empty() => string(""),
        (false, []) => string("."),
        (false, above) => string(above.join("/")),
    }
}

pub(super) fn basename(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0).trim_end_matches('/');
    if path.is_empty() {
        return string(if arg(arguments, 0).is_empty() {
            ""
        } else {
            "/"
        });
    }
    let base = path.rsplit('/').next().unwrap_or(path);
    let suffix = arg(arguments, 1);
    match base.strip_suffix(suffix) {
        Some(short) if !short.is_empty() && !suffix.is_empty() => string(short),
        _ => string(base),
    }
}

/// The text after the last match of a pattern.
pub(super) fn lastnode(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let bytes = text::encode(arg(arguments, 0));
    let mut rest = &*bytes;
    agent.compiles(arg(arguments, 1));
    while let Some((_, end)) = agent.patterns.find(arg(arguments, 1), rest) {
        if end == 0 {
            break;
        }
        rest = &rest[end..];
    }
    if rest.is_empty() && arg(arguments, 0).is_empty() {
        return Ok(None);
    }
    string(text::decode(rest).into_owned())
}

pub(super) fn translatepath(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    string(arg(arguments, 0))
}

/// `findfiles(pattern, …)`
pub(super) fn findfiles(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let mut found: IndexSet<Text> = IndexSet::new();
    for at in 0..arguments.len() {
        let pattern = arg(arguments, at);
        if !pattern.starts_with('/') {
            let message = format!("Non-absolute path in findfiles(), skipping: {pattern}");
            agent.say(Severity::Warning, message);
            continue;
        }
        for path in agent.globbed(pattern) {
            agent.verbose(|| format!("{name} pattern '{pattern}' found match '{path}'"));
            found.insert(path);
        }
    }
    list(found)
}

/// `lsdir(path, pattern, with_path)`
pub(super) fn lsdir(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let with_path = is_true(arguments, 2);
    let names = match agent.names_in(path) {
        Ok(names) => names,
        Err(error) => {
            let reason = machine::reason(&error);
            agent.complain(format!(
                "Directory '{path}' could not be accessed in lsdir(), (opendir: {reason})"
            ));
            return list(Vec::<Text>::new());
        }
    };
    let pattern = arg(arguments, 1);
    let kept = names
        .into_iter()
        .filter(|name| pattern.is_empty() || agent.matches_anew(pattern, name));
    let mut kept: Vec<String> = kept
        .map(|name| {
            if with_path {
                format!("{path}/{name}")
            } else {
                name
            }
        })
        .collect();
    // cf-agent prepends each name.
    kept.reverse();
    list(kept)
}

/// `countlinesmatching(pattern, path)` and `regline`
pub(super) fn lines_matching(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (pattern, path) = (arg(arguments, 0), arg(arguments, 1));
    let counts = name == "countlinesmatching";
    if !agent.compiles(pattern) {
        return Ok(None);
    }
    let content = match agent.read_bytes(path) {
        Ok(content) => text::decode(&content).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            let reason = machine::reason(&error);
            agent.complain(if counts {
                format!("Unable to read data from file '{path}'. (fgets: {reason})")
            } else {
                format!("In function '{name}', error reading from file. (getline: {reason})")
            });
            return if counts { Ok(None) } else { class(false) };
        }
        Err(error) if counts => {
            let reason = machine::reason(&error);
            agent.complain(format!(
                "File '{path}' could not be read in countlinesmatching(). (fopen: {reason})"
            ));
            return string("0");
        }
        Err(_) => return class(false),
    };
    let mut count = 0;
    for line in scan::lines(&content) {
        if agent.patterns.matches_fully(pattern, line) {
            count += 1;
            if counts {
                agent.verbose(|| format!("countlinesmatching: matched '{line}'"));
            }
        }
    }
    if counts {
        return string(count.to_string());
    }
    class(count > 0)
}

/// `findfiles_up(path, pattern, levels)`: searches a directory and its parents.
pub(super) fn findfiles_up(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (path, pattern) = (arg(arguments, 0), arg(arguments, 1));
    if !path.starts_with('/') {
        agent.complain(format!("Function {name}, not an absolute path '{path}'"));
        return Ok(None);
    }
    if !fs::metadata(path).is_ok_and(|meta| meta.is_dir()) {
        agent.complain(format!("Function {name}, path '{path}' is not a directory"));
        return Ok(None);
    }
    if pattern.starts_with('/') {
        agent.complain(format!(
            "Function {name}, glob '{pattern}' cannot be an absolute path"
        ));
        return Ok(None);
    }
    let levels = match arguments.get(2) {
        Some(_) => agent.int(arg(arguments, 2)).unwrap_or(0),
        None => number::INFINITE,
    };
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut pattern = pattern.to_owned();
    while pattern.contains("//") {
        pattern = pattern.replace("//", "/");
    }
    let mut found = Vec::new();
    for level in 0..=parts.len() {
        if i64::try_from(level).unwrap_or(i64::MAX) > levels {
            break;
        }
        let above: String = parts[..parts.len() - level]
            .iter()
            .map(|part| format!("/{part}"))
            .collect();
        // The root gives an empty prefix, so the pattern is relative to the working directory.
        let matches = agent.globbed(&match &*above {
            "" => pattern.clone(),
            above => format!("{above}/{pattern}"),
        });
        found.extend(matches.into_iter().map(Data::String));
    }
    Ok(Some(Value::data(Data::Array(found))))
}

/// `makerule(target, sources)`: whether a source is newer than the target.
pub(super) fn makerule(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let target = arg(arguments, 0);
    let made = fs::symlink_metadata(target).ok();
    if made.as_ref().is_some_and(|meta| !meta.is_file()) {
        let message =
            format!("Function '{name}' target-file '{target}' exists and is not a plain file");
        agent.say(Severity::Warning, message);
    }
    let time = made.as_ref().map_or(0, MetadataExt::mtime);
    let mut stale = made.is_none();
    let single = arguments[1]
        .scalar()
        .and_then(|path| fs::symlink_metadata(&**path).ok());
    if let Some(source) = single {
        return class(stale || source.mtime() > time);
    }
    let Some(data) = agent.collect_container(name, &arguments[1]) else {
        return Ok(None);
    };
    for source in super::collect::primitives(&data) {
        let Ok(meta) = fs::symlink_metadata(&*source) else {
            agent.verbose(|| {
                format!("Function '{name}', source dependency {source} was not (yet) readable")
            });
            return class(false);
        };
        stale |= meta.mtime() > time;
    }
    class(stale)
}

/// `diskfree(path)`, in kilobytes.
pub(super) fn diskfree(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let bytes = match rustix::fs::statvfs(path) {
        Ok(free) => free.f_bavail * free.f_bsize,
        Err(error) => {
            let reason = machine::reason(&error.into());
            agent.complain(format!(
                "Couldn't get filesystem info for '{path}'. (statfs: {reason})"
            ));
            0
        }
    };
    string((bytes / 1024).to_string())
}

/// `sysctlvalue(key)`
pub(super) fn sysctlvalue(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = format!("/proc/sys/{}", arg(arguments, 0).replace('.', "/"));
    match agent.read_bytes(&path) {
        Ok(content) => {
            let content = text::decode(&content).into_owned();
            string(content.strip_suffix('\n').unwrap_or(&content))
        }
        Err(error) => {
            let reason = machine::reason(&error);
            agent.verbose(|| format!("Error while reading file '{path}' ({reason})"));
            Ok(None)
        }
    }
}

impl Agent {
    /// The paths that match a pattern, in the order of cf-agent's sets. `**` matches one to six
    /// path components.
    fn globbed(&self, pattern: &str) -> Vec<Text> {
        let names = (1..7).map(|depth| vec!["*"; depth].join("/"));
        let patterns: Vec<String> = if pattern.contains("**") {
            names.map(|names| pattern.replace("**", &names)).collect()
        } else {
            vec![pattern.to_owned()]
        };
        let base = self.at(".").into_owned();
        let mut found: IndexSet<String> = IndexSet::new();
        for pattern in &patterns {
            found.extend(glob::paths(Path::new(&base), pattern));
        }
        let found = set_order(found.into_iter().collect());
        found.into_iter().map(Text::from).collect()
    }
}
