//! Puts the examples into a policy for the reference agent, which decides what to send to the
//! module and when.

use crate::program::{Known, Program};
use crate::targeted::compat;
use cfengine_policy::syntax::syntax;
use cfengine_policy::{quoted, text};
use cfengine_protocol::wire::{Encode as _, Style, Value};
use stickler_suite::config::Example;
use stickler_suite::{Effort, Instance, Setting, fill_value, scratch_dir};
use stickler_transcript::{Bytes, Case, Mode};

/// How many examples get their own policy, and how many share one.
const ALONE: usize = 3;
const TOGETHER: usize = 10;

/// Attributes that the agent handles itself; it does not send them to the module.
const OWN: [&str; 12] = [
    "action",
    "action_name",
    "action_policy",
    "classes",
    "comment",
    "depends_on",
    "handle",
    "if",
    "ifvarclass",
    "log_level",
    "meta",
    "unless",
];

/// A policy variable that iterates over the scratch directories.
const DIRS: &str = "$(dirs)";

pub(crate) fn driven(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let subjects: Vec<Subject> = (0..setting.config.examples.len())
        .filter_map(|index| Subject::of(setting, index))
        .collect();
    let alone = match effort {
        Effort::Quick => 1,
        Effort::Normal => ALONE,
        Effort::Deep => usize::MAX,
    };
    let mut driven = Vec::new();
    for subject in subjects.iter().take(alone) {
        driven.push(run(setting, subject, Mode::Normal, 2));
        driven.push(run(setting, subject, Mode::DryRun, 1));
    }
    if subjects.len() > 1 && effort != Effort::Quick {
        driven.push(together(setting, &subjects[..subjects.len().min(TOGETHER)]));
    }
    driven
}

/// An example that a policy can express.
struct Subject<'c> {
    example: &'c Example,
    first: Instance,
    /// The example in the second scratch directory, if that makes another promise and nothing
    /// prevents it.
    second: Option<Instance>,
}

impl<'c> Subject<'c> {
    fn of(setting: &Setting<'c>, index: usize) -> Option<Self> {
        let example = &setting.config.examples[index];
        let first = setting.example(index, 0);
        let kind = &first.kind;
        let known = setting.knowledge.valid.contains(&first.info.label);
        let names = example.attributes.iter().map(|(name, _)| &**name);
        let sayable = known
            && is_name(kind)
            && !syntax().is_built_in(kind)
            && names.clone().all(|name| is_name(name) && !is_own(name))
            && promise(example, &first.info.label, &scratch_dir(0)).is_some();
        let mut second = setting.example(index, 1);
        // A policy expresses containers as variables, and the agent does not iterate over those.
        let containers = example
            .attributes
            .iter()
            .any(|(_, value)| matches!(value, Value::Object(_)));
        let other = setting.sandboxed
            && example.setup.is_empty()
            && second.identity != first.identity
            && !containers;
        second.info.description = Some("in a list of two directories".into());
        sayable.then_some(Subject {
            example,
            first,
            second: Some(second).filter(|_| other),
        })
    }
}

/// Does the agent handle this attribute itself?
pub(super) fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Promises one example four times: with a variable that never has a value, unchanged, with a
/// variable that has a value from the second pass on, and with a list of directories.
fn run(setting: &Setting<'_>, subject: &Subject<'_>, mode: Mode, runs: usize) -> Case {
    let label = &subject.first.info.label;
    let name = match mode {
        Mode::Normal => "run",
        Mode::DryRun | Mode::Simulate => "dry-run",
    };
    let mut case = setting.case(format!("{name}/{label}"));
    case.setup(&subject.first).observing();
    let mut known = vec![Known::from(&subject.first)];
    let mut dirs = quoted(&scratch_dir(0));
    if let Some(second) = &subject.second {
        case.provide(second);
        known.push(second.into());
        dirs = format!("{dirs}, {}", quoted(&scratch_dir(1)));
    }
    let say = |dir: &str| promise(subject.example, label, dir).unwrap_or_default();
    let (plain, listed) = (say(&scratch_dir(0)), say(DIRS));
    let kind = &subject.first.kind;
    let mut promises = vec![
        plain.with_promiser("$(nowhere)", None),
        plain.with_promiser(&plain.promiser, Some("first")),
        // The agent evaluates promises with the same text only once, so these set different
        // classes.
        plain.with_promiser("$(later)", Some("again")),
    ];
    if subject.second.is_some() {
        promises.push(listed.with_promiser(&listed.promiser, None));
    }
    let vars = format!(
        "      \"dirs\" slist => {{ {dirs} }};\n{}    first_holds::\n      \"later\" string => {};\n",
        plain.containers,
        quoted(&plain.promiser),
    );
    let program = Program {
        mode,
        compat: compat(setting).name().into(),
        policy: policy(setting, &vars, &[(kind, promises)]),
        runs,
        promises: known,
    };
    program.after(&mut case)
}

