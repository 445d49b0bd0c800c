//! `stickler rules`: the list.

use crate::args::{ListFormat, RulesArgs};
use crate::explain::level_name;
use crate::failure::Done;
use crate::terminal;
use cfengine_protocol::agents::all_rules;
use stickler_judge::Exit;

pub fn run(args: &RulesArgs) -> Done {
    let mut text = String::new();
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
        text.push_str(&line);
        text.push('\n');
    }
    terminal::print(text)?;
    Ok(Exit::Success)
}
