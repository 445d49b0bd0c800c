//! `delete_lines`.

use super::super::lines::Id;
use super::super::record::Task;
use super::region::Region;
use super::{Edit, pieces};
use crate::context::Agent;
use crate::log::Severity;
use crate::stop::Step;

impl Agent {
    /// Deletes lines.
    pub(super) fn keep_deletion(&mut self, task: &mut Task, edit: &mut Edit) -> Step<()> {
        let promiser = task.promise.promiser.clone();
        let path = edit.path.clone();
        if promiser.contains('\n') && task.is("not_matching") {
            let message = "Makes no sense to promise multi-line delete with not_matching. Cannot be satisfied for all lines as a block.";
            self.say(Severity::Error, message);
        }
        let mut region = Region::default();
        if task.is("select_region") {
            let Some(found) = self.region(task, edit) else {
                let why = if task.is("include_end_delimiter") || task.is("include_start_delimiter")
                {
                    "this is a good thing, as policy suggests deleting the markers"
                } else {
                    "but the delimiters were expected in the file"
                };
                let message = format!(
                    "The promised line deletion '{promiser}' could not select an edit region in '{path}' ({why})"
                );
                self.fail_edit(task, message);
                return Ok(());
            };
            region = found;
        }
        if self.misses_end(task, (edit, region), "delete") {
            return Ok(());
        }
        if !self.is_new_edit(task, &format!("deleteline-{promiser}-{path}")) {
            return Ok(());
        }
        if self.delete_matching(task, edit, region)? {
            edit.count += 1;
        }
        self.conclude_edit(task, "delete_lines");
        Ok(())
    }

    fn delete_matching(&mut self, task: &mut Task, edit: &mut Edit, region: Region) -> Step<bool> {
        let chunk = pieces(&task.promise.promiser);
        let mut at = match region.begin {
            None => edit.lines.first(),
            Some(begin) if task.is("include_start_delimiter") => Some(begin),
            Some(begin) => edit.lines.next(begin),
        };
        let end = match region.end {
            Some(end) if task.is("include_end_delimiter") => edit.lines.next(end),
            end => end,
        };
        let (mut edited, mut noted) = (false, false);
        while let Some(id) = at.filter(|_| at != end) {
            self.tick()?;
            let mut count = self.match_lines(&chunk, &edit.lines, Some(id), end, true);
            if task.is("not_matching") {
                count = usize::from(count == 0);
            }
            if count > 0 {
                self.verbose(|| {
                    format!("Multi-line region ({count} lines) matched text in the file")
                });
            }
            at = edit.lines.next(id);
            let text = edit.lines.text(id).to_owned();
            if !self.selects_line(task, "delete", &text) || count == 0 {
                continue;
            }
            self.verbose(|| format!("Delete chunk of {count} lines"));
            noted = true;
            if self.may_change(task, format!("delete line '{text}' from {}", edit.path)) {
                at = self.delete_chunk(task, edit, id, count);
                edited = true;
            }
        }
        if !noted {
            let message = format!("No need to delete lines from {}, ok", edit.path);
            self.unchanged(task, message);
        }
        Ok(edited)
    }

    /// Deletes a number of lines; returns the line after them.
    fn delete_chunk(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        from: Id,
        count: usize,
    ) -> Option<Id> {
        let mut at = Some(from);
        for number in 1..=count {
            let id = at?;
            let message = format!(
                "Deleted the promised line {number} '{}' from {}",
                edit.lines.text(id),
                edit.path
            );
            self.changed(task, message);
            at = edit.lines.next(id);
            edit.lines.remove(id);
            edit.count += 1;
        }
        at
    }
}
