//! Absolute and relative links, regardless of how the source is written.

use super::super::path::{chopped, compressed, joined, os};
use super::super::record::Task;
use super::{NoSource, read_link};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use std::fs;

/// The most links that the agent follows.
const MOST: u32 = 4;

impl Agent {
    pub(super) fn keep_absolute_link(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &str,
        absent: NoSource,
    ) {
        let to = if source.starts_with('.') {
            joined(&chopped(path), source)
        } else {
            source.to_owned()
        };
        let to = compressed(&to).unwrap_or(to);
        let expanded = if absent == NoSource::Force {
            self.expand_links(&to, 0)
        } else {
            Some(to)
        };
        match expanded {
            Some(to) => {
                let to = compressed(&to).unwrap_or(to);
                self.keep_symlink(task, path, &to, absent);
            }
            None => {
                let message = format!("Failed to expand absolute link to '{source}'");
                self.failed(task, message);
                self.say_place(Severity::Error, &task.promise.clone());
            }
        }
    }

    /// Resolves the links in a path, as cf-agent's `ExpandLinks` does.
    pub(in super::super) fn expand_links(&mut self, from: &str, level: u32) -> Option<String> {
        self.expand_links_to(from, level, MOST)
    }

    /// Resolves one level of links in a path.
    pub(crate) fn expand_link(&mut self, from: &str) -> Option<String> {
        self.expand_links_to(from, 0, 1)
    }

    fn expand_links_to(&mut self, from: &str, level: u32, deepest: u32) -> Option<String> {
        if deepest < MOST && level >= deepest {
            return Some(from.to_owned());
        }
        if level >= MOST {
            let message = "Too many levels of symbolic links to evaluate absolute path";
            self.say(Severity::Error, message);
            return None;
        }
        let mut out = String::new();
        let nodes: Vec<&str> = from.split('/').filter(|node| !node.is_empty()).collect();
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                "." => continue,
                ".." => {
                    out.push_str("/..");
                    continue;
                }
                _ => out = format!("{out}/{node}"),
            }
            let meta = match fs::symlink_metadata(os(&out)) {
                Ok(meta) => meta,
                Err(error) => {
                    let reason = machine::reason(&error);
                    let message = format!("Can't stat '{out}' in ExpandLinks. (lstat: {reason})");
                    self.say(Severity::Error, message);
                    return None;
                }
            };
            if !meta.is_symlink() {
                continue;
            }
            let Ok(target) = read_link(&out) else {
                return None;
            };
            out = if target.starts_with('/') {
                target
            } else {
                joined(&chopped(&out), &target)
            };
            if out == from {
                return Some(out);
            }
            if at + 1 < nodes.len() {
                self.expand_links_to(&out.clone(), level + 1, deepest)?;
            }
        }
        Some(out)
    }

    pub(super) fn keep_relative_link(
        &mut self,
        task: &mut Task,
        path: &str,
        source: &str,
        absent: NoSource,
    ) {
        // A source that does not start with a dot counts as absolute, even without a slash.
        if source.starts_with('.') || !path.starts_with('/') {
            self.keep_symlink(task, path, source, absent);
            return;
        }
        let Some(to) = compressed(source) else {
            self.interrupted(task, format!("Failed to link '{path}' to '{source}'"));
            return;
        };
        if to == path {
            let message =
                format!("Failed to link '{path}' to '{source}', can't link file '{to}' to itself");
            self.interrupted(task, message);
            return;
        }
        let common = to.bytes().zip(path.bytes()).take_while(|(a, b)| a == b);
        let common = common.count().min(to.len() - 1).min(path.len() - 1);
        let shared = (0..=common)
            .rev()
            .find(|at| to.as_bytes()[*at] == b'/' && path.as_bytes()[*at] == b'/');
        let shared = shared.unwrap_or(0);
        let levels = path[shared..].matches('/').count();
        let mut relative = String::from("./");
        for _ in 1..levels {
            relative = joined(&relative, "../");
        }
        let relative = joined(&relative, &to[shared + 1..]);
        self.keep_symlink(task, path, &relative, absent);
    }
}
