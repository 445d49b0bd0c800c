//! Messages of a plan that depend on earlier answers.

use puppet_types::Value;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use stickler_transcript::{Key, Name, Send};

/// What a planned message stands for, if it is no request itself. [`crate::player`] plays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deferred {
    /// A provider is built, unless the type that an exchange loaded needs a target.
    Open {
        /// The type.
        kind: String,
        /// The key of the exchange that loaded it.
        loaded: Key,
    },
    /// A transport is called that an exchange connected.
    Transport {
        /// The key of that exchange.
        by: Key,
    },
    /// A provider is called.
    Call {
        /// The key of the exchange that built it.
        open: Key,
        /// The other parameters.
        params: Encoded,
    },
    /// `canonicalize` gets the rows or resources that another exchange returned, if there are any.
    Canonicalize {
        /// The key of the exchange that built the provider.
        open: Key,
        /// The key of the exchange that returned them.
        rows: Key,
    },
    /// `get` is asked by name for the rows that another exchange returned.
    Named {
        /// The key of the exchange that built the provider.
        open: Key,
        /// The key of the exchange that returned them.
        rows: Key,
        /// The namevars of the type.
        namevars: Vec<String>,
        /// Which of the rows, and what else.
        #[serde(default, skip_serializing_if = "Pick::is_all")]
        pick: Pick,
    },
    /// The runtime asks for further resources because of a resource, and in turn because of those of its type.
    Generate(Evaluation),
    /// The runtime evaluates a resource; the message is its call of `set`.
    Evaluate(Evaluation),
    /// `set` gets a change as no deployed runtime makes it, but the specification allows.
    Change {
        /// The resource.
        evaluation: Evaluation,
        /// The form of the change.
        form: Form,
    },
    /// `set` gets the changes of several resources, if more than one has to change.
    Together(Vec<Evaluation>),
    /// A provider is asked for the resource of an evaluation that came before, or for all. As Puppet does, it
    /// first makes the resource canonical.
    Look {
        /// The key of the exchange that built the provider.
        open: Key,
        /// The evaluation.
        evaluation: Evaluation,
        /// Is it asked for all, whatever came before?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        all: bool,
        /// Is it asked for the resource by name, whatever came before?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        named: bool,
    },
    /// `insync?` is asked about a property.
    Ask {
        /// The resource with its target.
        evaluation: Evaluation,
        /// The property.
        property: String,
        /// What is compared with the target.
        about: About,
    },
}

/// Which names `get` is asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pick {
    /// Those of all rows.
    #[default]
    All,
    /// That of one row.
    One(usize),
    /// Those of all rows from the last to the first, each after one of these that no row has.
    Among(Vec<Encoded>),
}

impl Pick {
    fn is_all(&self) -> bool {
        *self == Pick::All
    }
}

/// A resource that the runtime is to evaluate, as a manifest with this resource alone would have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    /// The start of the keys of its exchanges.
    pub key: Key,
    /// The label of its item.
    pub item: Name,
    /// The key of the exchange that built its provider.
    pub open: Key,
    /// Its type.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Its attributes.
    pub parameters: Vec<(String, Encoded)>,
    /// Is it only looked at?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noop: bool,
    /// Does it live on a device?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_device: bool,
    /// Whose behaviour the runtime has (see [`puppet_runtime::Release`]).
    pub version: String,
    /// The key of the exchange that has read the state, if it is not read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Key>,
    /// Are effects recorded after each exchange?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

/// The form of an unusual change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Form {
    /// What `:is` holds.
    pub is: Is,
    /// Is there `:should`?
    pub should: bool,
    /// What `:should` holds that no runtime lets pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<(String, Encoded)>,
}

/// What `:is` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Is {
    /// The row. Without one, there is no change.
    Row,
    /// nil. If there is a row, there is no change.
    Nil,
    /// There is no `:is`.
    Missing,
}

/// What `insync?` compares with a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum About {
    /// The row of the resource. Without one, nothing is asked.
    Row,
    /// The state of a resource without a row. If there is one, nothing is asked.
    Unlisted,
    /// The row of the resource, with a target that has what the row has for these attributes.
    AsIs(Vec<String>),
    /// The first, second, … row of those that lack different attributes.
    Other(usize),
}

/// A value in the encoding of hosts, so that it loses nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Encoded(pub Value);

impl Serialize for Encoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.encode());
        raw.map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let value = Value::parse(raw.get().as_bytes());
        value.map(Encoded).map_err(serde::de::Error::custom)
    }
}

/// How such a message begins in a plan. No request begins so.
const START: &[u8] = br#"{"deferred":"#;

#[derive(Serialize, Deserialize)]
struct Line {
    deferred: Deferred,
}

impl Deferred {
    /// The line that stands for it in a plan.
    pub fn line(self) -> Vec<u8> {
        // Its keys are texts, so that it can always be written.
        let mut line = serde_json::to_vec(&Line { deferred: self }).unwrap_or_default();
        line.push(b'\n');
        line
    }

    /// What a planned message stands for: `None` if it is a request itself, an error if it cannot be
    /// read.
    pub fn read(planned: &Send) -> Option<Result<Self, serde_json::Error>> {
        let message = planned.message();
        if !message.starts_with(START) {
            return None;
        }
        let line = serde_json::from_slice::<Line>(&message);
        Some(line.map(|line| line.deferred))
    }

    /// The evaluations that it is about.
    pub fn evaluations_mut(&mut self) -> Vec<&mut Evaluation> {
        match self {
            Deferred::Evaluate(evaluation)
            | Deferred::Generate(evaluation)
            | Deferred::Change { evaluation, .. }
            | Deferred::Look { evaluation, .. }
            | Deferred::Ask { evaluation, .. } => vec![evaluation],
            Deferred::Together(evaluations) => evaluations.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}
