//! Keeps secrets out of stored files and reports.

mod transcript;

use crate::config::Config;
use crate::dialect::Dialect;
use std::borrow::Cow;
use stickler_judge::{AnySession, Reported, Timeline};
use stickler_transcript::{Bytes, Transcript, Value};

/// Replaces a secret.
pub const MASK: &str = "REDACTED";
/// Masking shorter values would mask half the transcript.
const SHORTEST: usize = 4;
/// Parts of attribute names that indicate a secret.
const TELLING: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "private_key",
    "credential",
];

/// Replaces the values of sensitive attributes.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Vec<Vec<u8>>,
}

impl Redactor {
    /// The secrets of a configuration: values of attributes that it declares sensitive, or whose
    /// names indicate a secret.
    pub fn of(config: &Config) -> Redactor {
        let mut secrets = Vec::new();
        for example in config.examples.iter().chain(&config.invalid) {
            for (name, value) in &example.attributes {
                if is_telling(name, config) {
                    collect(value, &mut secrets);
                }
            }
        }
        for target in &config.targets {
            for (name, value) in &target.connection_info {
                if is_telling(name, config) {
                    collect(value, &mut secrets);
                }
            }
        }
        Redactor::hiding(secrets)
    }

    /// The same, and what these sessions show to be secret.
    pub fn informed<'s>(
        dialect: &dyn Dialect,
        config: &Config,
        sessions: impl IntoIterator<Item = &'s AnySession>,
    ) -> Redactor {
        let mut known = Redactor::of(config);
        let mut shown = Vec::new();
        for session in sessions {
            for value in dialect.secrets(config, session) {
                if !shown.contains(&value) {
                    shown.push(value);
                }
            }
        }
        for value in &shown {
            collect(value, &mut known.secrets);
        }
        Redactor::hiding(known.secrets)
    }

    fn hiding(mut secrets: Vec<Vec<u8>>) -> Redactor {
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // JSON messages contain a secret as a JSON string.
        let as_json: Vec<Vec<u8>> = secrets
            .iter()
            .filter_map(|secret| in_json(secret))
            .collect();
        secrets.extend(as_json);
        Redactor::sorted(secrets)
    }

    fn sorted(mut secrets: Vec<Vec<u8>>) -> Redactor {
        // Longer secrets first: one may contain another.
        secrets.sort_by(|one, other| (other.len(), other).cmp(&(one.len(), one)));
        secrets.dedup();
        Redactor { secrets }
    }

    /// Hides the secrets of both.
    #[must_use]
    pub fn and(&self, other: &Redactor) -> Redactor {
        Redactor::sorted([&self.secrets[..], &other.secrets[..]].concat())
    }

    /// Is there anything to hide?
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// What it hides, longer ones first.
    pub fn secrets(&self) -> &[Vec<u8>] {
        &self.secrets
    }

    /// Masks secrets in a text.
    pub fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            match std::str::from_utf8(secret) {
                Ok(secret) => ends(&text.replace(secret, MASK), secret),
                Err(_) => text,
            }
        })
    }

    /// Masks secrets in an outcome.
    pub fn outcome(&self, outcome: &mut Reported) {
        if self.is_empty() {
            return;
        }
        if let Some(message) = &mut outcome.message {
            *message = self.text(message);
        }
        for consequence in &mut outcome.explains {
            consequence.message = self.text(&consequence.message);
        }
        for timeline in &mut outcome.timelines {
            self.timeline(timeline);
        }
        for found in &mut outcome.findings {
            found.message = self.text(&found.message);
            found.context = self.text(&found.context);
            found.expected = found.expected.as_deref().map(|told| self.text(told));
            found.agent = found.agent.as_deref().map(|told| self.text(told));
            for other in &mut found.others {
                *other = self.text(other);
            }
            for line in &mut found.excerpt {
                line.text = self.text(&line.text);
            }
        }
    }

    /// Masks secrets in a timeline. A transcript may hold a secret in pieces; a moment holds it whole.
    fn timeline(&self, timeline: &mut Timeline) {
        for moment in &mut timeline.moments {
            moment.text = self.text(&moment.text);
        }
    }

    /// A transcript without secrets.
    pub fn redacted(&self, transcript: &Transcript) -> Transcript {
        let mut transcript = transcript.clone();
        self.transcript(&mut transcript);
        transcript
    }

    fn bytes(&self, bytes: &mut Bytes) {
        for secret in &self.secrets {
            let masked = replaced(Cow::Borrowed(&bytes[..]), secret, MASK.as_bytes());
            if let Cow::Owned(masked) = masked {
                *bytes = masked.into();
            }
        }
    }
}

