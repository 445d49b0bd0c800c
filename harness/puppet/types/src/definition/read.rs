//! Reads a definition as far as possible.

use super::secret::{is_bare_text, looks_secret};
use super::{Attribute, Behaviour, Definition, Part, Problem, Subject};
use crate::aliases::Aliases;
use crate::matches::Match;
use crate::names::{class_name, is_constant_name};
use crate::parse::parse_with;
use crate::types::Type;
use crate::value::Value;

/// The features that a provider can declare. `custom_generate` came with version 2.
pub const FEATURES: [&str; 6] = [
    "canonicalize",
    "custom_generate",
    "custom_insync",
    "remote_resource",
    "simple_get_filter",
    "supports_noop",
];

/// Names that no attribute may have, in the order in which the library looks for them. The last
/// one has a message of its own.
pub const RESERVED: [&str; 16] = [
    "title",
    "provider",
    "alias",
    "audit",
    "before",
    "consume",
    "export",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
    TRIGGER,
];

/// The property that types without properties get if they have the feature `custom_insync`.
pub const TRIGGER: &str = "rsapi_custom_insync_trigger";

const TOP_KEYS: [&str; 10] = [
    "name",
    "desc",
    "docs",
    "attributes",
    "features",
    "title_patterns",
    "autorequire",
    "autobefore",
    "autosubscribe",
    "autonotify",
];

const ATTRIBUTE_KEYS: [&str; 6] = ["type", "desc", "docs", "default", "behaviour", "behavior"];

impl Definition {
    /// Reads what was given to `register_type`.
    pub fn of_type(value: &Value) -> Self {
        Self::of_type_with(value, &Aliases::default())
    }

    /// The same, where modules define aliases.
    pub fn of_type_with(value: &Value, aliases: &Aliases) -> Self {
        let mut own = Self::default();
        let Some(pairs) = value.as_hash() else {
            own.problems.push(Problem::NoHash {
                class: value.class().to_owned(),
            });
            return own;
        };
        own.keys(&Part::Top, pairs, &TOP_KEYS);
        own.read_name(value);
        own.desc = own.read_desc(Part::Top, value);
        own.read_attributes(value, "attributes", aliases);
        for index in 0..own.attributes.len() {
            own.judge_attribute(index);
        }
        own.judge_ensure();
        own.read_features(value);
        own.read_title_patterns(value);
        own.read_relations(value);
        own
    }

    pub(super) fn read_name(&mut self, value: &Value) {
        let name = match value.get("name") {
            None => return self.problems.push(Problem::NoName),
            Some(Value::String(name) | Value::Symbol(name)) => name.clone(),
            Some(other) => {
                return self.problems.push(Problem::BadName {
                    name: other.inspect(),
                });
            }
        };
        if !is_constant_name(&class_name(&name)) {
            self.problems.push(Problem::BadName {
                name: Value::string(name.as_str()).inspect(),
            });
        }
        self.name = Some(name);
    }

