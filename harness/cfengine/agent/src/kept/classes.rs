//! Persistent classes.

use crate::context::{Agent, Class, Reach, show_class};
use crate::log::Severity;
use crate::machine;
use crate::value::Text;
use cfengine_policy::text;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The longest name that cf-agent's database accepts.
const LONGEST: usize = 510;

/// A class that is also set in later runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Persistent {
    /// When it expires, in seconds since 1970.
    expires: i64,
    tags: Vec<String>,
}

impl Agent {
    /// Sets the persistent classes of earlier runs.
    pub(crate) fn put_persistent_classes(&mut self) {
        self.verbose(|| "Loading persistent classes".into());
        let now = machine::now();
        let all: Vec<(String, Persistent)> = self
            .kept
            .classes
            .entries()
            .iter()
            .map(|(name, class)| (name.clone(), class.clone()))
            .collect();
        for (name, class) in all {
            if now > class.expires {
                self.verbose(|| format!("Persistent class '{name}' expired"));
                self.kept.classes.remove(&name);
                continue;
            }
            self.verbose(|| {
                format!(
                    "Persistent class '{name}' for {} more minutes",
                    (class.expires - now) / 60
                )
            });
            if self.voice.options.negate.contains(&name) {
                self.verbose(|| {
                    format!("Not adding persistent class '{name}' due to match in -N/--negate")
                });
                continue;
            }
            let (namespace, plain) = name.split_once(':').unwrap_or(("default", &name));
            let tags = class.tags.iter().map(|tag| Text::from(&**tag));
            let class = Class {
                hard: false,
                reach: Reach::Namespace,
                tags: Rc::new(tags.chain(["source=persistent".into()]).collect()),
                comment: None,
            };
            self.classes.put(namespace, plain, class);
        }
    }

    /// Makes a class persist for some minutes. 3.21.0 never finds the entry that an absolute
    /// `timer_policy` protects, so it extends every class.
    pub(crate) fn persist_class(&mut self, name: &str, minutes: i64, tags: &[Text]) {
        let name = match (name.contains(':'), self.namespace()) {
            (false, Some(namespace)) => show_class(namespace, name),
            _ => name.to_owned(),
        };
        let class = Persistent {
            expires: machine::now().saturating_add(minutes.saturating_mul(60)),
            tags: tags.iter().map(ToString::to_string).collect(),
        };
        self.verbose(|| format!("Updating persistent class '{name}'"));
        if text::encode(&name).len() > LONGEST {
            let state = self.voice.options.workdir.join("state/cf_state.lmdb");
            let message = format!(
                "Could not write database entry to '{}': MDB_BAD_VALSIZE: Unsupported size of key/DB name/data, or wrong DUPFIXED size",
                state.display()
            );
            self.say(Severity::Error, message);
            return;
        }
        self.kept.classes.put(name, class);
    }

    /// Stops a class from persisting.
    pub(crate) fn forget_class(&mut self, name: &str) {
        self.kept.classes.remove(name);
        if self.would(Severity::Debug) {
            self.say(
                Severity::Debug,
                format!("Deleted persistent class '{name}'"),
            );
        }
    }
}
