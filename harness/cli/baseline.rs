//! `stickler check --baseline`: declares the present failures as known.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use stickler_face::{Done, Failure, terminal};
use stickler_judge::{Exit, Reported, Scope, Verdict, narrowest};
use stickler_suite::config::{self, Config, Exception};
use stickler_suite::{Checked, Vocabulary};

/// The file to write to.
///
/// # Errors
/// If there is none.
pub fn file(config: &Config) -> Result<&Path, Failure> {
    config.file.as_deref().ok_or_else(|| {
        Failure::usage(
            "--baseline needs a stickler.toml to write to: `stickler init MODULE` creates one",
        )
    })
}

/// A failure that becomes a known one.
struct Added<'a> {
    outcome: &'a Reported,
    /// To what it is limited; each becomes an entry.
    scopes: Vec<Scope>,
    reason: String,
}

/// Appends an `[[xfail]]` for each failed rule to the configuration file, limited to what fails. The
/// existing content, including comments, stays unchanged.
///
/// # Errors
/// If there is no file, or if it cannot be written.
pub fn write(words: &Vocabulary, config: &Config, checked: &Checked) -> Done {
    let file = file(config)?;
    let today = config::today();
    let mut added: Vec<Added<'_>> = Vec::new();
    // The rules that still make the next check fail.
    let mut open: Vec<&str> = Vec::new();
    for outcome in &checked.outcomes {
        match outcome.verdict {
            Verdict::Fail => {}
            Verdict::Flaky => {
                // An [[xfail]] would be reported as stale whenever the rule passes.
                terminal::note(&format!(
                    "{} is flaky, so no [[xfail]] is written: fix the failure, or add a [[waive]]",
                    outcome.code
                ));
                open.push(&outcome.code);
                continue;
            }
            Verdict::Xpass => {
                terminal::note(&format!(
                    "{}: {}",
                    outcome.code,
                    outcome.message.as_deref().unwrap_or("its xfail is stale")
                ));
                open.push(&outcome.code);
                continue;
            }
            _ => continue,
        }
        if let Some(known) = expired(config, &outcome.code, &today) {
            terminal::note(&format!(
                "{}: its [[xfail]] expired on {}: fix the failure, or set a later date",
                outcome.code,
                known.until.as_deref().unwrap_or("now")
            ));
            open.push(&outcome.code);
            continue;
        }
        let message = outcome.message.as_deref().unwrap_or("fails");
        let message = stickler_report::visible(message);
        added.push(Added {
            outcome,
            scopes: narrowest(&outcome.places, &checked.sessions),
            reason: format!("known since {today}: {message}"),
        });
    }
    if added.is_empty() {
        terminal::note(&format!("no new failures: {} is unchanged", file.display()));
        return Ok(left(&open));
    }
    append(words, file, &added)?;
    let mut out = std::io::stdout().lock();
    for Added { outcome, .. } in &added {
        // The reader may close the pipe early.
        let _ = writeln!(
            out,
            "{}  {}",
            outcome.code,
            stickler_report::visible(&outcome.title)
        );
    }
    let (entries, rules) = match added.len() {
        1 => ("1 known failure".to_owned(), "it"),
        n => (format!("{n} known failures"), "one"),
    };
    terminal::note(&format!(
        "{entries} written to {}; if you fix {rules}, remove the entry: the check fails until then",
        file.display()
    ));
    Ok(left(&open))
}

/// Names the rules that still fail, and returns the exit code.
fn left(open: &[&str]) -> Exit {
    if open.is_empty() {
        return Exit::Success;
    }
    terminal::note(&format!(
        "the next check still fails ({}): see the notes above",
        open.join(" ")
    ));
    Exit::Findings
}

/// An expired entry for the rule.
fn expired<'c>(config: &'c Config, code: &str, today: &str) -> Option<&'c Exception> {
    config.xfail.iter().find(|known| {
        known.rule == code && known.until.as_deref().is_some_and(|until| until < today)
    })
}

fn append(words: &Vocabulary, file: &Path, added: &[Added<'_>]) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::usage(format!("writing {}: {error}", file.display()));
    // If the path is a link, writes to the file to which it points.
    let file = &std::fs::canonicalize(file).map_err(failed)?;
    let mut text = std::fs::read_to_string(file).map_err(failed)?;
    if !text.ends_with('\n') && !text.is_empty() {
        text.push('\n');
    }
    for one in added {
        for scope in &one.scopes {
            let code = &one.outcome.code;
            let _ = write!(
                text,
                "\n[[xfail]]\nrule = \"{code}\"\nreason = {}\n",
                quoted(&one.reason)
            );
            let limits = [
                ("example", &scope.example),
                (words.kind_key, &scope.kind),
                ("field", &scope.field),
            ];
            for (key, limit) in limits {
                if let Some(limit) = limit {
                    let _ = writeln!(text, "{key} = {}", quoted(limit));
                }
            }
        }
    }
    config::from_text(file, &text, words).map_err(|error| {
        Failure::usage(format!(
            "{}: known failures cannot be appended; write them as [[xfail]] tables\n{error}",
            file.display()
        ))
    })?;
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".part");
    std::fs::write(&unfinished, &text)
        .and_then(|()| {
            std::fs::set_permissions(&unfinished, std::fs::metadata(file)?.permissions())
        })
        .and_then(|()| std::fs::rename(&unfinished, file))
        .map_err(failed)
}

/// A basic string of TOML, quoted as in JSON. It contains no control characters.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