    /// Unknown keys that are nearly known ones, and keys that are no symbols.
    pub(super) fn keys(&mut self, place: &Part, pairs: &[(Value, Value)], known: &[&'static str]) {
        for (key, _) in pairs {
            let Some(name) = key.as_symbol() else {
                self.problems.push(Problem::KeyNoSymbol {
                    place: place.clone(),
                    key: key.inspect(),
                });
                continue;
            };
            if known.contains(&name) {
                continue;
            }
            // Tools add keys of their own; only a slip of the pen is a fault.
            let near = known.iter().find(|known| is_near(name, known));
            if let Some(known) = near {
                self.problems.push(Problem::NearlyKnown {
                    place: place.clone(),
                    key: name.to_owned(),
                    known,
                });
            }
        }
    }

    /// The description, which may have its older name.
    pub(super) fn read_desc(&mut self, place: Part, value: &Value) -> Option<String> {
        let (desc, docs) = (value.get("desc"), value.get("docs"));
        if desc.is_some() && docs.is_some() {
            self.problems.push(Problem::DescAndDocs {
                place: place.clone(),
            });
        }
        match desc.or(docs) {
            Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            None | Some(Value::Undef) => {
                self.problems.push(Problem::NoDesc { place });
                None
            }
            Some(Value::String(_)) => {
                self.problems.push(Problem::BlankDesc { place });
                None
            }
            Some(other) => {
                self.problems.push(Problem::DescNoText {
                    place,
                    class: other.class().to_owned(),
                });
                None
            }
        }
    }

    pub(super) fn read_attributes(&mut self, value: &Value, key: &'static str, aliases: &Aliases) {
        let Some(attributes) = value.get(key) else {
            self.problems.push(Problem::NoAttributes { key });
            return;
        };
        let Some(pairs) = attributes.as_hash() else {
            self.problems.push(Problem::AttributesNoHash {
                key,
                class: attributes.class().to_owned(),
            });
            return;
        };
        for (name, options) in pairs {
            let name = match name {
                Value::Symbol(name) => name.clone(),
                other => {
                    self.problems.push(if self.subject == Subject::Transport {
                        Problem::StringKey {
                            key: other.inspect(),
                        }
                    } else {
                        Problem::KeyNoSymbol {
                            place: Part::Top,
                            key: other.inspect(),
                        }
                    });
                    other.to_text()
                }
            };
            self.read_attribute(name, options, aliases);
        }
    }

    fn read_attribute(&mut self, attribute: String, options: &Value, aliases: &Aliases) {
        let Some(pairs) = options.as_hash() else {
            self.problems.push(Problem::AttributeNoHash {
                attribute,
                class: options.class().to_owned(),
            });
            return;
        };
        let place = Part::Attribute(attribute.clone());
        if self.subject == Subject::Type {
            self.keys(&place, pairs, &ATTRIBUTE_KEYS);
        } else {
            self.keys(&place, pairs, &["type", "desc", "default", "sensitive"]);
        }
        let desc = self.read_desc(place, options);
        let (type_text, data_type) = self.read_type(&attribute, options, aliases);
        let behaviour = self.read_behaviour(&attribute, options);
        let sensitive = match options.get("sensitive") {
            None => false,
            Some(Value::Bool(sensitive)) => *sensitive,
            Some(other) => {
                if self.subject == Subject::Transport {
                    self.problems.push(Problem::SensitiveNoBoolean {
                        attribute: attribute.clone(),
                        value: other.inspect(),
                    });
                }
                false
            }
        };
        self.attributes.push(Attribute {
            name: attribute,
            type_text,
            data_type,
            desc,
            behaviour,
            default: options.get("default").cloned(),
            sensitive,
        });
    }

    fn read_type(
        &mut self,
        attribute: &str,
        options: &Value,
        aliases: &Aliases,
    ) -> (Option<String>, Option<Type>) {
        let attribute = attribute.to_owned();
        let text = match options.get("type") {
            None => {
                self.problems.push(Problem::NoType { attribute });
                return (None, None);
            }
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                self.problems.push(Problem::TypeNoText {
                    attribute,
                    class: other.class().to_owned(),
                });
                return (None, None);
            }
        };
        match parse_with(&text, aliases) {
            Ok(own) => {
                if let Some(alias) = own.unknown() {
                    self.problems.push(Problem::AliasUnknown {
                        attribute,
                        alias: alias.clone(),
                    });
                } else if let Some(name) = own.unresolved() {
                    self.problems.push(Problem::TypeUnresolved {
                        attribute,
                        name: name.to_owned(),
                    });
                }
                (Some(text), Some(own))
            }
            Err(error) => {
                self.problems.push(Problem::TypeNotParsed {
                    attribute,
                    text: text.clone(),
                    error,
                });
                (Some(text), None)
            }
        }
    }

    fn read_behaviour(&mut self, attribute: &str, options: &Value) -> Behaviour {
        let set = |key| options.get(key).filter(|value| !value.is_nil());
        let (british, american) = (set("behaviour"), set("behavior"));
        if british.is_some() && american.is_some() {
            self.problems.push(Problem::BothBehaviours {
                attribute: attribute.to_owned(),
            });
        }
        let Some(value) = british.or(american) else {
            return Behaviour::Property;
        };
        let known = value.as_symbol().and_then(Behaviour::of);
        known.unwrap_or_else(|| {
            self.problems.push(Problem::UnknownBehaviour {
                attribute: attribute.to_owned(),
                behaviour: value.inspect(),
            });
            // A string that names one says what is meant.
            value.as_str().and_then(Behaviour::of).unwrap_or_default()
        })
    }

