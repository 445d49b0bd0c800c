//! Reads keys, logs and classes after the lines and the object are known.

use super::{
    Classes, ClassesDefect, Duplicate, LineKind, Log, LogDefect, LogPlace, Protocol, Response,
};
use crate::wire::Value;
use crate::wire::json::{Json, Member};
use crate::wire::value::from_json;
use std::collections::HashMap;

impl Response {
    pub(super) fn read_lines(&mut self) {
        for line in &self.lines {
            if let LineKind::KeyValue { key, value } = &line.kind {
                self.keys
                    .push((key.clone(), Value::text(self.bytes(value))));
            }
        }
        let keys = self.keys.iter().map(|(key, _)| &key[..]);
        self.duplicates = repeated(keys, &[]);
    }

    pub(super) fn read_json(&mut self, json: &Json) {
        nested_repetitions(json, &mut Vec::new(), &mut self.duplicates);
        for member in json.as_object().unwrap_or_default() {
            if member.key.as_bytes() == b"log" {
                embedded_logs(member, &mut self.logs);
            }
            self.keys
                .push((member.key.as_bytes().to_vec(), from_json(&member.value)));
        }
    }

    pub(super) fn read_fields(&mut self) {
        self.operation = self.field("operation");
        self.result = self.field("result");
        self.promiser = self.field("promiser");
        let classes = self.field("result_classes").values.pop();
        self.result_classes = classes.map(|value| match (self.protocol, value) {
            (Protocol::Line, Value::Text(names)) => line_classes(&names),
            (_, value) => json_classes(value),
        });
    }
}

fn line_classes(names: &[u8]) -> Classes {
    let mut classes = Classes {
        names: Vec::new(),
        malformed: None,
    };
    if names.is_empty() {
        return classes;
    }
    for (index, name) in names.split(|&byte| byte == b',').enumerate() {
        let trimmed = name.trim_ascii();
        if trimmed.len() < name.len() {
            classes
                .malformed
                .get_or_insert(ClassesDefect::Blank { index });
        }
        classes.names.push(trimmed.to_vec());
    }
    classes
}

fn json_classes(value: Value) -> Classes {
    let mut classes = Classes {
        names: Vec::new(),
        malformed: None,
    };
    let found = value.type_name();
    let Value::List(items) = value else {
        classes.malformed = Some(ClassesDefect::NotAList(found));
        return classes;
    };
    for (index, item) in items.into_iter().enumerate() {
        let found = item.type_name();
        match item {
            Value::Text(name) => classes.names.push(name),
            _ => {
                classes
                    .malformed
                    .get_or_insert(ClassesDefect::NotText { index, found });
            }
        }
    }
    classes
}

fn embedded_logs(member: &Member, logs: &mut Vec<Log>) {
    let log = |malformed| Log {
        level: Vec::new(),
        message: Vec::new(),
        place: LogPlace::Embedded,
        malformed,
        offset: member.span.start,
    };
    let Json::Array(entries) = &member.value else {
        let found = from_json(&member.value).type_name();
        logs.push(log(Some(LogDefect::NotAList(found))));
        return;
    };
    for entry in entries {
        if entry.as_object().is_none() {
            let found = from_json(entry).type_name();
            logs.push(log(Some(LogDefect::NotAnObject(found))));
            continue;
        }
        let text = |key, missing, other: fn(&'static str) -> LogDefect| match entry.get(key) {
            None => (Vec::new(), Some(missing)),
            Some(Json::String(text)) => (text.as_bytes().to_vec(), None),
            Some(value) => (Vec::new(), Some(other(from_json(value).type_name()))),
        };
        let (level, bad_level) = text("level", LogDefect::LevelMissing, LogDefect::LevelNotText);
        let (message, bad_message) = text(
            "message",
            LogDefect::MessageMissing,
            LogDefect::MessageNotText,
        );
        logs.push(Log {
            level,
            message,
            ..log(bad_level.or(bad_message))
        });
    }
}

fn nested_repetitions(json: &Json, path: &mut Vec<Vec<u8>>, found: &mut Vec<Duplicate>) {
    match json {
        Json::Object(members) => {
            found.extend(repeated(
                members.iter().map(|member| member.key.as_bytes()),
                path,
            ));
            for member in members {
                path.push(member.key.as_bytes().to_vec());
                nested_repetitions(&member.value, path, found);
                path.pop();
            }
        }
        Json::Array(items) => {
            items
                .iter()
                .for_each(|item| nested_repetitions(item, path, found));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Keys that occur more than once, in the order of their first occurrence.
fn repeated<'a>(keys: impl Iterator<Item = &'a [u8]>, path: &[Vec<u8>]) -> Vec<Duplicate> {
    let mut order = Vec::new();
    let mut counts = HashMap::new();
    for key in keys {
        let count = counts.entry(key).or_insert(0);
        *count += 1;
        if *count == 1 {
            order.push(key);
        }
    }
    let repeated = order.into_iter().filter(|key| counts[key] > 1);
    let duplicate = |key: &[u8]| {
        let path = path.iter().cloned().chain([key.to_vec()]).collect();
        Duplicate {
            path,
            count: counts[key],
        }
    };
    repeated.map(duplicate).collect()
}
