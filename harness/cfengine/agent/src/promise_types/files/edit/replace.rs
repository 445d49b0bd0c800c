//! `replace_patterns`.

use super::super::lines::Id;
use super::super::record::Task;
use super::Edit;
use crate::context::Agent;
use crate::log::Severity;
use crate::stop::Step;
use crate::value::Text;
use cfengine_policy::text;

/// The most replacements in one line.
const MOST: usize = 20;

/// A line with its matches replaced.
struct Replaced {
    text: String,
    cutoff: usize,
    found: bool,
}

impl Agent {
    /// Replaces the matches of a pattern.
    pub(super) fn keep_replacement(&mut self, task: &mut Task, edit: &mut Edit) -> Step<()> {
        let promiser = task.promise.promiser.clone();
        let path = edit.path.clone();
        self.verbose(|| format!("Looking at pattern '{promiser}'"));
        let Some(value) = task.promise.text("replace_value").cloned() else {
            let message =
                format!("The promised pattern replace '{promiser}' has no replacement string");
            self.fail_edit(task, message);
            return Ok(());
        };
        let (mut begin, mut end) = (edit.lines.first(), None);
        if task.is("select_region") {
            let Some(region) = self.region(task, edit) else {
                let message = format!(
                    "The promised pattern replace '{promiser}' could not select an edit region in '{path}'"
                );
                self.fail_edit(task, message);
                return Ok(());
            };
            (begin, end) = (region.begin, region.end);
        }
        if !self.is_new_edit(task, &format!("replace-{promiser}-{path}")) {
            return Ok(());
        }
        let once = task.text("occurrences") == Some("first");
        if once {
            let message = "Setting replace-occurrences policy to 'first' is not convergent";
            self.say(Severity::Warning, message);
        }
        let (mut found, mut edited) = (false, false);
        for id in edit.lines.between(begin, end) {
            let go_on = self.replace_in(task, edit, id, (&value, once), &mut found, &mut edited)?;
            if !go_on {
                break;
            }
        }
        if !found {
            let message = format!("No match for pattern '{promiser}' in '{path}'");
            self.unchanged(task, message);
        }
        edit.count += usize::from(edited);
        self.matched.clear();
        self.conclude_edit(task, "replace_patterns");
        Ok(())
    }

    /// Replaces the matches in one line. False if the agent must stop at this line.
    fn replace_in(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        id: Id,
        (value, once): (&Text, bool),
        found: &mut bool,
        edited: &mut bool,
    ) -> Step<bool> {
        let pattern = task.promise.promiser.clone();
        let path = edit.path.clone();
        let line = edit.lines.text(id).to_owned();
        let new = self.replaced(task, &line, value, once)?;
        *found |= new.found;
        let anchored = pattern.starts_with('^') && pattern.ends_with('$');
        if !anchored
            && self
                .match_part(&pattern, &text::encode(&new.text))
                .is_some()
        {
            let message = format!(
                "Promised replacement '{}' on line '{line}' for pattern '{pattern}' is not convergent while editing '{path}' (regular expression matches the replacement string)",
                new.text
            );
            self.failed(task, message);
            self.say_place(Severity::Error, &task.promise.clone());
            return Ok(false);
        }
        if !self.may_change(task, format!("replace pattern '{pattern}' in '{path}'")) {
            return Ok(true);
        }
        if !new.found {
            return Ok(true);
        }
        edit.lines.set(id, new.text.clone());
        self.changed(task, format!("Replaced pattern '{pattern}' in '{path}'"));
        edit.count += 1;
        *edited = true;
        for _ in 0..2 {
            self.verbose(|| format!("cutoff {}, '{}'", new.cutoff, new.text));
        }
        if once {
            self.say_once();
            return Ok(false);
        }
        if self
            .match_part(&pattern, &text::encode(&new.text))
            .is_some()
        {
            let message = format!(
                "Promised replacement '{0}' for pattern '{pattern}' is not properly convergent while editing '{path}' (pattern still matches the end-state replacement string '{0}', consider use of a negative look ahead)",
                new.text
            );
            self.failed(task, message);
            self.say_place(Severity::Info, &task.promise.clone());
        }
        Ok(true)
    }

    fn say_once(&mut self) {
        self.verbose(|| {
            "Replace first occurrence only (warning, this is not a convergent policy)".into()
        });
    }

    fn replaced(&mut self, task: &Task, line: &str, value: &Text, once: bool) -> Step<Replaced> {
        let pattern = task.promise.promiser.clone();
        let bundle = task.promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let mut new = Replaced {
            text: line.to_owned(),
            cutoff: 1,
            found: false,
        };
        let mut length = 0;
        let mut bytes = text::encode(line).into_owned();
        while let Some((start, end)) = self.match_part(&pattern, &bytes) {
            self.tick()?;
            if length == bytes.len() {
                self.verbose(|| {
                    "Improper convergent expression matches defacto convergence, so accepting"
                        .into()
                });
                break;
            }
            new.cutoff += 1;
            if new.cutoff > MOST + 1 {
                self.verbose(|| "Too many replacements on this line".into());
                break;
            }
            length = end - start;
            let value = self.expand_text(value, home)?;
            let cutoff = new.cutoff;
            self.verbose(|| {
                format!("Verifying replacement of '{pattern}' with '{value}', cutoff {cutoff}")
            });
            drop(bytes.splice(start..end, text::encode(&value).iter().copied()));
            new.found = true;
            if once {
                self.say_once();
                break;
            }
        }
        new.text = text::decode(&bytes).into_owned();
        Ok(new)
    }
}
