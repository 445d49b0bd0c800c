//! What providers made of the authors' values: runtimes compare types with the canonical ones.

use crate::resource::{mistyped, target};
use puppet_protocol::{Session, phase};
use puppet_types::{Definition, Value};
use std::collections::BTreeMap;
use stickler_suite::Instance;

/// The first canonical form of each target, or the class of what `canonicalize` raised.
#[derive(Debug, Default)]
pub(crate) struct Canonical(BTreeMap<Asked, Result<Value, String>>);

/// A type, and a target as it was sent.
type Asked = (String, String);

impl Canonical {
    /// Takes what the evaluations of a session show.
    pub(crate) fn learn(&mut self, session: &Session) {
        for (call, answer) in session.calls(phase::CANONICALIZE) {
            let kind = session.definition(call).and_then(|own| own.name.clone());
            let (Some(kind), Some(asked)) = (kind, call.param("resources")) else {
                continue;
            };
            let Some([one]) = asked.as_array() else {
                continue;
            };
            let made = answer.value("value");
            let made = made.and_then(|made| made.as_array()?.first().cloned());
            let said = match answer.failure() {
                Some(failure) => Err(failure.class.clone().unwrap_or_else(|| "an error".into())),
                None => match made {
                    Some(made) => Ok(made),
                    None => continue,
                },
            };
            self.0.entry((kind, one.encode())).or_insert(said);
        }
    }

    /// Why a runtime refuses an author's item, if a value is of another type before and after it was
    /// made canonical. What only `canonicalize` makes wrong is the provider's fault.
    pub(crate) fn refuses(&self, definition: &Definition, item: &Instance) -> Option<String> {
        let own = target(definition, item);
        let first = mistyped(definition, &own).next()?;
        let kind = definition.name.clone()?;
        match self.0.get(&(kind, own.encode()))? {
            Err(class) => Some(format!(
                "{}, and `canonicalize` raises {class}",
                first.why()
            )),
            Ok(made) => mistyped(definition, &own)
                .find(|one| mistyped(definition, made).any(|other| other.name == one.name))
                .map(|one| format!("{}, nor is what `canonicalize` makes of it", one.why())),
        }
    }
}
