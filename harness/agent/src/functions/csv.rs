//! Functions that read comma-separated values.

use super::{Done, arg};
use crate::context::Agent;
use crate::data::Data;
use crate::log::Level;
use crate::number;
use crate::value::{Text, Value};

fn give(data: Data) -> Done {
    Ok(Some(Value::data(data)))
}

/// `readcsv(path)`
pub(super) fn readcsv(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let Some(content) = agent.read_text(arg(arguments, 0)) else {
        return Ok(None);
    };
    give(Data::Array(rows(&content).map(array).collect()))
}

fn array(fields: Vec<String>) -> Data {
    Data::Array(fields.into_iter().map(Data::text).collect())
}

fn rows(content: &str) -> impl Iterator<Item = Vec<String>> {
    let lines = content.lines();
    lines.map(|line| fields(line.strip_suffix('\r').unwrap_or(line)))
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

/// `classfiltercsv(path, heading, class_column, sort_column)`: the lines whose
/// class is set.
pub(super) fn classfiltercsv(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let content = match agent.read_bytes(path) {
        Ok(content) => stickler_policy::text::decode(&content).into_owned(),
        Err(error) => {
            let reason = crate::machine::reason(&error);
            agent.complain(format!("{name}: Failed to read file {path}: {reason}"));
            return Ok(None);
        }
    };
    let has_heading = matches!(arg(arguments, 1), "true" | "yes" | "on");
    let column = |at| number::int(arg(arguments, at)).and_then(|n| usize::try_from(n).ok());
    let class = column(2).unwrap_or(usize::MAX);
    let mut heading: Option<Vec<String>> = None;
    let mut width = 0;
    let mut kept: Vec<Vec<String>> = Vec::new();
    for (at, line) in content.lines().enumerate() {
        let mut fields = fields(line.strip_suffix('\r').unwrap_or(line));
        if line.starts_with('#') || fields == [""] {
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
            agent.say(Level::Warning, message);
            continue;
        }
        let condition = Text::from(fields.remove(class));
        if has_heading && heading.is_none() {
            heading = Some(fields);
        } else if agent.is_defined(&condition) {
            kept.push(fields);
        }
    }
    if arguments.len() > 3 {
        sort(
            agent,
            name,
            &mut kept,
            column(3).unwrap_or(usize::MAX),
            (class, width),
        );
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
        agent.say(Level::Warning, message);
    } else if by >= width {
        let message =
            format!("{name}: sorting index {by} out of bounds. Not sorting data container.");
        agent.say(Level::Warning, message);
    } else {
        // The class's column is gone.
        let by = if by > class { by - 1 } else { by };
        rows.sort_by(|a, b| a[by].cmp(&b[by]));
    }
}
