//! `stickler explain`: the manual pages of rules.

use crate::args::ExplainArgs;
use anstyle::Style;
use stickler_face::args::ListFormat;
use stickler_face::{Dialects, Done, Face, Failure, terminal};
use stickler_judge::{Exit, Relation, Rule};
use stickler_suite::Vocabulary;

pub fn run(dialects: &Dialects, args: &ExplainArgs) -> Done {
    let rules = listed(dialects);
    let mut chosen: Vec<&Listed> = Vec::new();
    for wanted in &args.rules {
        for rule in named(wanted, &rules)? {
            if chosen.iter().all(|other| other.rule.code != rule.rule.code) {
                chosen.push(rule);
            }
        }
    }
    let text = match args.format {
        ListFormat::Pretty => {
            let bold = if args.color.on_stdout() {
                Style::new().bold()
            } else {
                Style::new()
            };
            let pages: Vec<String> = chosen.iter().map(|rule| page(rule, bold)).collect();
            pages.join("\n")
        }
        ListFormat::Json => chosen.iter().map(|rule| json(rule)).collect(),
    };
    terminal::print(text)?;
    Ok(Exit::Success)
}

/// The rules that an argument names: the one with this code, or all whose codes begin like this.
fn named<'r>(wanted: &str, rules: &'r [Listed]) -> Result<Vec<&'r Listed>, Failure> {
    let code = wanted.to_ascii_uppercase();
    let found: Vec<&Listed> = rules
        .iter()
        .filter(|rule| !code.is_empty() && rule.rule.code.starts_with(&code))
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let near = nearest(&code, rules);
    let hint = if near.is_empty() {
        "`stickler rules` lists them".to_owned()
    } else {
        format!(
            "similar rules: {}; `stickler rules` lists all",
            near.join(", ")
        )
    };
    Err(Failure::usage(format!(
        "there is no rule \"{wanted}\"\n  {hint}"
    )))
}

/// At most five codes that differ least from this one, and in no more than two characters.
fn nearest(code: &str, rules: &[Listed]) -> Vec<&'static str> {
    let distance = |rule: &Listed| strsim::levenshtein(rule.rule.code, code);
    let least = rules.iter().map(distance).min().unwrap_or(usize::MAX);
    rules
        .iter()
        .filter(|rule| least <= 2 && distance(rule) == least)
        .map(|rule| rule.rule.code)
        .take(5)
        .collect()
}

/// A manual page for people.
fn page(Listed { words, rule }: &Listed, bold: Style) -> String {
    let (page, relations) = (rule.page(), rule.relations());
    let mut lines = vec![format!(
        "{bold}{}{bold:#} ({}): {bold}{}{bold:#}",
        rule.code,
        rule.level.name(),
        page.title
    )];
    let mut is_code = false;
    for line in page.markdown.lines().skip(1) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if let Some(heading) = line.strip_prefix("## ") {
            lines.push(format!("{bold}{heading}{bold:#}"));
        } else {
            let indent = if is_code { "      " } else { "  " };
            lines.push(format!("{indent}{line}").trim_end().to_owned());
        }
    }
    lines.push(String::new());
    lines.push(format!("{bold}Sessions{bold:#}"));
    // A list of all would say less.
    if relations.is_empty() {
        lines.push("  every session".to_owned());
    } else {
        let names = relations.iter().map(|relation| relation.name().len());
        let width = names.max().unwrap_or(0);
        let relations = relations.iter();
        lines.extend(relations.map(|relation| {
            let about = words.about(*relation);
            format!("  {:width$}  {about}", relation.name())
        }));
    }
    lines.join("\n") + "\n"
}

/// A manual page for programs, as one line.
fn json(Listed { words, rule }: &Listed) -> String {
    let (page, relations) = (rule.page(), rule.relations());
    let sections: serde_json::Map<String, serde_json::Value> = page
        .sections()
        .map(|(heading, text)| (heading.to_owned(), text.into()))
        .collect();
    let sessions: Vec<String> = relations.iter().map(Relation::to_string).collect();
    let line = serde_json::json!({
        "rule": rule.code,
        "dialect": words.dialect,
        "level": rule.level.name(),
        "title": page.title,
        "sections": sections,
        "sessions": sessions,
        "markdown": page.markdown,
    });
    format!("{line}\n")
}

/// A rule of any dialect.
pub struct Listed {
    /// The words of its dialect.
    pub words: &'static Vocabulary,
    pub rule: &'static Rule,
}

/// The rules of all dialects.
pub fn listed(dialects: &Dialects) -> Vec<Listed> {
    let of = |face: &dyn Face| {
        let words = face.vocabulary();
        let rules = face.dialect().all_rules().into_iter();
        rules.map(move |rule| Listed { words, rule })
    };
    dialects.all().flat_map(of).collect()
}
