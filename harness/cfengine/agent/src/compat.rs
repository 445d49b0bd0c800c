//! Whose behaviour a run follows: the differences between releases, and to the specification of custom promise
//! types.

use crate::context::Agent;
use cfengine_policy::text;
use cfengine_protocol::release::{Compat, Release};
use cfengine_protocol::wire::{Protocol, Request, Style, Value};

/// The agent's own attributes. The specification excludes them from requests; 3.21.0 sends them.
const OWN: [&str; 17] = [
    "comment",
    "handle",
    "ifelapsed",
    "expireafter",
    "background",
    "audit",
    "log_kept",
    "log_failed",
    "log_repaired",
    "log_priority",
    "log_string",
    "measurement_class",
    "report_level",
    "value_kept",
    "value_notkept",
    "value_repaired",
    "promisee",
];

impl Agent {
    /// The release whose behaviour the run has.
    pub(crate) fn release(&self) -> &'static Release {
        self.voice.options.compat.release()
    }

    /// Whether the run follows the specification instead of a release.
    pub(crate) fn by_specification(&self) -> bool {
        self.voice.options.compat == Compat::Specification
    }

    /// The style in which requests are encoded.
    pub(crate) fn style(&self) -> Style {
        match self.voice.options.compat {
            Compat::Deployed(release) => Style::Release(release),
            Compat::Specification => Style::Spec,
        }
    }

    /// Whether an attribute is kept out of requests.
    pub(crate) fn keeps_to_itself(&self, name: &str) -> bool {
        match self.voice.options.compat {
            Compat::Deployed(release) => name == "expireafter" && !release.sends_expireafter,
            Compat::Specification => OWN.contains(&name),
        }
    }

    /// Why the specification forbids to talk to a module with this header.
    pub(crate) fn refuses_header(&self, header: &str) -> Option<&'static str> {
        if !self.by_specification() {
            return None;
        }
        let fields: Vec<&str> = header
            .split(' ')
            .filter(|field| !field.is_empty())
            .collect();
        let protocols = fields
            .iter()
            .skip(3)
            .filter(|flag| matches!(**flag, "json_based" | "line_based"))
            .count();
        match fields.get(2).and_then(|version| version.strip_prefix('v')) {
            _ if fields.len() < 4 => Some("has fewer than four fields"),
            Some("0" | "1") if protocols == 1 => None,
            Some("0" | "1") => Some("does not ask for just one protocol"),
            _ => Some("asks for another protocol version than v1"),
        }
    }

    /// Why the specification forbids to send a request.
    pub(crate) fn refuses_request(&self, request: &Request, protocol: Protocol) -> Option<String> {
        if !self.by_specification() {
            return None;
        }
        let promiser = request.promiser.iter().map(|text| &text[..]);
        if protocol == Protocol::Json {
            let whole = request.encode(protocol, Style::Spec);
            return std::str::from_utf8(&whole)
                .is_err()
                .then(|| "it is not UTF-8, which JSON has to be".into());
        }
        let attributes = request.attributes.iter().flatten();
        for (name, value) in attributes.clone() {
            let formed = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
            let name_shown = text::decode(name);
            if !name.iter().all(formed) {
                return Some(format!(
                    "the line based protocol has no key for the attribute '{name_shown}'"
                ));
            }
            if !matches!(value, Value::Text(_)) {
                return Some(format!(
                    "the line based protocol cannot carry the attribute '{name_shown}', which is no text"
                ));
            }
        }
        let mut texts = promiser.chain(attributes.filter_map(|(_, value)| value.as_text()));
        texts
            .any(|text| text.iter().any(|byte| matches!(byte, b'\n' | 0)))
            .then(|| "the line based protocol cannot carry a newline or a zero byte".into())
    }
}