/// Bytes with every `from` replaced; what replaces it is not looked at again.
pub fn replaced<'b>(bytes: Cow<'b, [u8]>, from: &[u8], to: &[u8]) -> Cow<'b, [u8]> {
    let mut parts = Vec::new();
    let mut rest = &bytes[..];
    while let Some(at) = memchr::memmem::find(rest, from) {
        parts.extend([&rest[..at], to]);
        rest = &rest[at + from.len()..];
    }
    match parts.is_empty() {
        true => bytes,
        false => {
            parts.push(rest);
            Cow::Owned(parts.concat())
        }
    }
}

/// Does the description or the name of an attribute say that its value is secret?
fn is_telling(name: &String, config: &Config) -> bool {
    let lower = name.to_ascii_lowercase();
    config.subject.sensitive.contains(name) || TELLING.iter().any(|word| lower.contains(word))
}

/// Masks both ends of a secret that was shortened in the middle.
fn ends(text: &str, secret: &str) -> String {
    let count = secret.chars().count();
    let splits = secret.char_indices().enumerate();
    let splits: Vec<(usize, usize)> = splits.map(|(chars, (at, _))| (chars, at)).collect();
    let mut parts: Vec<String> = text.split('…').map(str::to_owned).collect();
    let last = parts.len() - 1;
    for (index, part) in parts.iter_mut().enumerate() {
        let end = part.trim_end().len();
        let mut heads = splits.iter().rev().filter(|(chars, _)| *chars >= SHORTEST);
        let head = heads.find(|(_, at)| part[..end].ends_with(&secret[..*at]));
        if let Some((_, at)) = head.filter(|_| index < last) {
            part.replace_range(end - at..end, MASK);
        }
        let start = part.len() - part.trim_start().len();
        let mut tails = splits.iter().filter(|(chars, _)| count - chars >= SHORTEST);
        let tail = tails.find(|(_, at)| part[start..].starts_with(&secret[*at..]));
        if let Some((_, at)) = tail.filter(|_| index > 0) {
            part.replace_range(start..start + secret.len() - at, MASK);
        }
    }
    parts.join("…")
}

/// A secret as JSON writes it, if that differs.
fn in_json(secret: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(secret).ok()?;
    let quoted = serde_json::Value::from(text).to_string();
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    (inner != text).then(|| inner.as_bytes().to_vec())
}

fn collect(value: &Value, secrets: &mut Vec<Vec<u8>>) {
    match value {
        Value::Text(text) => secrets.push(text.clone()),
        Value::Number(number) => secrets.push(number.clone().into_bytes()),
        Value::List(items) => items.iter().for_each(|item| collect(item, secrets)),
        Value::Object(members) => members.iter().for_each(|(_, v)| collect(v, secrets)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Redactor, ends};
    use crate::config::{Config, Example};
    use stickler_judge::Timeline;
    use stickler_transcript::{Case, Event, Transcript, Value};

    #[test]
    fn both_ends_of_a_shortened_secret_are_masked() {
        let cut = |text: &str| ends(text, "hunter22-and-more");
        assert_eq!(cut("`hunter2 … -more` is"), "`REDACTED … REDACTED` is");
        assert_eq!(
            cut("token=hunter2…more, a…b"),
            "token=REDACTED…REDACTED, a…b"
        );
        assert_eq!(cut("hunter2 and more"), "hunter2 and more");
    }

    #[test]
    fn a_secret_that_was_sent_in_pieces_is_masked_in_a_timeline() {
        let config = Config {
            examples: vec![Example {
                attributes: vec![("token".into(), Value::text("hunter22"))],
                ..Example::default()
            }],
            ..Config::default()
        };
        let piece = |data: &str| Event::In {
            t: 0,
            process: 0,
            data: data.into(),
        };
        let mut timeline = Timeline::of(&Transcript {
            events: vec![piece("token=hun"), piece("ter22")],
            case: Case::default(),
        });
        Redactor::of(&config).timeline(&mut timeline);
        assert_eq!(timeline.moments[0].text, "token=REDACTED");
    }

    #[test]
    fn secrets_are_masked_as_json_holds_them_too() {
        let secret = "a\"b\\c\nd";
        let config = Config {
            examples: vec![Example {
                attributes: vec![("password".into(), Value::text(secret))],
                ..Example::default()
            }],
            ..Config::default()
        };
        let sent = serde_json::json!({ "password": secret }).to_string();
        let mut transcript = Transcript {
            events: vec![Event::In {
                t: 0,
                process: 0,
                data: sent.into_bytes().into(),
            }],
            case: Case::default(),
        };
        Redactor::of(&config).transcript(&mut transcript);
        let Event::In { data, .. } = &transcript.events[0] else {
            unreachable!("it is the only event");
        };
        assert_eq!(data.lossy(), r#"{"password":"REDACTED"}"#);
    }
}
