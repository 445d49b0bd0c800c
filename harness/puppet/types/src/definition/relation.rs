//! Automatic relationships.

use super::{Auto, AutoRelation, Definition, Problem, RelationTitle};
use crate::value::Value;

impl Definition {
    pub(super) fn read_relations(&mut self, value: &Value) {
        for auto in Auto::ALL {
            let pairs = match value.get(auto.key()) {
                None | Some(Value::Undef) => continue,
                Some(Value::Hash(pairs)) => pairs,
                Some(other) => {
                    self.problems.push(Problem::AutoNoHash {
                        auto,
                        class: other.class().to_owned(),
                    });
                    continue;
                }
            };
            for (key, titles) in pairs {
                let type_name = match key {
                    Value::Symbol(name) | Value::String(name) => name.clone(),
                    other => {
                        self.problems.push(Problem::AutoTypeName {
                            auto,
                            type_name: other.inspect(),
                        });
                        continue;
                    }
                };
                let mut found = Vec::new();
                self.read_titles(auto, titles, &mut found);
                self.relations.push(AutoRelation {
                    auto,
                    type_name,
                    titles: found,
                });
            }
        }
    }

    /// Lists are flattened, and `nil` is dropped.
    fn read_titles(&mut self, auto: Auto, value: &Value, found: &mut Vec<RelationTitle>) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.read_titles(auto, item, found);
                }
            }
            Value::Undef => {}
            Value::String(text) => match text.strip_prefix('$') {
                Some(attribute) => {
                    let attribute = attribute.strip_suffix('\n').unwrap_or(attribute).to_owned();
                    if self.attribute(&attribute).is_none() {
                        self.problems.push(Problem::AutoUnknownAttribute {
                            auto,
                            attribute: attribute.clone(),
                        });
                    }
                    found.push(RelationTitle::Attribute(attribute));
                }
                None => found.push(RelationTitle::Constant(text.clone())),
            },
            other => self.problems.push(Problem::AutoTitle {
                auto,
                title: other.inspect(),
            }),
        }
    }
}
