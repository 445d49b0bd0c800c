//! `--baseline FILE`: findings that are known.

use super::follows::situations;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use stickler_conform::Table;
use stickler_face::missing::nearest;
use stickler_face::{Done, Failure, terminal};
use stickler_judge::{AnySession, Exit, Expectation, Expectations, Reported, Rule, Scope, Verdict};

/// The known findings of a file: a line of JSON each, with a rule, a situation and a reason.
pub(super) struct Known {
    all: Vec<Finding>,
    name: String,
}

/// What a line may say.
const KEYS: [&str; 3] = ["rule", "situation", "reason"];

struct Finding {
    /// None, if the agent does something else than the release.
    rule: Option<String>,
    situation: String,
    reason: String,
}

impl Known {
    /// Reads a file; nothing if there is none yet.
    ///
    /// # Errors
    /// If it has another form.
    pub(super) fn read(file: &Path) -> Result<Option<Known>, Failure> {
        let name = file.display().to_string();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Failure::usage(format!("{name}: cannot be read: {error}")));
            }
        };
        let mut all = Vec::new();
        for (at, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let wrong = || {
                Failure::usage(format!(
                    "{name}, line {}: write {{\"situation\": \"…\", \"reason\": \"…\"}}, with \"rule\" for a rule",
                    at + 1
                ))
            };
            let value: Value = serde_json::from_str(line).map_err(|_| wrong())?;
            let names = value.as_object().ok_or_else(wrong)?.keys();
            if names.into_iter().any(|name| !KEYS.contains(&&name[..])) {
                return Err(wrong());
            }
            let text = |key: &str| value[key].as_str().map(str::to_owned);
            all.push(Finding {
                rule: text("rule"),
                situation: text("situation").ok_or_else(wrong)?,
                reason: text("reason").ok_or_else(wrong)?,
            });
        }
        Ok(Some(Known { all, name }))
    }

    /// Is each finding about a situation and a rule that there are?
    ///
    /// # Errors
    /// If one is not.
    pub(super) fn check(&self, table: &dyn Table, rules: &[&Rule]) -> Result<(), Failure> {
        let situations: Vec<&str> = (0..table.len()).map(|at| table.name(at)).collect();
        let codes: Vec<&str> = rules.iter().map(|rule| rule.code).collect();
        for one in &self.all {
            let rule = one.rule.as_deref();
            let wrong = rule
                .filter(|rule| !codes.contains(rule))
                .map(|rule| ("rule for agents", rule, &codes))
                .or_else(|| {
                    let name = &one.situation[..];
                    (!situations.contains(&name)).then_some(("situation", name, &situations))
                });
            if let Some((what, name, all)) = wrong {
                let hint = nearest(name, all.iter().copied());
                let hint = hint.map_or_else(String::new, |near| format!("; did you mean {near}?"));
                return Err(Failure::usage(format!(
                    "{}: there is no {what} {name}{hint}",
                    self.name
                )));
            }
        }
        Ok(())
    }

    /// The known findings of rules.
    pub(super) fn expectations(&self, partial: bool) -> Expectations {
        let of_rules = self.all.iter().filter_map(|known| {
            Some(Expectation {
                rule: known.rule.clone()?,
                reason: known.reason.clone(),
                scope: Scope {
                    example: Some(known.situation.clone()),
                    kind: None,
                    field: None,
                },
                expired: None,
            })
        });
        Expectations {
            xfail: of_rules.collect(),
            partial,
            ..Expectations::default()
        }
    }

    /// The outcome of a situation, of which a difference may be known.
    pub(super) fn applied(&self, mut outcome: Reported) -> Reported {
        let mut own = self.all.iter();
        let known = own.find(|one| one.rule.is_none() && one.situation == outcome.code);
        let Some(known) = known else {
            return outcome;
        };
        match outcome.verdict {
            Verdict::Fail => {
                outcome.verdict = Verdict::Xfail;
                outcome.message = Some(known.reason.clone());
                outcome.findings.clear();
                outcome.timelines.clear();
            }
            Verdict::Pass => {
                outcome.verdict = Verdict::Xpass;
                outcome.message = Some(format!(
                    "expected to fail, but it passed; remove the line from {} ({})",
                    self.name, known.reason
                ));
            }
            _ => {}
        }
        outcome
    }
}

/// Writes the findings of a run as known ones.
pub(super) fn write(
    file: &Path,
    outcomes: &[Reported],
    sessions: &[AnySession],
    interrupted: bool,
) -> Done {
    if interrupted {
        terminal::note("the run was interrupted, so no baseline is written");
        return Ok(Exit::Harness);
    }
    let mut lines = BTreeSet::new();
    for outcome in outcomes.iter().filter(|one| one.verdict == Verdict::Fail) {
        let reason = outcome.message.as_deref().unwrap_or("fails");
        let reason = stickler_report::visible(reason);
        let broken = situations(outcome, sessions);
        if broken.is_empty() {
            let line = json!({ "situation": outcome.code, "reason": reason });
            lines.insert(line.to_string());
        }
        for situation in broken {
            let line = json!({ "rule": outcome.code, "situation": situation, "reason": reason });
            lines.insert(line.to_string());
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(file, text)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    terminal::note(&format!(
        "{} known findings written to {}; remove a line when its finding is gone",
        lines.len(),
        file.display()
    ));
    Ok(Exit::Success)
}
