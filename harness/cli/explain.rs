//! `stickler explain`: a rule's manual page.

use crate::args::ExplainArgs;
use crate::face::{self, Face, Job};
use crate::failure::{Done, Failure};
use crate::terminal;
use anstyle::Style;
use std::collections::BTreeSet;
use stickler_judge::{Exit, Level, Page, Relation};

pub fn run(args: &ExplainArgs) -> Done {
    let code = args.rule.to_ascii_uppercase();
    let rules = listed();
    let Some(rule) = rules.iter().find(|rule| rule.code == code) else {
        let near: Vec<&str> = rules
            .iter()
            .map(|rule| rule.code)
            .filter(|known| strsim::levenshtein(known, &code) <= 1)
            .take(5)
            .collect();
        let hint = if near.is_empty() {
            "`stickler rules` lists them".to_owned()
        } else {
            format!(
                "similar rules: {}; `stickler rules` lists all",
                near.join(", ")
            )
        };
        return Err(Failure::usage(format!(
            "there is no rule \"{}\"\n  {hint}",
            args.rule
        )));
    };
    let bold = if args.color.on_stdout() {
        Style::new().bold()
    } else {
        Style::new()
    };
    let page = &rule.page;
    let mut lines = vec![format!(
        "{bold}{}{bold:#} ({}): {bold}{}{bold:#}",
        rule.code,
        level_name(rule.level),
        page.title
    )];
    for line in page.markdown.lines().skip(1) {
        match line.strip_prefix("## ") {
            Some(heading) => lines.push(format!("{bold}{heading}{bold:#}")),
            None if line.starts_with("```") => {}
            None => lines.push(format!("  {line}").trim_end().to_owned()),
        }
    }
    lines.push(format!("{bold}Sessions{bold:#}"));
    // A list of all would say less.
    if rule.relations.len() == Relation::ALL.len() {
        lines.push("  every session".to_owned());
    } else {
        let names = rule.relations.iter().map(|relation| relation.name().len());
        let width = names.max().unwrap_or(0);
        let relations = rule.relations.iter();
        lines.extend(
            relations.map(|relation| format!("  {:width$}  {}", relation.name(), relation.about())),
        );
    }
    terminal::print(lines.join("\n") + "\n")?;
    Ok(Exit::Success)
}

/// A rule of any dialect.
pub struct Listed {
    /// The dialect's name.
    pub dialect: &'static str,
    /// The rule's code.
    pub code: &'static str,
    /// Its highest level.
    pub level: Level,
    /// Its manual page.
    pub page: Page,
    /// The relations whose sessions it needs.
    pub relations: BTreeSet<Relation>,
}

/// The rules of all dialects.
pub fn listed() -> Vec<Listed> {
    #[derive(Clone, Copy)]
    struct List;
    impl Job for List {
        type Done = Vec<Listed>;
        fn with<F: Face>(self, face: &F) -> Vec<Listed> {
            let rules = face.all_rules().into_iter();
            rules
                .map(|rule| Listed {
                    dialect: face.vocabulary().dialect,
                    code: rule.code,
                    level: rule.level,
                    page: rule.page(),
                    relations: rule.relations(),
                })
                .collect()
        }
    }
    face::each(List).into_iter().flatten().collect()
}

/// The level's name.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::Should => "should",
        Level::May => "may",
    }
}
