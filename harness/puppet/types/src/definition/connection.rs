//! What a connection needs to know, against the schema of its transport.

use super::{Definition, Raised};
use crate::munge::Refused;
use crate::types::Type;
use crate::value::Value;

impl Definition {
    /// What the library raises before it connects with this `connection_info`, in which defaults are
    /// filled in. `None` if it connects. What only a real Ruby can tell is taken for fine.
    pub fn refuses_connection(&self, info: &Value) -> Option<Raised> {
        let name = self.name.as_deref().unwrap_or_default();
        let (mut unknown, mut wrong) = (String::new(), String::new());
        for (key, value) in info.as_hash().unwrap_or_default() {
            let known = key.as_symbol().and_then(|key| self.attribute(key));
            let Some(attribute) = known else {
                if key.as_symbol() != Some("title") {
                    unknown += &format!("    * {}\n", key.to_text());
                }
                continue;
            };
            let refused = attribute.data_type.as_ref()?.validate(value, "").err();
            if let Some(Refused::Because(why) | Refused::Fails(why)) = refused {
                wrong += &match attribute.sensitive {
                    true => format!("    * {}: << redacted value >> {why}\n", attribute.name),
                    false => format!("    * {}: {} ({why})\n", attribute.name, value.to_text()),
                };
            }
        }
        let mut message = format!(
            "The connection info provided does not match the Transport Schema for `{name}[]`"
        );
        for (title, lines) in [
            ("Unknown attribute", &unknown),
            ("Value type mismatch", &wrong),
        ] {
            if !lines.is_empty() {
                message += &format!("\n {title}:\n{lines}");
            }
        }
        if !unknown.is_empty() || !wrong.is_empty() {
            return Some(Raised {
                class: "Puppet::DevError".to_owned(),
                message,
            });
        }
        let missing = self.attributes.iter().filter(|one| {
            let is_optional = matches!(one.data_type, None | Some(Type::Optional(_)));
            !is_optional && info.get(&one.name).is_none_or(Value::is_nil)
        });
        let missing: Vec<&str> = missing.map(|one| one.name.as_str()).collect();
        let message = format!(
            "The following mandatory attributes were not provided:\n    *  {}",
            missing.join(", \n    *  ")
        );
        (!missing.is_empty()).then(|| Raised {
            class: "Puppet::ResourceError".to_owned(),
            message,
        })
    }

    /// The same for what an author wrote: the library fills in the defaults first.
    pub fn refuses_written_connection(&self, info: &Value) -> Option<Raised> {
        let mut members = info.as_hash().unwrap_or_default().to_vec();
        for attribute in &self.attributes {
            if let Some(default) = &attribute.default
                && info.get(&attribute.name).is_none()
            {
                members.push((Value::symbol(attribute.name.as_str()), default.clone()));
            }
        }
        self.refuses_connection(&Value::Hash(members))
    }
}
