//! Policies around promises that a campaign made up: several bundles, conditions, lists, warnings
//! and repetitions, as a number chooses.

use super::agent::{Said, declared, is_name, is_own, is_sayable, said};
use crate::program::{Known, Program};
use crate::targeted::compat;
use cfengine_policy::syntax::syntax;
use cfengine_policy::{quoted, text};
use stickler_suite::values::Dice;
use stickler_suite::{Instance, Setting};
use stickler_transcript::{Case, Mode, Provenance};

/// `None` if the policy language can express none of the promises.
pub(crate) fn made_up(setting: &Setting<'_>, items: &[Instance], number: u64) -> Option<Case> {
    let mut dice = Dice::new(number, "policy");
    let mut below = move |n: u64| dice.roll() % n;
    let (mode, runs) = match below(5) {
        0 => (Mode::DryRun, 1),
        1 => (Mode::Normal, 1),
        _ => (Mode::Normal, 2),
    };
    let mut case = setting.case(format!("policy/{number:016x}"));
    let mut policy = Policy::default();
    let mut promises: Vec<Known> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Some(said) = in_policy(item, &format!("p{at}")) else {
            continue;
        };
        case.set_up_once(item).provide(item);
        policy.vars.push_str(&said.containers);
        let bundle = match below(3) {
            0 => "more",
            _ => "main",
        };
        let name = format!("p{at}");
        if below(8) == 0 {
            // Only looked at: what a normal promise said before would be about another state.
            policy.promise(
                bundle,
                item,
                &said.with("action => only_warn,", Some(&name)),
            );
            promises.push(item.into());
            continue;
        }
        policy.promise(
            bundle,
            item,
            &said.with_promiser(&said.promiser, Some(&name)),
        );
        let again = match below(8) {
            // Once more, in the same pass.
            0 => said.with_promiser(&said.promiser, Some("again")),
            // Only once it holds.
            1 => said.with_promiser(&format!("$(later_{name})"), Some("later")),
            // Never, since the variable has no value.
            2 => said.with_promiser("$(nowhere)", None),
            // One of a list.
            3 => said.with_promiser(&format!("$(listed_{name})"), Some("listed")),
            // Under a condition.
            4 => {
                let holds = quoted(&format!("{name}_holds"));
                said.with(&format!("if => {holds},"), Some("if"))
            }
            _ => String::new(),
        };
        if !again.is_empty() {
            policy.promise("main", item, &again);
        }
        let promiser = quoted(&said.promiser);
        policy.vars.push_str(&format!(
            "      \"listed_{name}\" slist => {{ {promiser}, {promiser} }};\n"
        ));
        policy.later.push_str(&format!(
            "    {name}_holds::\n      \"later_{name}\" string => {promiser};\n"
        ));
        promises.push(item.into());
    }
    case.observing();
    let is_none = promises.is_empty();
    let program = Program {
        mode,
        compat: compat(setting).name().into(),
        policy: policy.text(setting).into(),
        runs,
        promises,
    };
    (!is_none).then(|| program.after(&mut case))
}

/// The promise of an item, if it is one that an agent sends.
fn in_policy(item: &Instance, label: &str) -> Option<Said> {
    let name = |name: &[u8]| std::str::from_utf8(name).ok().map(str::to_owned);
    let attributes: Option<Vec<_>> = item
        .attributes
        .iter()
        .map(|(field, value)| Some((name(field)?, value.clone())))
        .collect();
    let attributes = attributes?;
    let [(_, promiser)] = &item.identity[..] else {
        return None;
    };
    let fits = item.provenance == Provenance::Agent
        && is_name(&item.kind)
        && !syntax().is_built_in(&item.kind)
        && attributes
            .iter()
            .all(|(name, value)| is_name(name) && !is_own(name) && is_sayable(value))
        && is_sayable(promiser);
    let values = attributes
        .iter()
        .map(|(name, value)| (&name[..], value.clone()));
    fits.then(|| said(promiser, values, label)).flatten()
}

#[derive(Default)]
struct Policy {
    vars: String,
    /// Variables that have a value once a promise holds.
    later: String,
    /// Promises by bundle and promise type, in the order of their first appearance.
    sections: Vec<(&'static str, String, String)>,
}

impl Policy {
    fn promise(&mut self, bundle: &'static str, item: &Instance, promise: &str) {
        let mut sections = self.sections.iter_mut();
        match sections.find(|(of, kind, _)| *of == bundle && *kind == item.kind) {
            Some((_, _, promises)) => promises.push_str(promise),
            None => {
                let section = (bundle, item.kind.clone(), promise.to_owned());
                self.sections.push(section);
            }
        }
    }

