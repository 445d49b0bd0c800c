//! `insert_lines`.

use super::super::lines::Id;
use super::super::path::os;
use super::super::record::Task;
use super::region::Region;
use super::{Edit, pieces};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::promise::Expanded;
use crate::scan;
use crate::stop::Step;
use crate::value::Text;
use cfengine_policy::text;
use std::fs;
use std::rc::Rc;

/// The place of an insertion: a line, and the line before it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Option<Id>,
    pub(super) before: Option<Id>,
}

impl Place {
    /// Advances to the next line.
    fn advance(&mut self, edit: &Edit, from_start: bool) {
        self.before = edit.lines.behind(self.before);
        self.at = match self.at {
            None if !from_start => None,
            at => edit.lines.behind(at),
        };
    }
}

/// The type of an insertion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Only missing lines are inserted.
    Literal,
    /// The lines are inserted as a block, even if single lines exist.
    Block,
    /// The lines are inserted even if the whole block exists.
    AllLines,
    /// The missing lines of a file.
    File,
    /// The lines of a file, as a block.
    FileBlock,
}

impl Sort {
    pub(super) fn of(task: &Task) -> Self {
        match task.text("insert_type") {
            Some("preserve_block") => Self::Block,
            Some("preserve_all_lines") => Self::AllLines,
            Some("file") => Self::File,
            Some("file_preserve_block") => Self::FileBlock,
            _ => Self::Literal,
        }
    }

    pub(super) fn is_block(self) -> bool {
        matches!(self, Self::Block | Self::AllLines | Self::FileBlock)
    }
}

pub(super) fn goes_before(task: &Task) -> bool {
    task.text("before_after") == Some("before")
}

impl Agent {
    /// Inserts lines.
    pub(super) fn keep_insertion(&mut self, task: &mut Task, edit: &mut Edit) -> Step<()> {
        let promiser = task.promise.promiser.clone();
        let path = edit.path.clone();
        if !self.is_sane_insertion(task) {
            let message =
                format!("The promised line insertion '{promiser}' breaks its own promises");
            self.fail_edit(task, message);
            return Ok(());
        }
        let mut region = Region {
            begin: edit.lines.first(),
            end: None,
        };
        if task.is("select_region") {
            let Some(found) = self.region(task, edit) else {
                let message = format!(
                    "The promised line insertion '{promiser}' could not select an edit region in '{path}'"
                );
                self.fail_edit(task, message);
                return Ok(());
            };
            region = found;
        }
        if self.misses_end(task, (edit, region), "insert") {
            return Ok(());
        }
        let mut salt = format!("insertline-{promiser}-{path}");
        if Sort::of(task) == Sort::AllLines {
            salt = format!("{salt}-{}", task.promise.written.line);
        }
        if !self.is_new_edit(task, &salt) {
            return Ok(());
        }
        let inserted = match task.text("select_line_matching").map(str::to_owned) {
            None => self.insert_in_region(task, edit, region)?,
            Some(pattern) => {
                let Some(place) = self.locate_line(task, edit, region, &pattern) else {
                    let message = format!(
                        "The promised line insertion '{promiser}' could not select a locator matching regex '{pattern}' in '{path}'"
                    );
                    self.fail_edit(task, message);
                    return Ok(());
                };
                self.insert_at(task, edit, region, place)?
            }
        };
        edit.count += usize::from(inserted);
        self.conclude_edit(task, "insert_lines");
        Ok(())
    }

    /// Warns if two insertions refer to the same line.
    pub(crate) fn check_anchor(&mut self, promise: &Rc<Expanded>) {
        if &*promise.written.kind != "insert_lines" {
            return;
        }
        let Some(anchor) = promise.text("select_line_matching") else {
            return;
        };
        if scan::is_expandable(anchor) {
            return;
        }
        let key = (promise.bundle.name.clone(), anchor.clone());
        if !self.anchors.insert(key) {
            let message = format!(
                "insert_lines promise uses the same select_line_matching anchor '{anchor}' as another promise. This will lead to non-convergent behaviour unless 'empty_file_before_editing' is set"
            );
            self.say(Severity::Info, message);
            self.say_place(Severity::Info, promise);
        }
    }

    fn is_sane_insertion(&mut self, task: &Task) -> bool {
        let given = |name: &str| {
            let name = format!("insert_if_{name}_from_list");
            usize::from(task.promise.get(&name).is_some())
        };
        let with = given("startwith") + given("match") + given("contains");
        let without = given("not_startwith") + given("not_match") + given("not_contains");
        let policy = task.promise.texts("whitespace_policy");
        let exact = policy.iter().any(|option| &**option == "exact_match");
        let ignores = policy.iter().filter(|option| &***option != "exact_match");
        let mut wrong = Vec::new();
        if without > 1 {
            wrong.push("Line insertion selection promise is meaningless - the alternatives are mutually exclusive (only one is allowed)");
        }
        if with > 0 && without > 0 {
            wrong.push("Line insertion selection promise is meaningless - cannot mix positive and negative constraints");
        }
        for _ in ignores.clone() {
            if Sort::of(task) == Sort::Block {
                wrong.push("Line insertion should not use whitespace policy with preserve_block");
            }
        }
        if exact && ignores.count() > 0 {
            wrong.push("Line insertion selection promise is meaningless - cannot mix exact_match with other ignore whitespace options");
        }
        for message in &wrong {
            self.say(Severity::Error, message);
        }
        wrong.is_empty()
    }

