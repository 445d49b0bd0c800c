//! The order of evaluation.

use super::*;
use crate::{Sources, parse};
use cfengine_protocol::release::{Compat, Release};

const POLICY: &str = "
bundle agent second { reports: 'r2'; }
bundle agent main { git: 'g'; reports: 'r'; vars: 'v' string => 'x'; cp: 'c'; git: 'g2'; }
bundle common facts { reports: 'fr'; classes: 'fc' or => { 'a' }; vars: 'fv' string => 'x'; }
bundle server s2 { access: '/x'; meta: 'sm' string => 'x'; roles: 'sr'; }
bundle server s1 { vars: 'sv' string => 'x'; }
bundle monitor m { measurements: 'mm'; vars: 'mv' string => 'x'; }
bundle edit_line e { insert_lines: 'i'; delete_lines: 'd'; meta: 'em' string => 'x'; }
body common control { bundlesequence => { 'main', other('x'), 'second' }; }
";

fn order(component: Component, compat: Compat) -> (String, usize) {
    let mut sources = Sources::new();
    let file = sources.add("t.cf", POLICY);
    let policy = parse(&sources, file, Release::oldest()).expect("read");
    let plan = plan(&policy, component, compat);
    let promisers = plan.steps.iter().flat_map(|step| &step.promises);
    let promisers: Vec<_> = promisers.map(|(_, p)| &*p.promiser.text).collect();
    (promisers.join(" "), plan.notes.len())
}

#[test]
fn the_agent_takes_common_bundles_and_its_sequence_with_custom_types_last() {
    let (order, notes) = order(Component::Agent, Compat::Specification);
    assert_eq!(order, "fc fv fr v r g g2 c r2");
    assert_eq!(notes, 1);
    let (order, _) = self::order(Component::Agent, Compat::default());
    assert_eq!(order, "fv fc v r g g2 c r2");
}

#[test]
fn server_and_monitor_take_all_bundles_of_theirs() {
    let (order, _) = order(Component::Server, Compat::Specification);
    assert_eq!(order, "fc fv fr sr /x sv");
    let (order, _) = self::order(Component::Server, Compat::default());
    assert_eq!(order, "fv fc fr sm sr /x sv");
    let (order, _) = self::order(Component::Monitor, Compat::Specification);
    assert_eq!(order, "fc fv fr mv mm");
    let (order, _) = self::order(Component::Monitor, Compat::default());
    assert_eq!(order, "fv fc fr mm mv");
}

#[test]
fn edits_have_an_order_of_their_own() {
    let (order, _) = order(Component::EditLine, Compat::Specification);
    assert_eq!(order, "em d i");
    let (order, _) = self::order(Component::EditLine, Compat::default());
    assert_eq!(order, "d i");
}

#[test]
fn a_policy_may_ask_for_the_order_in_which_it_is_written() {
    let policy = "body agent control { evaluation_order => 'top_down'; }
bundle agent main { reports: 'r'; git: 'g'; vars: 'v' string => 'x'; git: 'h'; }
";
    let of = |text: &str, compat: Compat| {
        let mut sources = Sources::new();
        let file = sources.add("t.cf", text);
        let policy = parse(&sources, file, compat.release()).expect("read");
        let plan = plan(&policy, Component::Agent, compat);
        let promisers = plan.steps.iter().flat_map(|step| &step.promises);
        let promisers: Vec<_> = promisers.map(|(_, p)| &*p.promiser.text).collect();
        promisers.join(" ")
    };
    let newest = Compat::default();
    assert_eq!(of(policy, newest), "r g v h");
    assert_eq!(of(policy, Compat::Deployed(Release::oldest())), "v r g h");
    // The file decides, then the agent, then the common body.
    let file = format!("{policy}body file control {{ evaluation_order => 'classic'; }}\n");
    assert_eq!(of(&file, newest), "v r g h");
    let common = policy.replace("body agent", "body common");
    assert_eq!(of(&common, newest), "r g v h");
}
