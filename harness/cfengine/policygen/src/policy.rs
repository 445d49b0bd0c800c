//! A whole policy.

use crate::bundle::bundle;
use crate::choices::Choices;
use crate::custom::BLOCKS;
use crate::files;
use crate::scope::{Callable, Scope};

/// A generated policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its text.
    pub text: String,
    /// A number below a hundred that selects the mode.
    pub mode: u32,
    /// The choices that gave this policy.
    pub choices: Vec<u32>,
}

/// Bodies for the promises.
const BODIES: &str = "\
body classes rc(x) { promise_kept => { \"$(x)_kept\" }; promise_repaired => { \"$(x)_repaired\" }; repair_failed => { \"$(x)_failed\" }; scope => \"namespace\"; }
body classes rb(x) { promise_kept => { \"$(x)_kept\", \"c1\" }; promise_repaired => { \"$(x)_repaired\" }; repair_failed => { \"$(x)_failed\" }; }
body classes rx(x) { promise_repaired => { \"$(x)_repaired\" }; cancel_kept => { \"$(x)_failed\" }; cancel_notkept => { \"c1\" }; scope => \"namespace\"; }
body action only_warn { action_policy => \"warn\"; }
body action quick { ifelapsed => \"0\"; }
body action quiet { log_level => \"error\"; }
body action no { action_policy => \"nop\"; }
body settings settings(x) { key => \"$(x)\"; list => { \"a\", \"$(x)\" }; }
";

/// The namespace of the last bundle.
const NAMESPACE: &str = "body file control { namespace => \"ns\"; }\n";

/// The names that every bundle can refer to.
fn common_names() -> Scope {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Scope {
        strings: names(&["g.s"]),
        lists: names(&["g.l"]),
        containers: names(&["g.d"]),
        arrays: names(&["g.a"]),
        classes: names(&["g_class"]),
        ..Scope::default()
    }
}

/// Generates a policy.
pub fn policy(choices: &mut Choices) -> Policy {
    let mode = choices.below(100);
    let mut parts = vec![BLOCKS.to_owned(), BODIES.to_owned() + files::BODIES];
    let mut callable = Vec::new();
    if choices.chance(60) {
        parts.push(common_bundle());
        if choices.chance(30) {
            let mut scope = common_names();
            parts.push(bundle(choices, "common h", &mut scope, false));
        }
    }
    if choices.chance(35) {
        let mut scope = common_names();
        scope.strings.push("p0".into());
        scope.lists.push("p1".into());
        parts.push(bundle(choices, "agent b2(p0, p1)", &mut scope, true));
        callable.push(Callable {
            name: "b2",
            parameters: 2,
        });
    }
    if choices.chance(35) {
        let mut scope = common_names();
        scope.strings.push("p0".into());
        scope.callable.clone_from(&callable);
        parts.push(bundle(choices, "agent b1(p0)", &mut scope, true));
        callable.push(Callable {
            name: "b1",
            parameters: 1,
        });
    }
    let spaced = choices.chance(15);
    if spaced {
        callable.push(Callable {
            name: "ns:nb",
            parameters: 1,
        });
    }
    let mut scope = common_names();
    scope.callable = callable;
    parts.push(bundle(choices, "agent main", &mut scope, true));
    if spaced {
        let mut scope = Scope::default();
        scope.strings.push("p0".into());
        parts.push(NAMESPACE.to_owned() + &bundle(choices, "agent nb(p0)", &mut scope, false));
    }
    Policy {
        text: needed(&parts),
        mode,
        choices: choices.taken().to_vec(),
    }
}

fn common_bundle() -> String {
    "bundle common g\n{\nvars:\n    \"s\" string => \"gs\";\n    \"l\" slist => { \"a\", \"b\" };\n    \"d\" data => '{\"a\":\"1\",\"k\":[\"x\",\"y\"]}';\n    \"a[a]\" string => \"ga\";\n    \"a[1]\" string => \"g1\";\nclasses:\n    \"g_class\" expression => \"any\";\n}\n"
        .to_owned()
}

/// Removes promise blocks and bodies that are not used.
fn needed(parts: &[String]) -> String {
    let (fixed, bundles) = parts.split_at(2);
    let mut bundles = bundles.join("\n");
    if bundles.contains("files:\n") {
        bundles.insert_str(0, files::MADE);
    }
    let mut lines: Vec<&str> = fixed.iter().flat_map(|part| part.lines()).collect();
    lines.retain(|line| {
        let name = line.split([' ', '(']).nth(2).unwrap_or_default();
        let calls = [format!("{name}:\n"), format!("=> {name}")];
        // Bodies of promises within the bundles for edits.
        let of_edits = line.starts_with("body location")
            || line.starts_with("body replace_with")
            || line.starts_with("body edit_field");
        let edits = bundles.contains("edit_line =>");
        calls.iter().any(|call| bundles.contains(call.as_str())) || (of_edits && edits)
    });
    let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    text + &bundles
}
