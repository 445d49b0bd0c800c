//! `field_edits`: edits lines as fields, and fields as lists.

use super::super::record::Task;
use super::Edit;
use crate::context::Agent;
use crate::stop::Step;
use cfengine_policy::text;

/// Splits a text at a separator. A backslash escapes the separator.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek() == Some(&separator) {
            part.push(separator);
            chars.next();
        } else if c == separator {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Joins the parts as cf-agent shows lists: quotes get a backslash.
fn put_together(parts: &[String], between: &str) -> String {
    let parts = parts.iter().map(|part| part.replace('"', "\\\""));
    parts.collect::<Vec<_>>().join(between)
}

impl Agent {
    /// Edits fields of lines.
    pub(super) fn keep_fields(&mut self, task: &mut Task, edit: &mut Edit) -> Step<()> {
        let promiser = task.promise.promiser.clone();
        let path = edit.path.clone();
        let column = task.promise.int("select_field").map(|number| {
            let from_zero = task.is("start_fields_from_zero");
            number + i64::from(from_zero)
        });
        let column = column.and_then(|number| usize::try_from(number).ok());
        let missing = if task.promise.get("field_separator").is_none() {
            Some(format!(
                "No field_separator in promise to edit by column for '{promiser}'"
            ))
        } else if column.unwrap_or(0) == 0 {
            Some(format!("No select_field in promise to edit '{promiser}'"))
        } else if task.promise.get("field_value").is_none() {
            Some(format!(
                "No field_value is promised to column_edit '{promiser}'"
            ))
        } else {
            None
        };
        if let Some(message) = missing {
            self.fail_edit(task, message);
            self.say_place(crate::log::Severity::Error, &task.promise.clone());
            return Ok(());
        }
        let (mut begin, mut end) = (edit.lines.first(), None);
        if task.is("select_region") {
            let Some(region) = self.region(task, edit) else {
                let message = format!(
                    "The promised column edit '{promiser}' could not select an edit region in '{path}'"
                );
                self.fail_edit(task, message);
                return Ok(());
            };
            (begin, end) = (region.begin, region.end);
        }
        if !self.is_new_edit(task, &format!("column-{promiser}-{path}")) {
            return Ok(());
        }
        let ids = edit.lines.between(begin, end);
        if self.edit_fields(task, edit, &ids, column.unwrap_or(1))? {
            edit.count += 1;
        }
        self.conclude_edit(task, "fields_edit");
        Ok(())
    }

    fn edit_fields(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        ids: &[usize],
        column: usize,
    ) -> Step<bool> {
        let promiser = task.promise.promiser.clone();
        if !self.compiles(&promiser) {
            return Ok(false);
        }
        let separator = task.text("field_separator").unwrap_or_default().to_owned();
        let (mut found, mut edited) = (false, false);
        for id in ids {
            self.tick()?;
            let line = edit.lines.text(*id).to_owned();
            if !self.match_whole(&promiser, &line) {
                continue;
            }
            found = true;
            self.verbose(|| format!("Matched line '{line}'"));
            let bytes = text::encode(&line);
            let Some((start, end)) = self.match_part(&separator, &bytes) else {
                let message = format!(
                    "Field edit, no fields found by promised pattern '{separator}' in '{}'",
                    edit.path
                );
                self.failed(task, message);
                return Ok(false);
            };
            let between = text::decode(&bytes[start..end]).into_owned();
            let mut fields = self.fields(&line, &separator, task.is("allow_blank_fields"));
            edited = self.edit_field(task, edit, &mut fields, column);
            if edited {
                edit.lines.set(*id, put_together(&fields, &between));
            }
        }
        if !found {
            let message = format!(
                "No matched line to edit fields of for pattern '{promiser}' in '{}'",
                edit.path
            );
            self.failed(task, message);
        }
        Ok(edited)
    }

    fn fields(&mut self, line: &str, separator: &str, blanks: bool) -> Vec<String> {
        let mut fields = Vec::new();
        let bytes = text::encode(line);
        let mut rest = &*bytes;
        while let Some((start, end)) = self.patterns.find(separator, rest) {
            if end == 0 {
                break;
            }
            if blanks || start > 0 {
                fields.push(text::decode(&rest[..start]).into_owned());
            }
            rest = &rest[end..];
        }
        if !rest.is_empty() || (blanks && rest.len() < bytes.len()) {
            fields.push(text::decode(rest).into_owned());
        }
        fields
    }

    fn edit_field(
        &mut self,
        task: &mut Task,
        edit: &mut Edit,
        fields: &mut Vec<String>,
        column: usize,
    ) -> bool {
        let path = edit.path.clone();
        let count = fields.len();
        if column <= count {
            self.verbose(|| format!("Stopped at field {column}"));
        } else if task.is("extend_fields") && column < 100_000 {
            fields.resize(column, String::new());
            self.verbose(|| format!("Stopped at column/field {column}"));
        } else {
            let message = format!(
                "The file {path} has only {count} fields, but there is a promise for field {column}"
            );
            self.failed(task, message);
            return false;
        }
        let field = &mut fields[column - 1];
        let value = task.text("field_value").unwrap_or_default().to_owned();
        let separator = task.text("value_separator").and_then(|t| t.chars().next());
        if let Some(separator) = separator {
            if !self.may_change(task, format!("edit field '{value}' in '{path}'")) {
                return false;
            }
            let mut values = split(field, separator);
            let edited = self.edit_values(task, &path, &mut values, &value);
            if edited {
                edit.count += 1;
                *field = put_together(&values, &separator.to_string());
            }
            return edited;
        }
        if task.text("field_operation") == Some("delete") {
            if !self.may_change(task, format!("delete field value '{field}' in '{path}'")) {
                return false;
            }
            field.clear();
            self.changed(task, format!("Deleted column field value '' in '{path}'"));
        } else {
            let what = format!("set column field value '{field}' to '{value}' in '{path}'");
            if !self.may_change(task, what) {
                return false;
            }
            let message =
                format!("Set whole column field value '{field}' to '{value}' in '{path}'");
            self.changed(task, message);
            *field = value;
        }
        edit.count += 1;
        true
    }

    /// Edits a field that is a list. True if the field changed.
    fn edit_values(
        &mut self,
        task: &mut Task,
        path: &str,
        values: &mut Vec<String>,
        value: &str,
    ) -> bool {
        let there = values.iter().any(|known| known == value);
        let already = format!("Field sub-value '{value}' already present in '{path}'");
        match task.text("field_operation") {
            Some("delete") => {
                for _ in values.iter().filter(|known| *known == value) {
                    let message = format!("Deleted column field sub-value '{value}' in '{path}'");
                    self.changed(task, message);
                }
                values.retain(|known| known != value);
                there
            }
            Some("set") => {
                if matches!(&values[..], [only] if only == value) {
                    self.unchanged(task, "Field sub-value set as promised");
                    return false;
                }
                if values.is_empty() && value.is_empty() {
                    self.unchanged(task, "Empty field sub-value set as promised");
                    return false;
                }
                self.changed(task, format!("Set field sub-value '{value}' in '{path}'"));
                *values = vec![value.to_owned()];
                true
            }
            Some("alphanum") => {
                if there {
                    self.unchanged(task, already);
                } else {
                    values.insert(0, value.to_owned());
                    let message = format!("Inserted field sub-value '{value}' in '{path}'");
                    self.changed(task, message);
                }
                values.sort();
                !there
            }
            _ if there => {
                self.unchanged(task, already);
                false
            }
            Some("prepend") => {
                values.insert(0, value.to_owned());
                let message = format!("Prepended field sub-value '{value}' in '{path}'");
                self.changed(task, message);
                true
            }
            _ => {
                values.push(value.to_owned());
                let message = format!("Appended field sub-value '{value}' in '{path}'");
                self.changed(task, message);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn fields_are_split_at_separators() {
        assert_eq!(split("a,b\\,c,", ','), ["a", "b,c"]);
        assert!(split("", ',').is_empty());
    }
}
