//! Situations, as files hold them.

use anyhow::{Context, bail};
use serde_json::Value;

/// A situation, as files hold it.
#[derive(Clone, Debug)]
pub struct Line {
    pub(crate) name: String,
    pub(crate) about: Option<String>,
    pub(crate) members: Value,
}

impl stickler_conform::Line for Line {
    fn read(text: &str) -> anyhow::Result<Line> {
        let members: Value = serde_json::from_str(text)?;
        let text = |key: &str| members[key].as_str().map(str::to_owned);
        let name = text("name").context("a situation needs a name")?;
        if !members["input"].is_object() {
            bail!("{name}: a situation needs an input");
        }
        Ok(Line {
            about: text("fact").filter(|fact| !fact.is_empty()),
            name,
            members,
        })
    }
}
