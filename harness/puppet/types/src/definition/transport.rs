//! Schemas of transports.

use super::secret::looks_secret;
use super::{Definition, Part, Problem, Subject};
use crate::aliases::Aliases;
use crate::value::Value;

const TOP_KEYS: [&str; 5] = [
    "name",
    "desc",
    "connection_info",
    "connection_info_order",
    "features",
];

/// Keys that Bolt uses itself. Those that start with `remote-` are reserved, too.
const RESERVED: [&str; 5] = ["name", "path", "query", "run-on", "implementations"];

/// What is often called otherwise, and its usual name.
const USUAL: [(&str, &[&str]); 6] = [
    (
        "host",
        &["hostname", "address", "ip", "ip_address", "server"],
    ),
    ("user", &["username", "login", "user_name"]),
    ("password", &["passwd", "pass", "pwd"]),
    ("port", &["port_number", "tcp_port"]),
    ("protocol", &["scheme", "transport_protocol"]),
    ("uri", &["url", "endpoint"]),
];

impl Definition {
    /// Reads what was given to `register_transport`.
    pub fn of_transport(value: &Value) -> Self {
        Self::of_transport_with(value, &Aliases::default())
    }

    /// The same, where modules define aliases.
    pub fn of_transport_with(value: &Value, aliases: &Aliases) -> Self {
        let mut own = Self {
            subject: Subject::Transport,
            ..Self::default()
        };
        let Some(pairs) = value.as_hash() else {
            own.problems.push(Problem::NoHash {
                class: value.class().to_owned(),
            });
            return own;
        };
        own.keys(&Part::Top, pairs, &TOP_KEYS);
        own.read_name(value);
        // The older name does not count here.
        own.desc = match value.get("desc") {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            Some(Value::String(_)) => {
                own.problems.push(Problem::BlankDesc { place: Part::Top });
                None
            }
            Some(other) if *other != Value::Undef => {
                own.problems.push(Problem::DescNoText {
                    place: Part::Top,
                    class: other.class().to_owned(),
                });
                None
            }
            _ => {
                own.problems.push(Problem::NoDesc { place: Part::Top });
                None
            }
        };
        if value.get("desc").is_some() && value.get("docs").is_some() {
            own.problems.push(Problem::DescAndDocs { place: Part::Top });
        }
        own.read_attributes(value, "connection_info", aliases);
        own.judge_keys();
        own.read_order(value);
        own
    }

    fn judge_keys(&mut self) {
        for attribute in self.attributes.clone() {
            self.judge_default(&attribute);
            let name = attribute.name;
            if RESERVED.contains(&name.as_str()) || name.starts_with("remote-") {
                self.problems.push(Problem::ReservedKeyword {
                    attribute: name.clone(),
                });
            }
            let lower = name.to_lowercase();
            let usual = USUAL
                .iter()
                .find(|(_, others)| others.contains(&lower.as_str()));
            if let Some((usual, _)) = usual
                && self.attribute(usual).is_none()
            {
                self.problems.push(Problem::UnusualKeyword {
                    attribute: name.clone(),
                    usual,
                });
            }
            if attribute.sensitive
                && let Some(default) = &attribute.default
            {
                self.judge_secret_default(&name, default);
            }
            if looks_secret(&name) && !attribute.sensitive {
                self.problems
                    .push(Problem::NotSensitive { attribute: name });
            }
        }
    }

    fn read_order(&mut self, value: &Value) {
        let items = match value.get("connection_info_order") {
            None | Some(Value::Undef) => return,
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.problems.push(Problem::OrderNoList {
                    class: other.class().to_owned(),
                });
                return;
            }
        };
        for item in items {
            let known = item
                .as_symbol()
                .is_some_and(|name| self.attribute(name).is_some());
            if !known {
                self.problems.push(Problem::OrderUnknown {
                    key: item.inspect(),
                });
            }
        }
    }
}
