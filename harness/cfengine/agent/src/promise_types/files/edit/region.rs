//! `select_region`, and the lines that a promise selects.

use super::super::lines::{Id, Lines};
use super::super::record::Task;
use super::Edit;
use crate::context::Agent;
use crate::value::Text;
use cfengine_policy::text;

/// The lines from `begin` up to `end`, which is excluded.
#[derive(Clone, Copy, Default)]
pub(super) struct Region {
    pub(super) begin: Option<Id>,
    pub(super) end: Option<Id>,
}

impl Agent {
    /// The region that a promise selects; `None` if it is not found.
    pub(super) fn region(&mut self, task: &Task, edit: &Edit) -> Option<Region> {
        let start = task.text("select_start").map(str::to_owned);
        let stop = task.text("select_end").map(str::to_owned);
        let mut region = Region::default();
        let path = &edit.path;
        for id in edit.lines.between(edit.lines.first(), None) {
            let text = edit.lines.text(id);
            if let Some(pattern) = &start
                && region.begin.is_none()
                && self.match_whole(pattern, text)
            {
                if !task.is("include_start_delimiter") && edit.lines.next(id).is_none() {
                    self.verbose(|| {
                        format!(
                            "The promised start pattern '{pattern}' found an empty region at the end of file '{path}'"
                        )
                    });
                    return None;
                }
                region.begin = Some(id);
                continue;
            }
            if let Some(pattern) = &stop
                && region.begin.is_some()
                && self.match_whole(pattern, text)
            {
                region.end = Some(id);
                break;
            }
        }
        if let Some(pattern) = &start
            && region.begin.is_none()
        {
            self.verbose(|| {
                format!(
                    "The promised start pattern '{pattern}' was not found when selecting edit region in '{path}'"
                )
            });
            return None;
        }
        Some(region)
    }

    /// Whether a region lacks a required end.
    pub(super) fn misses_end(
        &mut self,
        task: &mut Task,
        (edit, region): (&Edit, Region),
        purpose: &str,
    ) -> bool {
        let to_the_end = match task.text("select_end_match_eof") {
            Some(text) => text == "true",
            None => self.voice.control.files.regions_to_the_end,
        };
        let Some(end) = task.text("select_end").map(str::to_owned) else {
            return false;
        };
        let misses = region.end.is_none() && !to_the_end;
        if misses {
            let message = format!(
                "The promised end pattern '{end}' was not found when selecting region to {purpose} in '{}'",
                edit.path
            );
            self.fail_edit(task, message);
        }
        misses
    }

    /// The number of lines that match a chunk, which is all of the chunk or none.
    pub(super) fn match_lines(
        &mut self,
        chunk: &[String],
        lines: &Lines,
        from: Option<Id>,
        end: Option<Id>,
        patterns: bool,
    ) -> usize {
        let mut at = from;
        for (number, piece) in chunk.iter().enumerate() {
            let Some(id) = at else {
                return 0;
            };
            let text = lines.text(id);
            let fits = if patterns {
                self.match_whole(piece, text)
            } else {
                piece == text
            };
            if !fits || Some(id) == end {
                return 0;
            }
            let next = lines.next(id);
            if next.is_none() && number + 1 < chunk.len() {
                return 0;
            }
            at = next;
        }
        chunk.len()
    }

    /// Whether `insert_select` or `delete_select` selects a line.
    pub(super) fn selects_line(&mut self, task: &Task, verb: &str, line: &str) -> bool {
        let kinds = ["startwith", "match", "contains"];
        for kind in kinds {
            for not in ["", "not_"] {
                let name = format!("{verb}_if_{not}{kind}_from_list");
                if task.promise.get(&name).is_none() {
                    continue;
                }
                let items = task.promise.texts(&name);
                let found = items.iter().any(|item| self.line_fits(kind, item, line));
                return found == not.is_empty();
            }
        }
        true
    }

    fn line_fits(&mut self, kind: &str, item: &Text, line: &str) -> bool {
        match kind {
            "startwith" => line.starts_with(&**item),
            "match" => self.match_whole(item, line),
            _ => self.match_part(item, &text::encode(line)).is_some(),
        }
    }
}
