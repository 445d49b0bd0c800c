//! What is parsed, what is refused, and the messages.

use super::*;
use crate::tree::Rval;
use cfengine_protocol::release::Release;

fn read(text: &str) -> Result<Policy, String> {
    let mut sources = Sources::new();
    let file = sources.add("t.cf", text);
    parse(&sources, file, Release::oldest()).map_err(|errors| {
        let shown = errors.iter().map(|e| {
            let at = sources.position(e.span);
            format!("{at} {}", e.message)
        });
        shown.collect::<Vec<_>>().join("; ")
    })
}

fn policy(text: &str) -> Policy {
    read(text).unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
}

fn wrong(text: &str) -> String {
    read(text).map_or_else(|wrong| wrong, |tree| panic!("{text} is read: {tree:?}"))
}

#[test]
fn a_bundle_keeps_its_order_and_guards() {
    let tree = policy(
        "bundle agent main(a, b,)\n{\n  vars:\n    'x' -> { 'me' } string => \"y\";\n  \
         linux.!any::\n    'z' slist => { 'a', b, @(c), f(g(1), $(h)), };\n  vars:\n    'w';\n}\n",
    );
    let main = &tree.bundles[0];
    assert_eq!(&*main.name.text, "main");
    assert_eq!(main.parameters.len(), 2);
    assert_eq!(main.sections.len(), 2);
    assert_eq!(main.by_kind().len(), 1);
    let promises: Vec<_> = main
        .promises("vars")
        .map(|(guard, promise)| (guard.map(|g| &*g.text), &*promise.promiser.text))
        .collect();
    assert_eq!(
        promises,
        [(None, "x"), (Some("linux.!any"), "z"), (None, "w")]
    );
    let (_, z) = main.promises("vars").nth(1).expect("the second promise");
    let Some(Rval::List(list)) = z.attribute("slist") else {
        panic!("no list: {z:?}");
    };
    assert_eq!(list.items.len(), 4);
}

#[test]
fn namespaces_hold_from_their_body_on() {
    let tree = policy(
        "bundle agent a { }\nbody file control { namespace => \"n\"; }\nbundle agent b { }\n\
         body perms p { any:: mode => \"600\"; }\npromise agent git { path => \"/x\"; }",
    );
    let spaces: Vec<_> = tree.bundles.iter().map(|b| &*b.namespace).collect();
    assert_eq!(spaces, ["default", "n"]);
    assert_eq!(&*tree.bodies[0].namespace, "default");
    assert_eq!(&*tree.bodies[1].namespace, "n");
    assert_eq!(&*tree.promise_blocks[0].name.text, "git");
}

#[test]
fn lines_are_also_counted_as_the_agent_does() {
    let text = "bundle agent m\n{\n@if minimum_version(4)\nx\n@endif\nvars:\n'a\nb';\r\n'c';\n}";
    let tree = policy(text);
    let lines: Vec<_> = tree.bundles[0]
        .promises("vars")
        .map(|(_, promise)| promise.agent_line)
        .collect();
    assert_eq!(lines, [6, 8]);
}

#[test]
fn syntax_errors_name_the_expected_token() {
    assert_eq!(
        wrong("bundle agent main\n{\nvars:\n  'x' string => 'y'\n  'z';\n}"),
        "5:3 expected `,` or `;`, found a string"
    );
    assert_eq!(
        wrong("bundle agent main\n{\n  'x';\n}"),
        "3:3 expected a promise, a promise type with a colon or `}`, found a string"
    );
    assert_eq!(
        wrong("body perms x { mode = '1'; }"),
        "1:21 expected `=>`, found `=`"
    );
    assert_eq!(
        wrong("hello"),
        "1:1 expected `bundle`, `body` or `promise`, found `hello`"
    );
    assert_eq!(
        wrong("bundle agent main { vars:\n a..::\n'x'; }"),
        "2:4 class expression: expected a class name"
    );
}

#[test]
fn parsing_continues_with_the_next_block() {
    let text = "bundle agent a\n{ 1 }\nbundle agent b\n{ }\nbody x\nbundle agent c { }\n";
    assert_eq!(
        wrong(text),
        "2:3 expected a promise, a promise type with a colon or `}`, found `1`; \
         6:1 expected a name, found `bundle`"
    );
}

#[test]
fn commas_stand_where_the_grammar_has_them() {
    assert!(read("body a b { c => f(, 'x'); }").is_ok());
    assert!(read("body a b { c => f('x',); }").is_err());
    assert!(read("body a b { c => { , }; }").is_err());
    assert!(read("body a b { c => { { 'x' } }; }").is_err());
    assert!(read("bundle agent m { vars: 'x' string => 'a', ; }").is_err());
    assert!(read("bundle agent m() { }").is_ok());
}

#[test]
fn depth_is_bounded() {
    let nested = |n: usize| format!("body a b {{ c => {}x{}; }}", "f(".repeat(n), ")".repeat(n));
    assert!(read(&nested(9)).is_ok());
    assert!(read(&nested(10)).is_err());
    assert!(read(&nested(100_000)).is_err());
    assert!(read(&"(".repeat(100_000)).is_err());
    assert!(
        read(&format!(
            "bundle agent m {{ vars: {}a::",
            "(".repeat(100_000)
        ))
        .is_err()
    );
}

#[test]
fn later_releases_read_more() {
    let read = |text: &str, release: &Release| {
        let mut sources = Sources::new();
        let file = sources.add("t.cf", text);
        parse(&sources, file, release).is_ok()
    };
    for text in [
        "bundle agent m { git: 'x' a => f('b',); }",
        "bundle agent m { git: 'x' a.b => 'c'; }",
        "bundle agent m { git: 'x' ns:a.b => 'c'; }",
    ] {
        assert!(!read(text, Release::oldest()), "{text}");
        assert!(read(text, Release::newest()), "{text}");
    }
    for text in [
        "bundle agent m { git: 'x' a.b.c => 'd'; }",
        "bundle agent m { git: 'x' a. b => 'd'; }",
        "bundle agent m { git: 'x' a => f(,); }",
    ] {
        assert!(!read(text, Release::newest()), "{text}");
    }
}
