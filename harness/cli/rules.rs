//! `stickler rules`: the list.

use crate::args::RulesArgs;
use crate::explain::{Listed, listed};
use stickler_face::args::ListFormat;
use stickler_face::{Dialects, Done, terminal};
use stickler_judge::Exit;

pub fn run(dialects: &Dialects, args: &RulesArgs) -> Done {
    let mut text = String::new();
    for Listed { words, rule } in listed(dialects) {
        let title = rule.title();
        let level = rule.level.name();
        let line = match args.format {
            ListFormat::Pretty => format!("{}  {level:<6}  {title}", rule.code),
            ListFormat::Json => serde_json::json!({
                "rule": rule.code,
                "dialect": words.dialect,
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
