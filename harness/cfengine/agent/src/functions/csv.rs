//! Functions that read comma-separated values.

use super::{Done, arg, is_true};
use crate::context::Agent;
use crate::data::Data;
use crate::log::Severity;
use crate::scan;
use crate::value::{Text, Value};
use std::io::ErrorKind;

fn give(data: Data) -> Done {
    Ok(Some(Value::data(data)))
}

/// Parses lines into an array of arrays of texts; malformed lines are left out.
pub(super) fn table(lines: &[&str]) -> Data {
    let rows = lines.iter().filter_map(|line| fields(line));
    let rows = rows.map(|fields| Data::Array(fields.into_iter().map(Data::text).collect()));
    Data::Array(rows.collect())
}

/// Splits at CR LF outside of quotes. Text after a zero byte is ignored.
pub(super) fn lines(content: &str) -> impl Iterator<Item = &str> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let mut quoted = false;
        let bytes = rest.as_bytes();
        let end = bytes.iter().enumerate().position(|(at, byte)| {
            quoted ^= *byte == b'"';
            !quoted && *byte == b'\n' && at > 0 && bytes[at - 1] == b'\r'
        });
        let (line, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        rest = behind;
        (!line.is_empty()).then(|| scan::until_zero(line))
    })
}

/// The fields of a line that includes its line end; `None` if it is malformed. Blanks around quotes
/// are ignored, other blanks are kept.
fn fields(line: &str) -> Option<Vec<String>> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let inner = rest.trim_start_matches(blank);
        let Some(quoted) = inner.strip_prefix('"') else {
            let end = rest.find(',').unwrap_or(rest.len());
            let field = &rest[..end];
            if field.contains('"') {
                // The parser does not look beyond the last byte.
                return None;
            }
            if end < rest.len() {
                fields.push(field.to_owned());
                rest = &rest[end + 1..];
                continue;
            }
            fields.push(field.strip_suffix("\r\n").unwrap_or(field).to_owned());
            return Some(fields);
        };
        let mut field = String::new();
        let mut behind = quoted;
        loop {
            let (part, after) = behind.split_once('"')?;
            field.push_str(part);
            behind = after;
            match behind.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    behind = after;
                }
                None => break,
            }
        }
        fields.push(field);
        behind = behind.trim_start_matches(blank);
        rest = match behind.strip_prefix(',') {
            Some(rest) => rest,
            None if behind.is_empty() => return Some(fields),
            None => return None,
        };
    }
}

/// `classfiltercsv(path, heading, class_column, sort_column)`: keeps the lines whose class is set.
pub(super) fn classfiltercsv(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    // cf-agent converts a negative number to a very large unsigned one.
    let mut column = |at| agent.int_or_none(arg(arguments, at)) as usize;
    let class = column(2);
    let order = (arguments.len() > 3).then(|| column(3));
    let content = match agent.read_bytes(path) {
        Ok(content) => cfengine_policy::text::decode(&content).into_owned(),
        // Opening a directory works; it has no lines.
        Err(error) if error.kind() == ErrorKind::IsADirectory => String::new(),
        Err(error) => {
            let reason = crate::machine::reason(&error);
            agent.complain(format!("{name}: Failed to read file {path}: {reason}"));
            return Ok(None);
        }
    };
    let has_heading = is_true(arguments, 1);
    let mut heading: Option<Vec<String>> = None;
    let mut width = 0;
    let mut kept: Vec<Vec<String>> = Vec::new();
    for (at, line) in lines(&content).enumerate() {
        if line.starts_with('#') {
            continue;
        }
        let Some(mut fields) = fields(line) else {
            let number = at + 1;
            let message = format!("{name}: Failed to parse line {number}, line ignored.");
            agent.say(Severity::Warning, message);
            continue;
        };
        if fields == [""] {
            continue;
        }
        if width == 0 {
            width = fields.len();
            if class >= width {
                agent.complain(format!(
                    "{name}: Class expression index is out of bounds. Row length {width}, index {class}"
                ));
                return Ok(None);
            }
        } else if fields.len() != width {
            let message = format!(
                "{name}: Line {} has incorrect amount of elements, {} instead of {width}. Line ignored.",
                at + 1,
                fields.len()
            );
            agent.say(Severity::Warning, message);
            continue;
        }
        let condition = Text::from(fields.remove(class));
        if has_heading && heading.is_none() {
            heading = Some(fields);
        } else if agent.is_defined(&condition) {
            kept.push(fields);
        }
    }
    if let Some(order) = order {
        sort(agent, name, &mut kept, order, (class, width));
    }
    let key = |at: usize| match &heading {
        Some(names) => Text::from(&*names[at]),
        None => at.to_string().into(),
    };
    let objects = kept.into_iter().map(|fields| {
        let fields = fields.into_iter().enumerate();
        Data::Object(
            fields
                .map(|(at, field)| (key(at), Data::text(field)))
                .collect(),
        )
    });
    give(Data::Array(objects.collect()))
}

fn sort(
    agent: &mut Agent,
    name: &str,
    rows: &mut [Vec<String>],
    by: usize,
    (class, width): (usize, usize),
) {
    if by == class {
        let message = format!(
            "{name}: sorting column ({by}) is the same as class expression column ({class}). Not sorting data container."
        );
        agent.say(Severity::Warning, message);
    } else if by >= width {
        let message =
            format!("{name}: sorting index {by} out of bounds. Not sorting data container.");
        agent.say(Severity::Warning, message);
    } else {
        // The class column is already removed.
        let by = if by > class { by - 1 } else { by };
        rows.sort_by(|a, b| a[by].cmp(&b[by]));
    }
}