/// All examples, grouped by type. One process handles all types.
fn together(setting: &Setting<'_>, subjects: &[Subject<'_>]) -> Case {
    let mut case = setting.case("run/all");
    case.observing();
    let mut vars = String::new();
    let mut sections: Vec<(&str, Vec<String>)> = Vec::new();
    for subject in subjects {
        let first = &subject.first;
        case.setup(first);
        let said = promise(subject.example, &first.info.label, &scratch_dir(0)).unwrap_or_default();
        vars.push_str(&said.containers);
        let promise = said.with_promiser(&said.promiser, Some(&first.info.label));
        let kind = &*first.kind;
        match sections.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, promises)) => promises.push(promise),
            None => sections.push((kind, vec![promise])),
        }
    }
    let sections: Vec<(&String, Vec<String>)> = sections
        .into_iter()
        .filter_map(|(kind, promises)| {
            let of = |subject: &&Subject<'_>| subject.first.kind == kind;
            let named = subjects.iter().find(of)?;
            Some((&named.first.kind, promises))
        })
        .collect();
    let promises = subjects.iter().map(|subject| Known::from(&subject.first));
    let program = Program {
        mode: Mode::Normal,
        compat: compat(setting).name().into(),
        policy: policy(setting, &vars, &sections),
        runs: 1,
        promises: promises.collect(),
    };
    program.after(&mut case)
}

/// A promise in the policy language.
#[derive(Default)]
pub(super) struct Said {
    pub(super) promiser: String,
    /// `name => value,` and so on.
    attributes: String,
    /// Variables that hold its containers.
    pub(super) containers: String,
}

impl Said {
    pub(super) fn with_promiser(&self, promiser: &str, outcome: Option<&str>) -> String {
        self.written(promiser, "", outcome)
    }

    /// With a further attribute.
    pub(super) fn with(&self, attribute: &str, outcome: Option<&str>) -> String {
        self.written(&self.promiser, &format!("        {attribute}\n"), outcome)
    }

    fn written(&self, promiser: &str, more: &str, outcome: Option<&str>) -> String {
        let classes = outcome
            .map(|class| format!("        classes => holds({}),\n", quoted(class)))
            .unwrap_or_default();
        let attributes = format!("{classes}{more}{}", self.attributes);
        let attributes = attributes.trim_end().trim_end_matches(',');
        format!("      {}\n{attributes};\n", quoted(promiser))
    }
}

/// `None` if the language cannot express the example: it would read some text as a variable.
fn promise(example: &Example, label: &str, dir: &str) -> Option<Said> {
    let (_, promiser) = example.identity.first()?;
    let attributes = &example.attributes;
    let mut values = attributes.iter().map(|(_, value)| value).chain([promiser]);
    if !values.all(is_sayable) {
        return None;
    }
    let promiser = fill_value(promiser, dir);
    let attributes = attributes
        .iter()
        .map(|(name, value)| (&name[..], fill_value(value, dir)));
    said(&promiser, attributes, label)
}

/// Would the language read this value as it is?
pub(super) fn is_sayable(value: &Value) -> bool {
    let plain = |text: &[u8]| {
        let text = text::decode(text);
        let mut variables = ["$(", "${", "@(", "@{"].iter();
        !text.contains('\0') && !variables.any(|start| text.contains(start))
    };
    match value {
        Value::Text(text) => plain(text),
        Value::List(items) => {
            let mut items = items.iter();
            items.all(|item| item.as_text().is_some_and(plain))
        }
        Value::Object(_) => plain(&value.encode(Style::Agent)),
        _ => false,
    }
}

/// A promise with these values. `None` if one has a form that policies cannot give it.
pub(super) fn said<'v>(
    promiser: &Value,
    attributes: impl Iterator<Item = (&'v str, Value)>,
    label: &str,
) -> Option<Said> {
    let mut said = Said {
        promiser: text::decode(promiser.as_text()?).into_owned(),
        ..Said::default()
    };
    for (name, value) in attributes {
        let value = match &value {
            Value::Text(text) => quoted(&text::decode(text)),
            Value::List(items) if !items.is_empty() => {
                let texts: Option<Vec<String>> = items
                    .iter()
                    .map(|item| Some(quoted(&text::decode(item.as_text()?))))
                    .collect();
                format!("{{ {} }}", texts?.join(", "))
            }
            Value::Object(_) => {
                let json = text::decode(&value.encode(Style::Agent)).into_owned();
                let variable = format!("{label}_{name}");
                said.containers.push_str(&format!(
                    "      \"{variable}\" data => parsejson({});\n",
                    quoted(&json)
                ));
                quoted(&format!("@({variable})"))
            }
            _ => return None,
        };
        said.attributes
            .push_str(&format!("        {name} => {value},\n"));
    }
    Some(said)
}

fn policy(setting: &Setting<'_>, vars: &str, sections: &[(&String, Vec<String>)]) -> Bytes {
    let mut policy = declared(setting, sections.iter().map(|(kind, _)| *kind));
    policy.push_str("bundle agent main\n{\n");
    if !vars.is_empty() {
        policy.push_str(&format!("  vars:\n{vars}\n"));
    }
    for (kind, promises) in sections {
        policy.push_str(&format!("  {kind}:\n{}\n", promises.concat()));
    }
    policy.push_str(
        "}\n\nbody classes holds(name)\n{\n  promise_kept => { \"$(name)_holds\" };\n  promise_repaired => { \"$(name)_holds\" };\n}\n",
    );
    text::encode(&policy).into_owned().into()
}

/// Declares the module's promise types.
pub(super) fn declared<'k>(
    setting: &Setting<'_>,
    kinds: impl Iterator<Item = &'k String>,
) -> String {
    let module = setting
        .argv
        .last()
        .map(|word| text::decode(word).into_owned());
    let module = module.filter(|path| path.starts_with('/') && !path.contains(['$', '@']));
    let module = quoted(module.as_deref().unwrap_or("/module"));
    kinds
        .map(|kind| format!("promise agent {kind}\n{{\n  path => {module};\n}}\n\n"))
        .collect()
}
