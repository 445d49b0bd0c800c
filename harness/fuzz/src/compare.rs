//! Rules that compare sessions: an item that a campaign made up becomes the example of a small
//! check, which holds the sessions of one relation.

use crate::input::InputItem;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stickler_judge::{Reported, Rule, Verdict};
use stickler_suite::config::{Config, Example};
use stickler_suite::{Bench, Checking, Effort, Quiet, RunError, RunSettings, check};
use stickler_transcript::{Bytes, Relation, Transcript, Value};

/// How long one comparison may take.
const TIME: Duration = Duration::from_secs(4);

/// What a comparison found: the outcome of a rule, and the sessions that show it.
pub type Compared = Vec<(Reported, Vec<Transcript>)>;

/// The relations that rules compare.
pub fn relations(rules: &[&Rule]) -> Vec<Relation> {
    let relations: BTreeSet<Relation> = rules.iter().flat_map(|rule| rule.compared()).collect();
    relations.into_iter().collect()
}

/// Are paths of an item absolute where those of the author are, and only there? Rules know from the form of a value
/// what a module takes it for: a file's name without its folder is not a name below a folder.
pub fn keeps_form(item: &InputItem, authors: &InputItem) -> bool {
    let is_absolute = |value: &Value| value.words().iter().any(|word| word.starts_with(b"/"));
    authors.fields().all(|(name, usual)| {
        let mut fields = item.fields();
        let own = fields.find(|(known, _)| known == name);
        own.is_none_or(|(_, value)| is_absolute(value) == is_absolute(usual))
    })
}

/// The examples that sessions are held with.
#[derive(Debug)]
pub enum Examples {
    /// An item, as the example.
    Item(InputItem),
    /// An item, and then the author's example from which it was made.
    Before(InputItem),
}

impl Examples {
    fn all(&self, config: &Config) -> Vec<Example> {
        let (Examples::Item(item) | Examples::Before(item)) = self;
        let made = example(config, item);
        let mut authors = config.examples.iter();
        let own = authors.find(|own| own.name == item.example);
        let own = own.filter(|_| matches!(self, Examples::Before(_))).cloned();
        [made].into_iter().chain(own).collect()
    }
}

/// Holds the sessions of a relation, and judges them by the rules that compare them. Findings are confirmed.
///
/// # Errors
/// If no session can start, or if the harness fails.
pub fn compare(
    bench: &Bench<'_>,
    settings: &RunSettings,
    rules: &[&'static Rule],
    examples: &Examples,
    relation: Relation,
    stop: &AtomicBool,
) -> Result<Compared, RunError> {
    let rules = rules.iter().copied();
    let rules: Vec<_> = rules
        .filter(|rule| rule.compared().contains(&relation))
        .collect();
    let own = Config {
        examples: examples.all(bench.config),
        invalid: Vec::new(),
        ..bench.config.clone()
    };
    let settings = RunSettings {
        jobs: 1,
        effort: Effort::Quick,
        relations: Some([relation].into()),
        time: Some(TIME),
        shard: None,
        // What it finds is confirmed without.
        warm: true,
        ..settings.clone()
    };
    let checked = match check(
        &Checking {
            bench: Bench {
                config: &own,
                ..*bench
            },
            settings: &settings,
            rules: &rules,
            reproducers: Path::new(""),
            name: "",
        },
        &Quiet(stop),
    ) {
        Ok(checked) => checked,
        // Nobody wrote this item: one that a runtime refuses shows nothing.
        Err(RunError::Description(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let files = checked.reproducers.into_iter();
    let mut files: BTreeMap<String, Vec<Transcript>> = files
        .map(|(path, transcripts)| (path.display().to_string(), transcripts))
        .collect();
    let failed = checked.outcomes.into_iter().filter(|outcome| {
        matches!(outcome.verdict, Verdict::Fail) && outcome.explained_by.is_none()
    });
    let found = failed.filter_map(|outcome| {
        let transcripts = files.remove(outcome.reproducer.as_ref()?)?;
        Some((outcome, transcripts))
    });
    Ok(found.collect())
}

/// An item as an author would write it.
fn example(config: &Config, item: &InputItem) -> Example {
    let mut examples = config.examples.iter();
    let base = examples.find(|example| example.name == item.example);
    let fields = |fields: &[(Bytes, Value)]| {
        let fields = fields.iter();
        fields
            .map(|(name, value)| (name.lossy().into_owned(), literal(value)))
            .collect()
    };
    Example {
        name: match item.example.is_empty() {
            true => "generated".to_owned(),
            false => format!("{}, changed", item.example),
        },
        kind: Some(item.kind.clone()).filter(|kind| !kind.is_empty()),
        identity: fields(&item.identity),
        attributes: fields(&item.attributes),
        setup: base.map_or_else(Vec::new, |base| base.setup.clone()),
        ..Example::default()
    }
}

/// A value that stays as it is where `{dir}` is filled in.
fn literal(value: &Value) -> Value {
    match value {
        Value::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::text(text.replace("{dir}", "{{dir}}")),
            Err(_) => value.clone(),
        },
        Value::List(items) => Value::List(items.iter().map(literal).collect()),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), literal(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(promiser: &str, attributes: &[(&str, Value)]) -> InputItem {
        InputItem {
            example: String::new(),
            kind: String::new(),
            identity: vec![("promiser".into(), Value::text(promiser))],
            attributes: attributes
                .iter()
                .map(|(name, value)| ((*name).into(), value.clone()))
                .collect(),
        }
    }

    #[test]
    fn an_example_keeps_the_form_of_the_authors_paths() {
        let target = |path: &str| [("target", Value::text(path))];
        let authors = item("/srv/a", &target("b"));
        assert!(keeps_form(&item("/0", &target("x/../y")), &authors));
        assert!(keeps_form(&item("/0", &[]), &authors));
        assert!(keeps_form(
            &item("/0", &[("mode", Value::text("/"))]),
            &authors
        ));
        assert!(!keeps_form(&item("0", &target("b")), &authors));
        assert!(!keeps_form(&item("../0", &target("b")), &authors));
        assert!(!keeps_form(&item("/srv/a", &target("/etc")), &authors));
    }
}
