//! The order of evaluation.

use super::*;
use crate::{Sources, parse};

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
    let policy = parse(&sources, file).expect("read");
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
    let (order, _) = self::order(Component::Agent, Compat::Deployed);
    assert_eq!(order, "fv fc v r g g2 c r2");
}

#[test]
fn server_and_monitor_take_all_bundles_of_theirs() {
    let (order, _) = order(Component::Server, Compat::Specification);
    assert_eq!(order, "fc fv fr sr /x sv");
    let (order, _) = self::order(Component::Server, Compat::Deployed);
    assert_eq!(order, "fv fc fr sm sr /x sv");
    let (order, _) = self::order(Component::Monitor, Compat::Specification);
    assert_eq!(order, "fc fv fr mv mm");
    let (order, _) = self::order(Component::Monitor, Compat::Deployed);
    assert_eq!(order, "fv fc fr mm mv");
}

#[test]
fn edits_have_an_order_of_their_own() {
    let (order, _) = order(Component::EditLine, Compat::Specification);
    assert_eq!(order, "em d i");
    let (order, _) = self::order(Component::EditLine, Compat::Deployed);
    assert_eq!(order, "d i");
}
