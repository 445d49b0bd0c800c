//! Errors that the check finds, and policies that it accepts.

use crate::{Sources, check, parse};
use cfengine_protocol::release::Release;

/// The errors of a file, also when it is a whole policy, for the oldest release.
fn wrong(text: &str) -> Vec<String> {
    wrong_for(text, Release::oldest())
}

fn wrong_for(text: &str, release: &'static Release) -> Vec<String> {
    let mut sources = Sources::new();
    let file = sources.add("t.cf", text);
    let policy = parse(&sources, file, release).expect("the text is read");
    let mut problems = check::file(&policy, release);
    if problems.is_empty() {
        problems = check::whole(&policy, release);
        if policy.control("common").is_some() {
            problems.extend(check::missing(&policy, release));
        }
    }
    problems
        .into_iter()
        .map(|problem| problem.message)
        .collect()
}

/// The errors of the content of an agent bundle.
fn in_bundle(text: &str) -> Vec<String> {
    wrong(&format!("bundle agent m\n{{\n{text}\n}}\n"))
}

fn one(problems: &[String], part: &str) {
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains(part), "{problems:?} without {part}");
}

#[test]
fn attributes_belong_to_promise_types() {
    one(&in_bundle("files: 'x' string => 'y';"), "no such attribute");
    one(&in_bundle("reports: 'x' nope => 'y';"), "no such attribute");
    assert!(in_bundle("files: 'x' if => 'a', comment => 'b', perms => p;").is_empty());
    assert!(in_bundle("git: 'x' anything => { 'y' };").is_empty());
}

#[test]
fn values_have_types_and_ranges() {
    one(&in_bundle("vars: 'x' slist => 'y';"), "expected a list");
    one(&in_bundle("vars: 'x' slist => @(y);"), "expected a list");
    one(&in_bundle("vars: 'x' string => { 'y' };"), "found a list");
    one(
        &in_bundle("vars: 'x' int => 'y';"),
        "expected a whole number",
    );
    one(
        &in_bundle("vars: 'x' int => '99999999999k';"),
        "expected a number from",
    );
    one(
        &in_bundle("vars: 'x' real => '1.2.3';"),
        "expected a number",
    );
    one(
        &in_bundle("vars: 'x' policy => 'y';"),
        "expected one of free, ",
    );
    one(
        &in_bundle("classes: 'x' expression => 'a b';"),
        "that matches",
    );
    one(
        &in_bundle("files: '/x' create => 'maybe';"),
        "expected one of true, ",
    );
    one(&in_bundle("files: '/x' perms => 'p';"), "without quotes");
    one(
        &in_bundle("vars: 'x' int => '$(y';"),
        "brackets of a variable",
    );
    assert!(in_bundle("vars: 'x' int => '$(y)'; 'z' slist => { @(x), f };").is_empty());
    assert!(in_bundle("vars: 'x' data => 'no json'; 'y' data => @(x);").is_empty());
    one(&in_bundle("vars: 'x' data => { 'y' };"), "found a list");
}

#[test]
fn calls_are_of_functions_that_fit() {
    one(
        &in_bundle("vars: 'x' string => nope();"),
        "no function `nope`",
    );
    one(
        &in_bundle("vars: 'x' int => concat('a');"),
        "gives a string",
    );
    one(
        &in_bundle("vars: 'x' string => canonify();"),
        "takes 1 arguments, not 0",
    );
    one(
        &in_bundle("vars: 'x' slist => variablesmatching();"),
        "at least 1 arguments, not 0",
    );
    one(
        &in_bundle("vars: 'x' string => ifelse('a', 'b');"),
        "an odd number",
    );
    one(
        &in_bundle("vars: 'x' slist => splitstring('a b', ' ', 'many');"),
        "expected a whole number",
    );
    assert!(in_bundle("vars:\nfoo::\n'x' string => canonify();").is_empty());
    assert!(in_bundle("vars: 'x' string => canonify(), if => 'y';").is_empty());
    assert!(in_bundle("methods: 'x' usebundle => anything('a');").is_empty());
}

#[test]
fn variables_and_classes_have_fair_names() {
    one(&in_bundle("vars: '12' string => 'y';"), "found a number");
    one(&in_bundle("vars: 'this' string => 'y';"), "reserved");
    one(
        &in_bundle("vars: 'a.b.c' string => 'y';"),
        "at most one dot",
    );
    one(
        &in_bundle("classes: '12' and => { 'y' };"),
        "found a number",
    );
    one(
        &in_bundle("vars: 'x' string => 'y', int => '1';"),
        "type `string` already",
    );
    one(&in_bundle("vars: 'x' string => 'a $(x)';"), "itself");
    assert!(in_bundle("vars: 'a[b.c.d]' string => 'y';").is_empty());
    assert!(in_bundle("vars: 'x' string => 'a'; 'x' string => 'b $(x)';").is_empty());
}

#[test]
fn conditions_are_class_expressions() {
    one(
        &in_bundle("reports: 'x' if => 'a||||b';"),
        "class expression",
    );
    one(&in_bundle("git: 'x' if => '';"), "class expression");
    one(
        &in_bundle("reports: 'x' if => not('a'), if => 'b';"),
        "can't be joined",
    );
    assert!(in_bundle("reports: 'x' if => 'a', if => 'b';").is_empty());
}