    /// The first or last line in a region that matches a pattern.
    fn locate_line(
        &mut self,
        task: &Task,
        edit: &Edit,
        region: Region,
        pattern: &str,
    ) -> Option<Place> {
        let first = task.text("first_last") == Some("first");
        let mut found = None;
        for id in edit.lines.between(region.begin, region.end) {
            if self.match_whole(pattern, edit.lines.text(id)) {
                found = Some(id);
                if first {
                    break;
                }
            }
        }
        let at = found?;
        Some(Place {
            at: Some(at),
            before: edit.lines.before(at),
        })
    }

    fn insert_in_region(&mut self, task: &mut Task, edit: &mut Edit, region: Region) -> Step<bool> {
        let mut place = Place {
            at: edit.lines.first(),
            before: None,
        };
        if place.at.is_none() {
            return self.insert_at(task, edit, region, place);
        }
        place.at = region.begin;
        if goes_before(task) {
            return match place.at {
                Some(_) => self.insert_at(task, edit, region, place),
                None => Ok(false),
            };
        }
        let chunk = pieces(&task.promise.promiser);
        let all = Sort::of(task) == Sort::AllLines;
        while let Some(id) = place.at {
            self.tick()?;
            if !all && self.match_lines(&chunk, &edit.lines, Some(id), region.end, false) > 0 {
                let message = format!(
                    "Promised chunk '{}' exists within selected region of {}",
                    task.promise.promiser, edit.path
                );
                self.unchanged(task, message);
                return Ok(false);
            }
            let next = edit.lines.next(id);
            if next.is_none() || next == region.end {
                return self.insert_at(task, edit, region, place);
            }
            place = Place {
                at: next,
                before: Some(id),
            };
        }
        Ok(false)
    }

    fn insert_at(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        region: Region,
        place: Place,
    ) -> Step<bool> {
        if matches!(Sort::of(task), Sort::File | Sort::FileBlock) {
            return self.insert_file(task, edit, region, place);
        }
        let chunk = task.promise.promiser.clone();
        self.insert_chunk(task, edit, region, place, &chunk)
    }

    fn insert_file(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        region: Region,
        mut place: Place,
    ) -> Step<bool> {
        let source = task.promise.promiser.clone();
        if fs::metadata(os(&source)).is_ok_and(|meta| meta.is_dir()) {
            let message = format!("Could not insert lines from a directory '{source}'");
            self.failed(task, message);
            return Ok(false);
        }
        let content = match self.read(&source) {
            Ok(content) => content,
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Could not read file '{source}'. (fopen: {reason})");
                self.failed(task, message);
                return Ok(false);
            }
        };
        let content = text::decode(&content).into_owned();
        let bundle = task.promise.bundle.clone();
        let home = (Some(&*bundle.namespace), Some(&*bundle.name));
        let mut inserted = false;
        for line in scan::lines(&content) {
            let mut line = Text::from(line);
            if task.is("expand_scalars") {
                line = self.expand_text(&line, home)?;
            }
            if !self.selects_line(task, "insert", &line) {
                continue;
            }
            if Sort::of(task) == Sort::File && self.is_in_region(task, edit, region, &line) {
                let message = format!(
                    "Promised file line '{line}' exists within file '{}'",
                    edit.path
                );
                self.unchanged(task, message);
                continue;
            }
            inserted |= self.insert_chunk(task, edit, region, place, &line)?;
            place.advance(edit, false);
        }
        Ok(inserted)
    }

    fn is_in_region(&mut self, task: &Task, edit: &Edit, region: Region, line: &str) -> bool {
        let policy = task.promise.texts("whitespace_policy");
        let mut lines = edit.lines.between(region.begin, region.end).into_iter();
        lines.any(|id| self.is_same_line(line, edit.lines.text(id), &policy))
    }

    fn insert_chunk(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        region: Region,
        mut place: Place,
        chunk: &Text,
    ) -> Step<bool> {
        let sort = Sort::of(task);
        let chunk = pieces(chunk);
        let promiser = task.promise.promiser.clone();
        if sort != Sort::AllLines
            && self.match_lines(&chunk, &edit.lines, place.at, None, false) > 0
        {
            let message = format!(
                "Promised chunk '{promiser}' exists within selected region of {} (promise kept)",
                edit.path
            );
            self.unchanged(task, message);
            return Ok(false);
        }
        let mut inserted = false;
        for piece in chunk {
            self.tick()?;
            if !self.selects_line(task, "insert", &piece) {
                continue;
            }
            if !sort.is_block() && self.is_in_region(task, edit, region, &piece) {
                let message = format!(
                    "Promised chunk '{promiser}' exists within selected region of '{}'",
                    edit.path
                );
                self.unchanged(task, message);
                continue;
            }
            inserted |= self.insert_line(task, edit, place, &piece);
            if sort.is_block() && goes_before(task) && place.at.is_none() && place.before.is_none()
            {
                place.at = edit.lines.first();
            }
            place.advance(edit, true);
        }
        Ok(inserted)
    }
}
