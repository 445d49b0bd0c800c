//! # Rows of types with several namevars have a title
//!
//! ## What it requires
//! If a type has several namevars, every row has a `title` that matches a title pattern. The
//! namevars that the pattern gives are those of the row.
//!
//! ## Why
//! The runtime shows the title to users, and parses it again.
//!
//! ## How it is judged
//! - Judged: the rows of types with several namevars.
//! - Not judged: types without title patterns (RA111).
//!
//! ## Example
//! `title: 'php'` in a row with `package: 'php', manager: 'yum'`.
//!
//! ## How to fix
//! Build the title so that the first pattern that matches gives back the row's namevars.
//!
//! ## Source
//! Resource API specification, "Resource implementation", "Composite Namevars". puppet-resource_api
//! 1.8.16 warns, and with `--strict=error` stops.

use crate::reads::READS;
use crate::releases::Releases;
use crate::rows::{Read, named, reads};
use crate::session::Session;
use puppet_types::Value;
use puppet_types::titles::{Title, TitlePattern, first_match};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for read in reads(session) {
        let is_several = read.definition.namevars().len() > 1;
        // Without a pattern, no title could be right.
        let patterns = read
            .definition
            .title_patterns
            .as_deref()
            .unwrap_or_default();
        if is_several && patterns.is_empty() {
            ledger.skip("the type has no title patterns (RA111)");
            continue;
        }
        let rows = read
            .rows()
            .iter()
            .filter(|row| is_several && row.as_hash().is_some());
        for row in rows {
            let broken = wrong(&read, row, patterns, ledger);
            let broken = broken.map(|why| {
                let strictly = Releases::of(session).strictly();
                format!("{}: {why}{strictly}", named(read.definition, row))
            });
            ledger.check(read.call.number, read.call.provenance, broken);
        }
    }
}

fn wrong(
    read: &Read<'_>,
    row: &Value,
    patterns: &[TitlePattern],
    ledger: &mut Ledger,
) -> Option<String> {
    let Some(title) = row.get("title").and_then(Value::as_str) else {
        return Some("the row has no `title`".to_owned());
    };
    match first_match(patterns, title) {
        Ok(Title::Matched { namevars, .. }) => {
            let given = |name: &str| {
                let captured = namevars.iter().find(|capture| capture.name == name);
                let captured = captured.and_then(|capture| capture.text.clone());
                // What a title does not say is the default.
                let default = || read.definition.attribute(name)?.default.as_ref();
                captured.or_else(|| default().map(Value::to_text))
            };
            let all = read.definition.namevars().into_iter();
            let mut all = all.filter_map(|name| Some((name, row.get(name)?)));
            all.find_map(|(name, own)| match given(name) {
                Some(text) if text == own.to_text() => None,
                None if own.is_nil() => None,
                Some(text) => Some(format!("the title `{title}` gives `{text}` for `{name}`")),
                None => Some(format!("the title `{title}` gives nothing for `{name}`")),
            })
        }
        Ok(Title::Unmatched) => Some(format!("the title `{title}` matches no pattern")),
        Err(why) => {
            ledger.skip(why.to_string());
            None
        }
    }
}
