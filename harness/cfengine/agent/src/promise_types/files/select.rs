//! `file_select`: which files a promise applies to.

use super::path::{last_node, os};
use super::record::Task;
use super::{accounts, mode};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::process::Spec;
use crate::promise::Expanded;
use cfengine_policy::class::{self, Expression, Part};
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Whether names make an expression such as `leaf_name.!size` true.
fn holds(expression: &Expression, names: &[String]) -> bool {
    match expression {
        Expression::Or(sides) => sides.iter().any(|side| holds(side, names)),
        Expression::And(sides) => sides.iter().all(|side| holds(side, names)),
        Expression::Not(inner) => !holds(inner, names),
        Expression::Name(parts) => match &parts[..] {
            [Part::Text(name)] => {
                class::constant(name).unwrap_or_else(|| names.iter().any(|known| **known == **name))
            }
            _ => false,
        },
    }
}

fn file_types(meta: &Metadata) -> Vec<String> {
    let kind = meta.file_type();
    let names: &[&str] = match () {
        () if kind.is_file() => &["reg", "plain"],
        () if kind.is_dir() => &["dir"],
        () if kind.is_symlink() => &["symlink"],
        () if kind.is_fifo() => &["fifo"],
        () if kind.is_socket() => &["socket"],
        () if kind.is_char_device() => &["char"],
        () => &["block"],
    };
    names.iter().map(|name| (*name).into()).collect()
}

/// The limits of a range, `1,20` or `1,inf`.
fn range(promise: &Expanded, name: &str) -> Option<(i64, i64)> {
    let (low, high) = promise.text(name)?.split_once(',')?;
    let high = match high.trim() {
        "inf" => 999_999_999,
        other => other.parse().ok()?,
    };
    Some((low.trim().parse().ok()?, high))
}

impl Agent {
    /// Whether the promise selects a file; without `file_select` it selects all.
    pub(super) fn selects(&mut self, task: &Task, path: &str, meta: &Metadata) -> bool {
        if !task.is("file_select") {
            return true;
        }
        let promise = task.promise.clone();
        let mut names = Vec::new();
        self.select_by_name(&promise, path, &mut names);
        self.select_by_status(&promise, path, meta, &mut names);
        self.select_by_look(&promise, path, &mut names);
        let wanted = promise.text("file_result").cloned().unwrap_or_default();
        let result = self.select_result(&wanted, &names);
        self.verbose(|| format!("file_select result '{wanted}' on '{path}' was '{result}'"));
        result
    }

    fn select_result(&mut self, text: &str, names: &[String]) -> bool {
        match class::parse(text) {
            Ok(parsed) => holds(&parsed.expression, names),
            Err(_) => {
                self.say(
                    Severity::Error,
                    format!("Syntax error in expression '{text}'"),
                );
                false
            }
        }
    }

    fn select_by_name(&mut self, promise: &Expanded, path: &str, names: &mut Vec<String>) {
        let by_name = promise.texts("leaf_name");
        if promise.get("leaf_name").is_none() || self.match_any(&by_name, last_node(path)) {
            names.push("leaf_name".into());
        }
        let by_path = promise.texts("path_name");
        if promise.get("path_name").is_none() {
            names.push("leaf_path".into());
        } else if self.match_any(&by_path, path) {
            names.push("path_name".into());
        }
    }

    fn select_by_status(
        &mut self,
        promise: &Expanded,
        path: &str,
        meta: &Metadata,
        names: &mut Vec<String>,
    ) {
        let types = file_types(meta);
        let wanted = promise.texts("file_types");
        if wanted.iter().any(|want| self.select_result(want, &types)) {
            names.push("file_types".into());
        }
        let (owner, group) = (meta.uid(), meta.gid());
        let user = accounts::user_name(owner);
        if user.is_none() && promise.get("search_owners").is_some() {
            self.say(
                Severity::Error,
                format!("Could not get owner name for '{path}'"),
            );
        }
        self.select_by_account(promise, "search_owners", "owner", (owner, user), names);
        let of = (group, accounts::group_name(group));
        self.select_by_account(promise, "search_groups", "group", of, names);
        let mut said = Vec::new();
        for text in promise.texts("search_mode") {
            match mode::parse(&text, &mut said) {
                Ok(mask) if mask.apply(meta.mode()) & 0o7777 == meta.mode() & 0o7777 => {
                    names.push("mode".into());
                    break;
                }
                Ok(_) => {}
                Err(_) => said.push((
                    Severity::Error,
                    format!("Problem validating a mode string '{text}' in search filter"),
                )),
            }
        }
        for (level, message) in said {
            self.say(level, message);
        }
        let times = [
            ("atime", meta.atime()),
            ("ctime", meta.ctime()),
            ("mtime", meta.mtime()),
        ];
        for (name, time) in times {
            if range(promise, name).is_some_and(|(from, to)| from < time && time < to) {
                names.push(name.into());
            }
        }
        let size = meta.size() as i64;
        if range(promise, "search_size").is_some_and(|(min, max)| min <= size && size <= max) {
            names.push("size".into());
        }
    }

    fn select_by_account(
        &mut self,
        promise: &Expanded,
        attribute: &str,
        name: &str,
        (id, known): (u32, Option<String>),
        names: &mut Vec<String>,
    ) {
        let own = vec![
            id.to_string(),
            known.clone().unwrap_or_else(|| "none".into()),
        ];
        let wanted = promise.texts(attribute);
        let fits = promise.get(attribute).is_none()
            || wanted.iter().any(|want| {
                self.select_result(want, &own)
                    || known.as_ref().is_some_and(|k| self.match_whole(want, k))
                    || self.match_whole(want, &own[0])
            });
        if fits {
            names.push(name.into());
        }
    }

    fn select_by_look(&mut self, promise: &Expanded, path: &str, names: &mut Vec<String>) {
        let targets = promise.texts("issymlinkto");
        // Only in a simulation can the file be missing here.
        if !targets.is_empty()
            && let Err(error) = std::fs::symlink_metadata(os(path))
        {
            let reason = machine::reason(&error);
            let message = format!("Unable to read link '{path}' in filter. (readlink: {reason})");
            self.say(Severity::Error, message);
        }
        if !targets.is_empty()
            && let Ok(target) = std::fs::read_link(os(path))
            && self.match_any(&targets, &super::path::said(target.into_os_string()))
        {
            names.push("issymlinkto".into());
        }
        let Some(program) = promise.text("exec_program").cloned() else {
            return;
        };
        let line = program
            .replace("$(this.promiser)", path)
            .replace("${this.promiser}", path);
        if let Some(pattern) = promise.text("exec_regex").cloned() {
            let spec = Spec {
                line: &line,
                ..Spec::default()
            };
            let ended = self.execute(&spec);
            let output = ended.map(|(output, _)| output).unwrap_or_default();
            if output.lines().any(|line| self.match_whole(&pattern, line)) {
                names.push("exec_regex".into());
            }
        }
        if self.exit_of(&line, "noshell") == Some(0) {
            names.push("exec_program".into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::holds;
    use cfengine_policy::class;

    #[test]
    fn file_result_expressions_hold_over_the_matched_criteria() {
        let names = ["leaf_name".to_owned(), "owner".to_owned()];
        let holds = |text: &str| class::parse(text).is_ok_and(|p| holds(&p.expression, &names));
        assert!(holds("leaf_name.owner"));
        assert!(holds("mtime|owner"));
        assert!(!holds("leaf_name.!owner"));
    }
}
