//! `stickler rules`: the list.

use crate::args::{ListFormat, RulesArgs};
use crate::explain::level_name;
use crate::failure::Done;
use std::io::Write;
use stickler_judge::Exit;
use stickler_promise::agents::all_rules;

pub fn run(args: &RulesArgs) -> Done {
    let mut out = std::io::stdout().lock();
    for rule in all_rules() {
        let title = rule.page().title;
        let level = level_name(rule.level);
        let line = match args.format {
            ListFormat::Pretty => format!("{}  {level:<6}  {title}", rule.code),
            ListFormat::Json => serde_json::json!({
                "rule": rule.code,
                "dialect": "promise-module",
                "level": level,
                "title": title,
            })
            .to_string(),
        };
        writeln!(out, "{line}").map_err(anyhow::Error::from)?;
    }
    Ok(Exit::Success)
}
