//! Promisers that are path patterns.

use super::path::{joined, os, with_slash};
use crate::context::Agent;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use crate::stop::Step;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::rc::Rc;

/// Whether a text looks like a regular expression.
fn is_pattern(text: &str) -> bool {
    let (mut found, mut fresh, mut escaped) = (false, true, false);
    let (mut square, mut round) = (false, 0_i32);
    for (at, byte) in text.bytes().enumerate() {
        if escaped {
            (escaped, fresh) = (false, false);
            continue;
        }
        if byte == b'\\' {
            escaped = true;
            continue;
        }
        if square && byte != b']' {
            if byte == b'[' {
                return false;
            }
            continue;
        }
        let mut repeatable = true;
        match byte {
            b'^' => repeatable = at != 0,
            b'*' | b'+' if fresh => return false,
            b'*' | b'+' => (repeatable, found) = (false, true),
            b'[' => (square, found) = (true, true),
            b']' if !square => return false,
            b']' => square = false,
            b'(' => {
                repeatable = false;
                round += 1;
            }
            b')' => {
                round -= 1;
                if round < 0 {
                    return false;
                }
            }
            b'|' => {
                repeatable = false;
                found |= round > 0;
            }
            _ => {}
        }
        fresh = !repeatable;
    }
    found && !square && round == 0 && !escaped
}

/// The parts between slashes; `\/` does not separate parts.
fn nodes(path: &str) -> Vec<String> {
    let mut nodes = vec![String::new()];
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '/' => nodes.push(String::new()),
            '\\' if matches!(next, Some('/' | '\\')) => {
                let last = nodes.last_mut();
                last.into_iter().for_each(|node| node.extend(next));
                chars.next();
            }
            c => nodes.last_mut().into_iter().for_each(|node| node.push(c)),
        }
    }
    nodes
}

impl Agent {
    fn is_path_pattern(&mut self, text: &str) -> bool {
        if !is_pattern(text) {
            return false;
        }
        let mut depth = 0;
        for c in text.chars() {
            match c {
                '[' | '(' => depth += 1,
                ']' | ')' => depth -= 1,
                '/' if depth != 0 => {
                    let message = format!(
                        "Path regular expression {text} seems to use expressions containing the directory symbol /"
                    );
                    self.say(Severity::Error, message);
                    self.say(
                        Severity::Error,
                        "Use a work-around to avoid pathological behaviour",
                    );
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Keeps a promise for each file that its promiser matches.
    pub(super) fn locate(
        &mut self,
        promise: &Rc<Expanded>,
        wild: &str,
        shown: &mut Rc<Expanded>,
    ) -> Step<Outcome> {
        self.tick()?;
        let literal = promise.text("pathtype").is_some_and(|t| &**t == "literal");
        if literal || !self.is_path_pattern(wild) {
            self.verbose(|| format!("Using literal pathtype for '{wild}'"));
            return self.keep_path(promise, wild, shown);
        }
        self.verbose(|| format!("Using regex pathtype for '{wild}' (see pathtype)"));
        let nodes: Vec<String> = nodes(wild).into_iter().filter(|n| !n.is_empty()).collect();
        let mut base = String::new();
        let mut base_is_directory = false;
        let mut pattern = None;
        for (at, node) in nodes.iter().enumerate() {
            if is_pattern(node) {
                pattern = Some(at);
                break;
            }
            base = format!("{}{node}", with_slash(&base));
            if let Ok(meta) = fs::metadata(os(&base)) {
                base_is_directory = meta.is_dir();
                self.mistrust(promise, &base, wild, &meta);
            }
        }
        let mut outcome = Outcome::Skipped;
        let mut count = 0;
        if let Some(at) = pattern {
            let Ok(names) = self.names_in(&base) else {
                self.verbose(|| {
                    format!("Using best-effort expanded (but non-existent) file base path '{wild}'")
                });
                return self.keep_path(promise, wild, shown);
            };
            let last = at + 1 == nodes.len();
            for name in names {
                if !self.considers(&name, &base)
                    || (!last && !base_is_directory)
                    || !self.match_whole(&nodes[at], &name)
                {
                    continue;
                }
                count += 1;
                let mut next = joined(&with_slash(&base), &name);
                for node in &nodes[at + 1..] {
                    next = format!("{}{node}", with_slash(&next));
                }
                outcome = outcome.and(if !last && next != wild {
                    self.locate(promise, &next, shown)?
                } else {
                    self.keep_located(promise, &next)?
                });
            }
        } else {
            self.verbose(|| format!("Using file base path '{base}'"));
            outcome = outcome.and(self.keep_path(promise, &base, shown)?);
        }
        if count == 0 {
            self.verbose(|| {
                format!("No promiser file objects matched as regular expression '{wild}'")
            });
            if promise.is_true("create") {
                let path = promise.promiser.clone();
                outcome = outcome.and(self.keep_path(promise, &path, shown)?);
            }
        }
        Ok(outcome)
    }

    fn keep_located(&mut self, promise: &Rc<Expanded>, path: &str) -> Step<Outcome> {
        self.verbose(|| format!("Using expanded file base path '{path}'"));
        self.match_whole(&promise.promiser.clone(), path);
        match self.expand_promise(promise)? {
            Some(own) => {
                let own = Rc::new(own);
                self.keep_path(&own, path, &mut own.clone())
            }
            None => Ok(Outcome::Skipped),
        }
    }

    /// Reports that another user controls a directory in the search path.
    fn mistrust(&mut self, promise: &Expanded, base: &str, wild: &str, meta: &fs::Metadata) {
        let uid = meta.uid();
        if meta.is_dir() && uid != self.machine.uid && uid != 0 {
            let message = format!(
                "Directory '{base}' in search path '{wild}' is controlled by another user (uid {uid}) - trusting its content is potentially risky (possible race condition)"
            );
            self.say(Severity::Info, message);
            self.say_place(Severity::Info, promise);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_pattern, nodes};

    #[test]
    fn patterns_are_distinguished_from_names() {
        assert!(is_pattern("/tmp/.*"));
        assert!(is_pattern("/tmp/[ab]"));
        assert!(is_pattern("/tmp/(a|b)"));
        assert!(!is_pattern("/tmp/a.txt"));
        assert!(is_pattern("/tmp/*"));
        assert!(!is_pattern("*"));
        assert!(is_pattern("/tmp/x*"));
        assert!(!is_pattern("/tmp/a|b"));
        assert!(!is_pattern("/tmp/\\[a\\]"));
    }

    #[test]
    fn nodes_stand_between_slashes() {
        assert_eq!(nodes("/a/b\\/c"), ["", "a", "b/c"]);
    }
}
