//! Policies of situations that are made up.

use super::dice::Dice;
use cfengine_policygen::{Choices, JSON_MODULE, LINE_MODULE, PLAIN_MODULE, policy};
use serde_json::{Map, Value, json};

/// The promise types of simple policies, with the modules that manage them.
const TYPES: &str =
    "promise agent t { path => \"@DIR@/m1.py\"; interpreter => \"/usr/bin/python3\"; }
promise agent u { path => \"@DIR@/m2.py\"; interpreter => \"/usr/bin/python3\"; }
";

/// Attributes that the agent hands to a module, and some that it keeps.
const ATTRIBUTES: [&str; 14] = [
    "text => \"b\"",
    "text => \"\"",
    "text => \"it is ü\"",
    "text => \"a=b\"",
    "text => \"$(const.n)x\"",
    "text => \"a\\\"b\"",
    "number => \"42\"",
    "list => { \"a\", \"b\" }",
    "list => { \"a=b\", \"\" }",
    "data => '{ \"a\": [1, true, null] }'",
    "handle => \"h\"",
    "comment => \"why\"",
    "if => \"any\"",
    "unless => \"no_such_class\"",
];

/// What each promise may have once.
const ACTIONS: [&str; 3] = [
    "action_policy => \"warn\"",
    "ifelapsed => \"0\"",
    "log_level => \"error\"",
];

/// The agent's options, besides none.
const ARGS: [&[&str]; 6] = [
    &["-I"],
    &["-v"],
    &["-n", "-I"],
    &["--simulate=manifest"],
    &["--simulate=diff"],
    &["--log-level=error"],
];

/// How many generated policies are looked at for one that has promises of custom types.
const TRIES: usize = 50;

/// A policy of one promise.
pub(super) fn plain(dice: &mut Dice) -> Value {
    let policy = format!(
        "body common control {{ bundlesequence => {{ \"main\" }}; }}\n@CLASSES@{TYPES}bundle agent main\n{{\nt: \"p0\" \
         classes => oc(\"p0\");\n}}\n"
    );
    json!({"policy": policy, "modules": {"m1": module("probe", dice.chance(65), true)}})
}

/// A policy of a few promises.
pub(super) fn simple(dice: &mut Dice) -> Value {
    let mut text = "body common control { bundlesequence => { \"main\" }; }\n@CLASSES@".to_owned();
    text.push_str(TYPES);
    let mut promises = String::new();
    let mut actions = false;
    for number in 0..=dice.below(3) {
        let kind = if dice.chance(75) { "t" } else { "u" };
        let mut attributes = vec![format!("classes => oc(\"p{number}\")")];
        for _ in 0..dice.below(3) {
            let one = *dice.of(&ATTRIBUTES);
            let name = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
            // A policy with two of a name, or with a handle twice, is refused.
            let is_taken = attributes.iter().any(|other| name(other) == name(one))
                || name(one) == "handle" && promises.contains("handle");
            if !is_taken {
                attributes.push(one.to_owned());
            }
        }
        if dice.chance(15) && !actions {
            actions = true;
            attributes.push("action => act".to_owned());
        }
        let promiser = if dice.chance(80) {
            format!("p{number}")
        } else {
            "/a b/ü".to_owned()
        };
        promises.push_str(&format!(
            "{kind}: \"{promiser}\" {};\n",
            attributes.join(", ")
        ));
    }
    if actions {
        text.push_str(&format!("body action act {{ {}; }}\n", dice.of(&ACTIONS)));
    }
    text.push_str(&format!("bundle agent main\n{{\n{promises}}}\n"));
    let mut modules = Map::new();
    for name in ["m1", "m2"] {
        modules.insert(name.to_owned(), module("probe", dice.chance(65), true));
    }
    let mut made = json!({"policy": text, "modules": modules});
    change(&mut made, dice);
    made
}

fn module(name: &str, json: bool, dry: bool) -> Value {
    let words = if json { "json_based" } else { "line_based" };
    let dry = if dry { " action_policy" } else { "" };
    json!({"header": [format!("{name} 1 v1 {words}{dry}\n\n")], "json": json, "answers": []})
}

/// A policy of the generator.
pub(super) fn generated(dice: &mut Dice) -> Value {
    let own = [
        (JSON_MODULE, true, true),
        (LINE_MODULE, false, true),
        (PLAIN_MODULE, true, false),
    ];
    for _ in 0..TRIES {
        let mut text = policy(&mut Choices::random(dice.roll())).text;
        let mut modules = Map::new();
        for (name, json, dry) in own {
            let path = format!("path => \"$(this.promise_dirname)/{name}\";");
            if text.contains(&path) {
                let here =
                    format!("path => \"@DIR@/{name}.py\"; interpreter => \"/usr/bin/python3\";");
                text = text.replace(&path, &here);
                modules.insert(name.to_owned(), module(name, json, dry));
            }
        }
        // What differs from run to run, or between agents, has its own comparison: `stickler diff`.
        let is_plain = !text.contains("files:") && !text.contains("commands:");
        if !modules.is_empty() && is_plain {
            return json!({
                "policy": text,
                "modules": modules,
                "classes": "^(x_|c[0-9]|rc)",
                "varies": "a generated policy: only requests, reports, classes and the end count",
            });
        }
    }
    simple(dice)
}

/// Changes how a policy is run.
pub(super) fn change(made: &mut Value, dice: &mut Dice) {
    if dice.chance(30) {
        made["args"] = json!(dice.of(&ARGS));
    }
}