    fn text(&self, setting: &Setting<'_>) -> Vec<u8> {
        let mut kinds: Vec<&String> = self.sections.iter().map(|(_, kind, _)| kind).collect();
        kinds.sort();
        kinds.dedup();
        let mut text = declared(setting, kinds.into_iter());
        let of = |bundle: &str| -> String {
            let sections = self.sections.iter().filter(|(of, ..)| *of == bundle);
            sections
                .map(|(_, kind, promises)| format!("  {kind}:\n{promises}\n"))
                .collect()
        };
        text.push_str(&format!(
            "bundle agent main\n{{\n  vars:\n{}{}\n{}",
            self.vars,
            self.later,
            of("main"),
        ));
        let more = of("more");
        if more.is_empty() {
            text.push_str("}\n");
        } else {
            text.push_str(&format!(
                "  methods:\n      \"more\" usebundle => more;\n}}\n\nbundle agent more\n{{\n  vars:\n{}\n{more}}}\n",
                self.vars,
            ));
        }
        text.push_str(
            "\nbody action only_warn\n{\n  action_policy => \"warn\";\n}\n\nbody classes holds(name)\n{\n  promise_kept => { \"$(name)_holds\" };\n  promise_repaired => { \"$(name)_holds\" };\n}\n",
        );
        text::encode(&text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shown;
    use crate::VOCABULARY;
    use cfengine_policy::{Sources, parse};
    use std::collections::BTreeSet;
    use std::path::Path;
    use stickler_suite::config::from_text;
    use stickler_suite::{Knowledge, Speech};
    use stickler_transcript::Step;

    const DESCRIPTION: &str = r#"
[subject]
dialect = "promise-module"
promise_type = "greeting"
command = ["/bin/true"]

[[example]]
name = "one"
promiser = "{dir}/one"
attributes = { text = "a \"quoted\" \\ word", list = ["a", "b"], container = { a = "b" } }
setup = [["mkdir", "{dir}/sub"]]

[[example]]
name = "two"
promiser = "{dir}/two"
attributes = { text = "b" }

[[example]]
name = "a variable"
promiser = "{dir}/$(three)"
attributes = { text = "c" }
"#;

    #[test]
    fn each_policy_can_be_read_and_each_form_occurs() {
        let path = Path::new("stickler.toml");
        let config = from_text(path, DESCRIPTION, &VOCABULARY).expect("a description");
        let setting = Setting {
            words: &VOCABULARY,
            verbs: &Shown::default(),
            config: &config,
            knowledge: &Knowledge::default(),
            read: BTreeSet::new(),
            compared: BTreeSet::new(),
            argv: vec!["/module".into()],
            speech: Speech::Agent,
            seed: 1,
            sandboxed: true,
            targets: false,
        };
        let items: Vec<Instance> = (0..3).map(|at| setting.example(at, 0)).collect();
        let mut all = String::new();
        for number in 0..200 {
            let case = made_up(&setting, &items, number).expect("a policy");
            let program = case.plan.and_then(|plan| plan.oracle).expect("a program");
            let made: Program = serde_json::from_slice(&program).expect("a program");
            assert_eq!(made.promises.len(), 2, "the variable would be read");
            let text = text::decode(&made.policy).into_owned();
            let mut sources = Sources::default();
            let file = sources.add("made-up.cf", made.policy.to_vec());
            if let Err(wrong) = parse(&sources, file, Default::default()) {
                panic!("{wrong:#?}\n{text}");
            }
            all.push_str(&text);
        }
        let forms = [
            "only_warn,",
            "$(listed_p",
            "$(later_p",
            "$(nowhere)",
            "if =>",
            "usebundle",
        ];
        for form in forms {
            assert!(all.contains(form), "{form}");
        }
        assert!(made_up(&setting, &items[2..], 1).is_none());
        // A directory cannot be made twice.
        let again = [items[0].clone(), items[0].clone()];
        let made = made_up(&setting, &again, 1).expect("a policy");
        let steps = made.plan.expect("a plan").steps;
        let runs = steps.iter().filter(|step| matches!(step, Step::Run { .. }));
        assert_eq!(runs.count(), 1);
    }
}
