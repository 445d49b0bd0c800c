//! `stickler policy check`: is a policy accepted or rejected, and why?

use super::read::{event, read};
use crate::args::PolicyCheckArgs;
use crate::installed;
use cfengine_agent::{Ended, Options};
use cfengine_policy::{Loaded, Sources};
use cfengine_protocol::release::{self, Compat, RELEASES, Release};
use std::path::Path;
use stickler_face::args::ListFormat;
use stickler_face::{Done, Failure, terminal};
use stickler_judge::Exit;

pub fn run(args: &PolicyCheckArgs) -> Done {
    let (mut accepted, mut rejected) = (0, 0);
    let mut unread: Option<Failure> = None;
    let compat = args.compat;
    let compat = compat.unwrap_or_else(|| Compat::Deployed(installed::release(None)));
    for file in &args.files {
        let mut sources = Sources::new();
        let loaded = match read(&mut sources, file, &args.shared.workdir, compat.release()) {
            Ok(loaded) => loaded,
            Err(failure) => {
                if let Some(earlier) = unread.replace(failure) {
                    terminal::error(&earlier.message);
                }
                continue;
            }
        };
        let checked = Checked::of(loaded, file, &args.shared.workdir, compat);
        let accepting = accepting(&checked, file, &args.shared.workdir, compat);
        if checked.errors() == 0 {
            accepted += 1;
        } else {
            rejected += 1;
        }
        let text = match args.shared.format {
            ListFormat::Pretty => pretty(file, &checked, &sources, compat, &accepting),
            ListFormat::Json => json(file, &checked, &sources, compat, &accepting),
        };
        terminal::print(&text)?;
    }
    if args.shared.format == ListFormat::Json {
        let summary = serde_json::json!({
            "event": "summary",
            "accepted": accepted,
            "rejected": rejected,
        });
        terminal::print(format!("{summary}\n"))?;
    }
    match unread {
        Some(failure) => Err(failure),
        None if rejected > 0 => Ok(Exit::Findings),
        None => Ok(Exit::Success),
    }
}

/// The result for one policy.
struct Checked {
    loaded: Loaded,
    /// Why its evaluation rejects it.
    evaluated: Option<String>,
}

impl Checked {
    /// Evaluates the policy as cf-promises does, if only an evaluation can tell, or if it starts no
    /// programs.
    fn of(mut loaded: Loaded, file: &Path, workdir: &Path, compat: Compat) -> Self {
        let mut evaluated = None;
        let evaluates = !loaded.notes.is_empty() || cfengine_agent::is_inert(&loaded.policy);
        if loaded.problems.is_empty() && evaluates {
            let options = Options {
                workdir: workdir.to_path_buf(),
                skip_unsupported: true,
                compat,
                ..Options::new(file.to_string_lossy())
            };
            match cfengine_agent::check(options) {
                Ok(()) => loaded.notes.clear(),
                Err(Ended::Policy(why)) => {
                    loaded.notes.clear();
                    evaluated = Some(why);
                }
                // The question stays open.
                Err(Ended::Exit(_) | Ended::Refused(_) | Ended::Limit(_)) => {}
            }
        }
        Self { loaded, evaluated }
    }

    fn errors(&self) -> usize {
        self.loaded.problems.len() + usize::from(self.evaluated.is_some())
    }
}

/// The measured releases that accept the policy.
fn accepting(
    checked: &Checked,
    file: &Path,
    workdir: &Path,
    compat: Compat,
) -> Vec<&'static Release> {
    let accepts = |release: &&'static Release| {
        let other = Compat::Deployed(release);
        if other == compat {
            return checked.errors() == 0;
        }
        let loaded = read(&mut Sources::new(), file, workdir, release);
        loaded.is_ok_and(|loaded| Checked::of(loaded, file, workdir, other).errors() == 0)
    };
    RELEASES.iter().filter(accepts).collect()
}

/// Which releases take the policy otherwise than the one that was asked about, in words.
fn otherwise(accepted: bool, compat: Compat, accepting: &[&'static Release]) -> Option<String> {
    let Compat::Deployed(asked) = compat else {
        return None;
    };
    let all: Vec<&Release> = RELEASES.iter().collect();
    let others = all
        .iter()
        .copied()
        .filter(|it| accepting.contains(it) != accepted);
    let others: Vec<&Release> = others.collect();
    let verb = match (accepted, others.as_slice()) {
        (_, []) => return None,
        (true, [_]) => "rejects",
        (true, _) => "reject",
        (false, [_]) => "accepts",
        (false, _) => "accept",
    };
    let others = release::names(&others, &all);
    Some(format!(" (cf-agent {}; {others} {verb} it)", asked.version))
}

fn pretty(
    file: &Path,
    checked: &Checked,
    sources: &Sources,
    compat: Compat,
    accepting: &[&'static Release],
) -> String {
    let loaded = &checked.loaded;
    let problems = loaded
        .problems
        .iter()
        .map(|one| one.render("error", sources));
    let notes = loaded.notes.iter().map(|one| one.render("note", sources));
    let mut text: String = problems.chain(notes).collect();
    if let Some(why) = &checked.evaluated {
        text.push_str(why.trim_end());
        text.push('\n');
    }
    let name = stickler_report::visible(&file.display().to_string()).into_owned();
    let verdict = match checked.errors() {
        0 => "accepted".to_owned(),
        1 => "rejected, 1 error".to_owned(),
        many => format!("rejected, {many} errors"),
    };
    let whom = otherwise(checked.errors() == 0, compat, accepting).unwrap_or_default();
    text.push_str(&format!("{name}: {verdict}{whom}\n"));
    text
}

fn json(
    file: &Path,
    checked: &Checked,
    sources: &Sources,
    compat: Compat,
    accepting: &[&'static Release],
) -> String {
    let loaded = &checked.loaded;
    let problems = loaded
        .problems
        .iter()
        .map(|one| event("error", one, sources));
    let notes = loaded.notes.iter().map(|one| event("note", one, sources));
    let evaluated = checked.evaluated.iter().map(|why| {
        let file = file.display().to_string();
        serde_json::json!({"event": "error", "file": file, "message": why.trim_end()})
    });
    let end = serde_json::json!({
        "event": "file",
        "file": file.display().to_string(),
        "accepted": checked.errors() == 0,
        "compat": compat.name(),
        "accepted_by": accepting.iter().map(|release| release.version).collect::<Vec<_>>(),
    });
    let lines = problems.chain(notes).chain(evaluated).chain([end]);
    lines.map(|line| format!("{line}\n")).collect()
}