#[test]
fn custom_promises_lack_two_attributes_and_quoted_guards() {
    one(&in_bundle("git: 'x' ifvarclass => 'a';"), "use `if`");
    one(&in_bundle("git: 'x' expireafter => '1';"), "expireafter");
    one(
        &in_bundle("git:\n\"a\"::\n'x' b => 'c';"),
        "guard in quotes",
    );
}

#[test]
fn promise_types_belong_to_bundles() {
    let text = "bundle common m { methods: 'x' usebundle => y; }";
    one(&wrong(text), "no promises of the type `methods` in common");
    one(&wrong("bundle nope m { }"), "no bundles of the kind `nope`");
    one(&wrong("bundle agent sys { }"), "reserved");
    one(
        &wrong("promise agent files { path => '/x'; }"),
        "has promises of the type",
    );
    one(
        &wrong("promise server git { path => '/x'; }"),
        "expected `agent`",
    );
    one(
        &wrong("promise agent git { nope => '/x'; }"),
        "`path` or `interpreter`",
    );
}

#[test]
fn bodies_have_their_attributes() {
    one(&wrong("body perms p { nope => '1'; }"), "no such attribute");
    one(
        &wrong("body perms p { mode => 'rwx'; }"),
        "expected permissions",
    );
    one(
        &wrong("body agent x { ifelapsed => '-1'; }"),
        "expected a number",
    );
    one(
        &wrong("body common control(a) { version => 'x'; }"),
        "no parameters",
    );
    one(
        &wrong("body action a { log_kept => '/x'; }"),
        "`log_string`",
    );
    one(&wrong("body members m { or => 'x'; }"), "expected a list");
    one(
        &wrong("body perms p { \"a\":: mode => '1'; }"),
        "guards in quotes",
    );
    assert!(wrong("body members m { include => { 'x' }; or => { 'x' }; }").is_empty());
    assert!(wrong("body action a { value_kept => { 'x' }; }").is_empty());
    assert!(wrong("body association a { anything => 'x'; }").is_empty());
}

#[test]
fn some_things_stand_once() {
    one(&wrong("bundle agent a { }\nbundle agent a { }"), "already");
    one(&wrong("body perms a { }\nbody perms a { }"), "already");
    assert!(wrong("body file control { }\nbody file control { }").is_empty());
    one(
        &in_bundle("reports: 'x' handle => 'h'; 'y' handle => 'h';"),
        "already",
    );
    assert!(in_bundle("reports: 'x' handle => 'h'; a::\n'y' handle => 'h';").is_empty());
    assert!(in_bundle("git: 'x' handle => 'h'; 'y' handle => 'h';").is_empty());
}

#[test]
fn a_policy_with_control_has_all_its_bodies() {
    let control = "body common control { bundlesequence => { 'm' }; }\n";
    let uses = "bundle agent m { files: '/x' perms => p; }\n";
    assert!(wrong(uses).is_empty());
    one(&wrong(&format!("{control}{uses}")), "no `body perms p`");
    let space = "body file control { namespace => 'n'; }\nbody perms p { mode => '600'; }";
    assert!(wrong(&format!("{control}{uses}{space}")).is_empty());
}

#[test]
fn bundles_are_called_with_as_many_arguments_as_they_take() {
    let text = "bundle agent m { methods: 'x' usebundle => n('a'); }\nbundle agent n(a, b) { }";
    one(&wrong(text), "takes 2 arguments, not 1");
}

#[test]
fn later_releases_take_more() {
    let first = |version: &str, text: &str| {
        let release = Release::named(version).expect("a release");
        wrong_for(text, release)
            .into_iter()
            .next()
            .unwrap_or_default()
    };
    // What is refused by one release, and accepted by the next.
    for (before, after, text) in [
        (
            "3.21.0",
            "3.24.4",
            "bundle agent m { git: 'x' expireafter => '1'; }",
        ),
        (
            "3.24.4",
            "3.27.1",
            "body agent control { evaluation_order => 'top_down'; }",
        ),
        (
            "3.24.4",
            "3.27.1",
            "body common control { evaluation_order => 'classic'; }",
        ),
        (
            "3.24.4",
            "3.27.1",
            "body file control { evaluation_order => 'classic'; }",
        ),
        (
            "3.27.1",
            "3.28.0",
            "bundle agent m { classes: 'c' cancel => 'any'; }",
        ),
        (
            "3.27.1",
            "3.28.0",
            "bundle agent m { classes: 'c' timer_policy => 'reset'; }",
        ),
        // The kind of bodies is built in since then.
        ("3.27.1", "3.24.4", "body fsattrs x { colour => 'red'; }"),
    ] {
        assert_ne!(first(before, text), "", "{before}: {text}");
        assert_eq!(first(after, text), "", "{after}: {text}");
    }
    // The members of bodies of classes are as old as the language.
    assert_eq!(
        first("3.21.0", "body classes x { timer_policy => 'reset'; }"),
        ""
    );
    let banana = "body agent control { evaluation_order => 'banana'; }";
    assert_ne!(first("3.28.0", banana), "");
}
