//! Rows of `get`, beside the definition of their type.

use super::Definition;
use crate::Refused;
use crate::undecided::Undecided;
use crate::value::Value;

impl Definition {
    /// The keys of a row that are no attributes, and the attributes whose values are not of their types, in
    /// the words of the library. What only Ruby can tell fits if `is_lenient`.
    ///
    /// # Errors
    /// If only Ruby can tell.
    pub fn misfits(
        &self,
        row: &Value,
        is_lenient: bool,
    ) -> Result<(Vec<String>, Vec<String>), Undecided> {
        let (mut unknown, mut wrong) = (Vec::new(), Vec::new());
        for (key, value) in row.as_hash().unwrap_or_default() {
            let attribute = key.as_symbol().and_then(|name| self.attribute(name));
            let Some(attribute) = attribute else {
                if key.as_symbol() != Some("title") {
                    unknown.push(key.to_text());
                }
                continue;
            };
            let Some(own) = &attribute.data_type else {
                continue;
            };
            let why = match own.validate(value, "") {
                Ok(()) => continue,
                Err(Refused::Because(why) | Refused::Fails(why)) => why,
                Err(Refused::Undecided(_)) if is_lenient => continue,
                Err(Refused::Undecided(why)) => return Err(why),
            };
            wrong.push(match attribute.sensitive {
                true => format!("{}: << redacted value >> {why}", attribute.name),
                false => format!("{}: {} ({why})", attribute.name, value.to_text()),
            });
        }
        Ok((unknown, wrong))
    }
}
