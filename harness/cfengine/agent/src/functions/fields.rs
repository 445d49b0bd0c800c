//! Functions that split files and texts into lines and fields.

use super::{Done, arg, list, string};
use crate::context::{Agent, Variable};
use crate::data::Data;
use crate::log::Severity;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Kind, Text, Value};
use cfengine_policy::text;
use std::io::ErrorKind;
use std::rc::Rc;

/// The most fields that a line may have.
const MOST_FIELDS: usize = 99_999;

impl Agent {
    /// A file's content without comments, for the functions that read lists and arrays.
    pub(super) fn read_fields(
        &mut self,
        path: &str,
        most: &str,
        comment: &str,
    ) -> Step<Option<String>> {
        let most = self.int(most).unwrap_or(0);
        match self.read_limited(path, most) {
            Some(content) => self.strip(content, comment, path).map(Some),
            None => Ok(None),
        }
    }

    /// Removes every match of a pattern.
    pub(super) fn strip(&mut self, text: String, comment: &str, place: &str) -> Step<String> {
        if comment.is_empty() || !self.compiles(comment) {
            return Ok(text);
        }
        let mut bytes = text::encode(&text).into_owned();
        while let Some((start, end)) = self.patterns.find(comment, &bytes) {
            if start == end {
                let message =
                    format!("Comment regex '{comment}' matched empty string in '{place}'");
                self.say(Severity::Warning, message);
                break;
            }
            self.tick()?;
            bytes.drain(start..end);
        }
        Ok(text::decode(&bytes).into_owned())
    }

    /// Splits a text where a pattern matches.
    pub(super) fn cut(
        &mut self,
        text: &str,
        pattern: &str,
        most: usize,
        blanks: bool,
    ) -> Step<Vec<Text>> {
        let mut parts: Vec<Text> = Vec::new();
        let bytes = text::encode(text);
        let mut rest = &*bytes;
        self.compiles(pattern);
        while parts.len() < most
            && let Some((start, end)) = self.patterns.find(pattern, rest).filter(|m| m.1 > 0)
        {
            self.tick()?;
            if blanks || start > 0 {
                parts.push(text::decode(&rest[..start]).into());
            }
            rest = &rest[end..];
        }
        if parts.len() < most && (!rest.is_empty() || (blanks && rest.len() < bytes.len())) {
            parts.push(text::decode(rest).into());
        }
        Ok(parts)
    }

    /// The most parts that are kept. A negative number, or text that is no number, means no limit.
    pub(super) fn entries(&mut self, most: &str) -> usize {
        let most = self.int_or_none(most);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// The fields of each non-empty line.
    fn rows(&mut self, content: &str, pattern: &str, most: &str) -> Step<Vec<Vec<Text>>> {
        let most = usize::try_from(self.int(most).unwrap_or(0)).unwrap_or(0);
        let mut rows = Vec::new();
        for line in content.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if rows.len() >= most {
                break;
            }
            if !line.is_empty() {
                rows.push(self.cut(line, pattern, MOST_FIELDS, true)?);
            }
        }
        Ok(rows)
    }

    /// Sets the variable that a text names.
    fn put_element(&mut self, name: &str, kind: Kind, text: Text, tag: &str) -> Step<()> {
        let reference = self.name_of(name);
        let tags = vec!["source=function".into(), format!("function={tag}").into()];
        let variable = Variable {
            kind,
            value: Value::Scalar(text),
            tags: Rc::new(tags),
            comment: None,
            promise: None,
        };
        self.put(&reference, variable)?;
        Ok(())
    }
}

/// `readstringlist(path, comment, separator, entries, size)` and related functions.
pub(super) fn read_list(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let most = agent.entries(arg(arguments, 3));
    let content = agent.read_fields(path, arg(arguments, 4), arg(arguments, 1))?;
    let Some(content) = content else {
        agent.verbose(|| format!("Function '{name}' failed to read file: {path}"));
        return Ok(None);
    };
    let items = agent.cut(&content, arg(arguments, 2), most, false)?;
    let kind = match name {
        "readintlist" => "int",
        "readreallist" => "real",
        _ => return list(items),
    };
    let mut all_fit = true;
    for item in &items {
        let fits = match kind {
            "int" => agent.int(item).is_some(),
            _ => agent.real(item).is_some(),
        };
        if !fits {
            agent.complain(format!(
                "Presumed {kind} value '{item}' read from file '{path}' has no recognizable value"
            ));
        }
        all_fit &= fits;
    }
    if all_fit { list(items) } else { Ok(None) }
}

