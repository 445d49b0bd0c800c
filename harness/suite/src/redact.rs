//! Keeps secrets out of what is stored and shown.

use crate::config::Config;
use stickler_judge::Outcome;
use stickler_transcript::{Bytes, Event, Transcript, Value};

/// What stands in for a secret.
const MASK: &str = "REDACTED";
/// Shorter values would mask half the transcript.
const SHORTEST: usize = 4;
/// Parts of attribute names that tell of a secret.
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
    /// The secrets of a configuration: values of attributes that it declares, or
    /// whose names tell.
    pub fn of(config: &Config) -> Redactor {
        let mut secrets = Vec::new();
        for example in config.examples.iter().chain(&config.invalid) {
            for (name, value) in &example.attributes {
                let lower = name.to_ascii_lowercase();
                if config.subject.sensitive.contains(name)
                    || TELLING.iter().any(|word| lower.contains(word))
                {
                    collect(value, &mut secrets);
                }
            }
        }
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // Longer ones first: one may hold another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Redactor { secrets }
    }

    /// Is there anything to hide?
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Masks secrets in a text.
    pub fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            match std::str::from_utf8(secret) {
                Ok(secret) => text.replace(secret, MASK),
                Err(_) => text,
            }
        })
    }

    /// Masks secrets in what is said of a rule.
    pub fn outcome(&self, outcome: &mut Outcome) {
        if self.is_empty() {
            return;
        }
        if let Some(message) = &mut outcome.message {
            *message = self.text(message);
        }
        for found in &mut outcome.findings {
            found.message = self.text(&found.message);
            found.agent = found.agent.as_deref().map(|told| self.text(told));
            for line in &mut found.excerpt {
                line.text = self.text(&line.text);
            }
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
            while let Some(at) = bytes.windows(secret.len()).position(|w| w == &secret[..]) {
                let rest = &bytes[at + secret.len()..];
                *bytes = [&bytes[..at], MASK.as_bytes(), rest].concat().into();
            }
        }
    }

    /// Masks secrets in a transcript, its plan included.
    pub fn transcript(&self, transcript: &mut Transcript) {
        if self.is_empty() {
            return;
        }
        for event in &mut transcript.events {
            match event {
                Event::In { data, .. }
                | Event::Out { data, .. }
                | Event::Printed { data, .. }
                | Event::Err { data, .. } => {
                    self.bytes(data);
                }
                Event::Effects { changes, .. } => {
                    for entry in changes
                        .iter_mut()
                        .flat_map(|change| [&mut change.before, &mut change.after])
                        .flatten()
                    {
                        if let Some(content) = &mut entry.content {
                            self.bytes(content);
                        }
                    }
                }
                _ => {}
            }
        }
        let Some(plan) = &mut transcript.case.plan else {
            return;
        };
        for step in &mut plan.steps {
            if let stickler_transcript::Step::Send(send) = step {
                for piece in &mut send.pieces {
                    self.bytes(&mut piece.data);
                }
            }
        }
        for command in &mut plan.commands {
            for word in &mut command.argv {
                self.bytes(word);
            }
            for (_, value) in &mut command.env {
                self.bytes(value);
            }
        }
    }
}

fn collect(value: &Value, secrets: &mut Vec<Vec<u8>>) {
    match value {
        Value::Text(text) => secrets.push(text.clone()),
        Value::List(items) => items.iter().for_each(|item| collect(item, secrets)),
        Value::Object(members) => members.iter().for_each(|(_, v)| collect(v, secrets)),
        _ => {}
    }
}
