//! What the doctor has looked at.

use serde::Serialize;

/// One checked item.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Item {
    pub(super) topic: &'static str,
    pub(super) name: String,
    pub(super) ok: bool,
    pub(super) detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lacks: Vec<String>,
    /// What the user can do about it, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) todo: Vec<String>,
    /// Does Stickler work without it?
    pub(super) optional: bool,
}

impl Item {
    pub(super) fn new(
        topic: &'static str,
        name: &str,
        ok: bool,
        detail: impl Into<String>,
    ) -> Item {
        Item {
            topic,
            name: name.to_owned(),
            ok,
            detail: detail.into(),
            lacks: Vec::new(),
            todo: Vec::new(),
            optional: false,
        }
    }

    pub(super) fn optional(mut self) -> Item {
        self.optional = true;
        self
    }

    /// The same with a line about what the user can do.
    #[must_use]
    pub(super) fn advised(mut self, line: &str) -> Item {
        self.todo.push(line.to_owned());
        self
    }
}
