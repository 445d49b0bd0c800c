//! Inserts one line.

use super::super::record::Task;
use super::Edit;
use super::insert::{Place, Sort, goes_before};
use crate::context::Agent;

impl Agent {
    pub(super) fn insert_line(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        place: Place,
        line: &str,
    ) -> bool {
        let path = edit.path.clone();
        let before = goes_before(task);
        if before && place.before.is_none() {
            return self.insert_at_start(task, edit, line);
        }
        let policy = task.promise.texts("whitespace_policy");
        let neighbour = place.at.and_then(|at| {
            if before {
                edit.lines.before(at)
            } else {
                edit.lines.next(at)
            }
        });
        let side = if before { "before" } else { "after" };
        let there = !Sort::of(task).is_block()
            && neighbour.is_some_and(|id| self.is_same_line(line, edit.lines.text(id), &policy));
        if there {
            let message = format!("Promised line '{line}' exists {side} locator in '{path}'");
            self.unchanged(task, message);
            return false;
        }
        if self.may_change(
            task,
            format!("insert line '{line}' into '{path}' {side} locator"),
        ) {
            let behind = if before { place.before } else { place.at };
            edit.lines.insert(behind, line);
            edit.count += 1;
            let message =
                format!("Inserted the promised line '{line}' into '{path}' {side} locator");
            self.changed(task, message);
        }
        true
    }

    fn insert_at_start(&mut self, task: &mut Task, edit: &mut Edit, line: &str) -> bool {
        let path = edit.path.clone();
        let (what, done) = match edit.lines.first() {
            None => (
                format!("insert promised line '{line}' into '{path}'"),
                format!("Inserted the promised line '{line}' into '{path}'"),
            ),
            Some(first) if edit.lines.text(first) == line => {
                let message = format!("Promised line '{line}' exists at start of file '{path}'");
                self.unchanged(task, message);
                return false;
            }
            Some(_) => (
                format!("prepend promised line '{line}' to '{path}'"),
                format!("Prepended the promised line '{line}' to {path}"),
            ),
        };
        if self.may_change(task, what) {
            edit.lines.prepend(line);
            edit.count += 1;
            self.changed(task, done);
        }
        true
    }
}