    fn judge_attribute(&mut self, index: usize) {
        let attribute = self.attributes[index].clone();
        let name = attribute.name.clone();
        if RESERVED.contains(&name.as_str()) {
            self.problems.push(Problem::ReservedName {
                attribute: name.clone(),
            });
        }
        self.judge_default(&attribute);
        let secret = attribute.data_type.as_ref().is_some_and(is_bare_text);
        if secret && looks_secret(&name) {
            self.problems.push(Problem::Secret { attribute: name });
        }
        if let Some(Value::Sensitive(default)) = &attribute.default {
            self.judge_secret_default(&attribute.name, default);
        }
    }

    /// The default of a secret is no secret. An empty one stands for none.
    pub(super) fn judge_secret_default(&mut self, name: &str, default: &Value) {
        if !default.is_nil() && default.as_str() != Some("") {
            self.problems.push(Problem::SecretDefault {
                attribute: name.to_owned(),
            });
        }
    }

    /// Does a default match its type?
    pub(super) fn judge_default(&mut self, attribute: &Attribute) {
        let name = || attribute.name.clone();
        let Some(default) = &attribute.default else {
            return;
        };
        if attribute.behaviour == Behaviour::ReadOnly {
            self.problems
                .push(Problem::DefaultOfReadOnly { attribute: name() });
            return;
        }
        if matches!(default, Value::Proc(_)) {
            self.problems
                .push(Problem::DefaultProc { attribute: name() });
            return;
        }
        let Some(own) = &attribute.data_type else {
            return;
        };
        match own.matches(default) {
            Match::Yes => {}
            // The default of an absent attribute is no default.
            Match::No if default.is_nil() && own.is_literally_optional() => {}
            Match::No => self.problems.push(Problem::DefaultMismatch {
                attribute: name(),
                message: own.describe_mismatch("", default),
            }),
            Match::Undecided(why) => self.problems.push(Problem::DefaultUndecided {
                attribute: name(),
                reason: why.to_string(),
            }),
        }
    }

    fn judge_ensure(&mut self) {
        let Some(ensure) = self.attribute("ensure").cloned() else {
            return;
        };
        if let Some(own) = &ensure.data_type
            && !is_ensure_type(own)
        {
            self.problems.push(Problem::EnsureType {
                text: ensure.type_text.unwrap_or_default(),
            });
        }
        if ensure.behaviour != Behaviour::Property {
            self.problems.push(Problem::EnsureBehaviour {
                behaviour: ensure.behaviour,
            });
        }
    }

    fn read_features(&mut self, value: &Value) {
        let items = match value.get("features") {
            None | Some(Value::Undef) => return,
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.problems.push(Problem::FeaturesNoList {
                    class: other.class().to_owned(),
                });
                return;
            }
        };
        for item in items {
            match item {
                Value::String(feature) if FEATURES.contains(&feature.as_str()) => {
                    self.features.push(feature.clone());
                }
                Value::String(feature) => self.problems.push(Problem::UnknownFeature {
                    feature: feature.clone(),
                }),
                other => self.problems.push(Problem::FeatureNoText {
                    feature: other.inspect(),
                }),
            }
        }
    }
}

/// Is `ensure` of this type what the library takes?
pub(super) fn is_ensure_type(own: &Type) -> bool {
    let inner = match own {
        Type::Optional(Some(inner)) => inner,
        other => other,
    };
    let plain = |one: &Type| matches!(one, Type::Enum { values, .. } if values[..] == ["absent", "present"]);
    let presence = Type::enumeration(vec!["present".into(), "absent".into()], false);
    plain(inner) || *inner == Type::Variant(vec![Type::Undef, presence])
}

/// Is one word so like the other that it is meant?
fn is_near(word: &str, known: &str) -> bool {
    let word = word.to_lowercase();
    let distance = strsim::damerau_levenshtein(&word, known);
    // Short words are near to many.
    let most = match known.len() {
        0..=4 => 1,
        5..=9 => 2,
        _ => 3,
    };
    distance <= most && distance < known.len()
        || word == format!("{known}s")
        || known.strip_suffix('s') == Some(word.as_str())
}