/// `readstringarray(array, path, comment, separator, entries, size)` and related functions;
/// `parsestringarray` takes a text instead of a path.
pub(super) fn read_array(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (array, from, comment) = (arg(arguments, 0), arg(arguments, 1), arg(arguments, 2));
    let content = if name.starts_with("read") {
        agent.read_fields(from, arg(arguments, 5), comment)?
    } else {
        let most = usize::try_from(agent.int(arg(arguments, 5)).unwrap_or(0)).unwrap_or(0);
        let most = (0..=most.min(from.len()))
            .rev()
            .find(|at| from.is_char_boundary(*at));
        let text = from[..most.unwrap_or(0)].to_owned();
        Some(agent.strip(text, comment, "string argument 2")?)
    };
    let rows = match content {
        Some(content) => agent.rows(&content, arg(arguments, 3), arg(arguments, 4))?,
        None => Vec::new(),
    };
    let (kind, numbered) = match name {
        "readintarray" | "parseintarray" => (Kind::Int, false),
        "readrealarray" | "parserealarray" => (Kind::Real, false),
        _ => (Kind::String, name.ends_with("idx")),
    };
    for (row, fields) in rows.iter().enumerate() {
        let row = row.to_string();
        let mut first: Option<Text> = None;
        for (column, field) in fields.iter().enumerate() {
            let field = agent.converted(field, kind)?;
            let first = first.get_or_insert_with(|| field.clone()).clone();
            let index = if numbered { &*row } else { &*first };
            // Brackets in the index are part of the variable's name.
            let name = format!("{array}[{index}][{column}]");
            agent.put_element(&name, kind, field, "buildlinearray")?;
        }
    }
    string(rows.len().to_string())
}

impl Agent {
    /// Converts a field; a field that is no number makes the agent exit.
    fn converted(&mut self, field: &Text, kind: Kind) -> Step<Text> {
        match kind {
            Kind::Int => match self.int(field) {
                Some(number) => Ok(number.to_string().into()),
                None => Err(Stop::Fatal("Could not convert token to int".into())),
            },
            Kind::Real if self.real(field).is_none() => {
                Err(Stop::Fatal("Could not convert token to double".into()))
            }
            _ => Ok(field.clone()),
        }
    }
}

/// `data_readstringarray(path, comment, separator, entries, size)`
pub(super) fn data_read(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let content = agent.read_fields(path, arg(arguments, 4), arg(arguments, 1))?;
    let Some(content) = content else {
        agent.complain(format!("{name}: error reading from file '{path}'"));
        return Ok(None);
    };
    let rows = agent.rows(&content, arg(arguments, 2), arg(arguments, 3))?;
    let rows = rows.into_iter().filter(|row| !row.is_empty());
    let array = |fields: &[Text]| Data::Array(fields.iter().cloned().map(Data::String).collect());
    Ok(Some(Value::data(if name.ends_with("idx") {
        Data::Array(rows.map(|row| array(&row)).collect())
    } else {
        let members = rows.map(|row| (row[0].clone(), array(&row[1..])));
        Data::Object(members.collect())
    })))
}

/// `getfields(pattern, path, separator, array)`: stores the fields of the first matching line, and
/// returns the number of matching lines.
pub(super) fn getfields(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    const MOST: usize = 31;
    let (pattern, path, array) = (arg(arguments, 0), arg(arguments, 1), arg(arguments, 3));
    if !agent.compiles(pattern) {
        return Ok(None);
    }
    let content = match agent.read_bytes(path) {
        Ok(content) => text::decode(&content).into_owned(),
        Err(error) => {
            let reason = crate::machine::reason(&error);
            agent.complain(if error.kind() == ErrorKind::IsADirectory {
                format!("Unable to read data from file '{path}'. (fgets: {reason})")
            } else {
                format!("File '{path}' could not be read in getfields(). (fopen: {reason})")
            });
            return Ok(None);
        }
    };
    let mut count = 0;
    for line in scan::lines(&content) {
        if !agent.patterns.matches_fully(pattern, line) {
            continue;
        }
        if count == 0 {
            let fields = agent.cut(line, arg(arguments, 2), MOST, true)?;
            for (at, field) in fields.into_iter().enumerate() {
                let name = format!("{array}[{}]", at + 1);
                agent.verbose(|| format!("getfields: defining '{name}' => '{field}'"));
                agent.put_element(&name, Kind::String, field, "getfields")?;
            }
        }
        count += 1;
    }
    string(count.to_string())
}

/// `peers(path, comment, size)`, `peerleader`, `peerleaders`: hosts by groups.
pub(super) fn peers(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    const MOST: &str = "100000";
    let size = agent.int(arg(arguments, 2)).unwrap_or(0);
    let Some(size) = usize::try_from(size).ok().filter(|size| *size >= 2) else {
        let message =
            format!("Function {name}: called with a nonsensical group size of {size}, failing");
        agent.say(Severity::Warning, message);
        return Ok(None);
    };
    let content = agent.read_fields(arg(arguments, 0), MOST, arg(arguments, 1))?;
    let Some(content) = content else {
        return Ok(None);
    };
    let machine = agent.machine.clone();
    let is_own = |host: &Text| **host == *machine.fqhost || **host == *machine.host;
    let hosts: Vec<Text> = content
        .lines()
        .filter(|l| !l.is_empty())
        .map(Text::from)
        .collect();
    let mut groups = hosts.chunks(size);
    let leader = |group: &[Text]| {
        if is_own(&group[0]) {
            "localhost".into()
        } else {
            group[0].clone()
        }
    };
    if name == "peerleaders" {
        return list(groups.map(leader));
    }
    let own = groups.find(|group| group.iter().any(is_own));
    match (name, own) {
        ("peers", None) => list(Vec::<Text>::new()),
        ("peers", Some(group)) => list(group.iter().filter(|host| !is_own(host)).cloned()),
        (_, Some(group)) => string(leader(group)),
        _ => Ok(None),
    }
}
