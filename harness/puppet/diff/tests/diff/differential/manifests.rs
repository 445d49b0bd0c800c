//! Manifests for the types of `tests/module`: some written, most made up.

use puppet_runtime::Strict;
use puppet_types::Dice;

/// A manifest and the state in which it is applied.
pub struct Case {
    pub manifest: String,
    /// The rows of types, as JSON.
    pub rows: Vec<(&'static str, String)>,
    pub strict: Strict,
    pub noop: bool,
}

fn case(manifest: &str, rows: &[(&'static str, &str)], strict: Strict, noop: bool) -> Case {
    Case {
        manifest: manifest.to_owned(),
        rows: rows
            .iter()
            .map(|(name, rows)| (*name, (*rows).to_owned()))
            .collect(),
        strict,
        noop,
    }
}

/// Manifests that each show something.
pub fn fixed() -> Vec<Case> {
    let a = r#"[{"name":"a","ensure":"present","v":1}]"#;
    let plain = |manifest: &str| case(manifest, &[("d_plain", a)], Strict::Warning, false);
    let mut all: Vec<Case> = [
        "d_plain { 'a': v => 2, does => 'talk' }",
        "d_plain { 'a': v => 2, does => 'wrong' }",
        "d_plain { 'a': ensure => absent }",
        "resources { 'd_plain': purge => true } d_plain { 'b': }",
        "d_plain { 'z': before => Resources['d_plain'] } resources { 'd_plain': purge => 'true', loglevel => warning } d_plain { 'y': }",
        "resources { 'd_plain': purge => true, noop => true }",
        "resources { 'd_plain': purge => true } d_plain { 'x': name => 'a' }",
        "resources { 'd_plain': purge => true } d_plain { 'x': alias => 'a' }",
        "resources { 'd_plain': purge => false } resources { 'd_simple': }",
        "resources { 'd_plain': purge => maybe }",
        "resources { 'd_plain': nosuch => true }",
        "notify { 'one': } notify { 'two': message => 'text', withpath => true, loglevel => warning }",
        "notify { 'one': message => 5 } -> notify { 'two': message => ['a', 'b'] } notify { 'absent': noop => true }",
        "notify { 'one': message => true, subscribe => D_plain['a'] } d_plain { 'a': v => 7 } notify { 'two': message => { 'a' => undef } }",
        "d_plain { 'b': does => 'raise' } -> notify { 'one': }",
        "d_plain { 'b': does => 'exit' }",
        "d_plain { 'a': seen => 1 }",
        "d_plain { 'a': v => '1' }",
        "d_plain { 'a': v => 2, noop => true } d_plain { 'b': noop => false }",
        "d_plain { 'a': v => 2, loglevel => warning, audit => all, tag => ['x', 'y'] }",
        "d_plain { 'a': v => 2, loglevel => loud }",
        "d_plain { 'a': audit => nothing }",
        "d_plain { 'title': name => 'a', v => 3 }",
        "d_plain { 'b': alias => 'bee', before => D_plain['a'] } d_plain { 'a': } d_plain { 'c': require => D_plain['bee'] }",
        "d_plain { 'b': does => 'raise' } ~> d_plain { 'c': } -> d_plain { 'd': }",
        "d_plain { 'b': require => D_plain['c'] } d_plain { 'c': require => D_plain['b'] }",
        "d_plain { 'b': first => 'x' } d_plain { 'a': first => 'x' }",
        "d_multi { 'php-yum': } d_multi { 'php': mgr => 'gem' } d_multi { 'other': }",
        "d_multi { 'x': pkg => 'php', mgr => 'yum' } d_multi { 'php-yum': }",
        "d_bare { '1': must => 'x' }",
        "d_bare { 'one': key => 1, must => 'x', how => 'fast' } d_bare { 'two': key => 2 }",
        "d_param { '/a': need => 'one' } d_bare { 'one': key => 1, must => 'x' } d_plain { 'base': }",
        "d_param { '/a': v => 'b' }",
        "d_param { 'a': need => 'x' }",
        "d_simple { 's': v => 1, secret => Sensitive('hidden') }",
        "d_simple { 's': does => 'raise' } d_simple { 't': require => D_simple['s'] }",
        "d_trigger { 't': } d_trigger { 'u': answer => true } d_trigger { 'v': answer => false }",
        "d_canon { 'c': v => 'abc' }",
        "d_keyword { 'k': }",
    ]
    .into_iter()
    .map(plain)
    .collect();
    for rows in [
        r#"[{"broken":true}]"#,
        r#"[{"ensure":"present"}]"#,
        r#"[{"name":"b","ensure":"present","v":"x"},{"name":"a","ensure":"present","v":1,"seen":2}]"#,
    ] {
        for strict in Strict::ALL {
            let manifest =
                "d_plain { 'c': ensure => absent } -> resources { 'd_plain': purge => true }";
            all.push(case(manifest, &[("d_plain", rows)], strict, false));
        }
    }
    let multi = r#"[{"pkg":"php","mgr":"yum","ensure":"present","title":"php-yum","v":7},{"pkg":"a","mgr":"gem","ensure":"present","title":"a-gem"}]"#;
    all.push(case(
        "resources { 'd_multi': purge => true } d_multi { 'php': mgr => 'yum' }",
        &[("d_multi", multi)],
        Strict::Warning,
        false,
    ));
    for strict in Strict::ALL {
        let rows = r#"[{"name":"c","ensure":"present","v":"abc"}]"#;
        all.push(case(
            "d_canon { 'c': v => 'Abc' }",
            &[("d_canon", rows)],
            strict,
            false,
        ));
        let wrong = r#"[{"name":"a","ensure":"present","v":"x","zork":[1,null]}]"#;
        all.push(case(
            "d_plain { 'a': v => 1 }",
            &[("d_plain", wrong)],
            strict,
            false,
        ));
        let fixed = r#"[{"name":"a","ensure":"present","first":"old"}]"#;
        all.push(case(
            "d_plain { 'a': first => 'new' }",
            &[("d_plain", fixed)],
            strict,
            false,
        ));
        let titles = r#"[{"pkg":"php","mgr":"yum","ensure":"present","title":"php-gem","v":7}]"#;
        all.push(case(
            "d_multi { 'php-yum': v => 8 }",
            &[("d_multi", titles)],
            strict,
            false,
        ));
        let none = r#"[{"pkg":"php","mgr":"yum","ensure":"present"}]"#;
        all.push(case(
            "d_multi { 'php-yum': v => 8 }",
            &[("d_multi", none)],
            strict,
            true,
        ));
        let broken = r#"[{"broken":true}]"#;
        all.push(case(
            "d_plain { ['a', 'b']: }",
            &[("d_plain", broken)],
            strict,
            false,
        ));
    }
    all
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn pick<'a>(dice: &mut Dice, all: &[&'a str]) -> &'a str {
    all[dice.below(all.len())]
}

fn maybe(dice: &mut Dice) -> bool {
    dice.below(2) == 0
}

/// A made-up manifest.
pub fn any(dice: &mut Dice) -> Case {
    let mut declared: Vec<(String, String)> = Vec::new();
    let mut manifest = String::new();
    for _ in 0..1 + dice.below(5) {
        let (kind, title, attributes) = resource(dice);
        if declared.contains(&(kind.to_owned(), title.clone())) {
            continue;
        }
        let mut lines = attributes;
        if dice.below(5) == 0 {
            lines.push(format!("noop => {}", maybe(dice)));
        }
        if dice.below(8) == 0 {
            lines.push(format!(
                "loglevel => {}",
                pick(dice, &["info", "notice", "warning", "err"])
            ));
        }
        if dice.below(8) == 0 {
            lines.push("tag => 'tagged'".to_owned());
        }
        if dice.below(3) == 0
            && let Some((other, name)) = declared.get(dice.below(declared.len().max(1)))
        {
            let relation = pick(dice, &["require", "before", "subscribe", "notify"]);
            lines.push(format!("{relation} => {}['{name}']", capitalized(other)));
        }
        manifest += &format!("{kind} {{ '{title}': {} }}\n", lines.join(", "));
        declared.push((kind.to_owned(), title));
    }
    Case {
        manifest,
        rows: rows(dice),
        strict: Strict::ALL[dice.below(3)],
        noop: dice.below(5) == 0,
    }
}

fn capitalized(kind: &str) -> String {
    let (first, rest) = kind.split_at(1);
    first.to_uppercase() + rest
}

fn resource(dice: &mut Dice) -> (&'static str, String, Vec<String>) {
    let name = pick(dice, &NAMES).to_owned();
    let mut lines = Vec::new();
    let number = dice.below(3);
    let kind = match dice.below(12) {
        0..4 => {
            for value in [
                format!("v => {number}"),
                format!("flag => {}", number == 1),
                format!("list => ['x', {number}]"),
                format!(
                    "text => {}",
                    pick(dice, &["'t'", "7", "\"a\\nb\"", "'it''s'"]).replace("''", "")
                ),
                format!("map => {{ 'k' => [1, {{ 'in' => {number} }}], 'e' => {{}} }}"),
                format!("ratio => {number}.5"),
                format!("first => 'f{number}'"),
            ] {
                if dice.below(3) == 0 {
                    lines.push(value);
                }
            }
            if dice.below(3) == 0 {
                let what = [
                    "raise", "fail", "failed", "talk", "block", "process", "nothing",
                ];
                lines.push(format!("does => '{}'", pick(dice, &what)));
            }
            "d_plain"
        }
        4 | 5 => {
            let title = pick(dice, &["php-yum", "php-gem", "php", "a-b-c"]).to_owned();
            if !title.contains('-') || dice.below(4) == 0 {
                lines.push(format!("mgr => '{}'", pick(dice, &["yum", "gem"])));
            }
            if maybe(dice) {
                lines.push(format!("v => {number}"));
            }
            ensure(dice, &mut lines);
            return ("d_multi", title, lines);
        }
        6 => {
            lines.push(format!("v => '{}'", pick(dice, &["abc", "ABC", "Abc"])));
            "d_canon"
        }
        7 | 8 => {
            let answers = [
                "true",
                "false",
                "words",
                "no words",
                "nil words",
                "right words",
                "number",
                "text",
                "symbol",
                "raise",
                "nil",
            ];
            lines.push(format!("answer => '{}'", pick(dice, &answers)));
            for value in [
                format!("v => {number}"),
                "w => 'double u'".to_owned(),
                format!("fixed => '{number}'"),
            ] {
                if maybe(dice) {
                    lines.push(value);
                }
            }
            "d_insync"
        }
        9 => {
            if maybe(dice) {
                lines.push(format!("answer => {}", maybe(dice)));
            }
            return ("d_trigger", name, lines);
        }
        10 => {
            lines.push(format!("key => {number}"));
            if dice.below(4) != 0 {
                lines.push("must => 'be'".to_owned());
            }
            if maybe(dice) {
                lines.push(format!("on => {}", maybe(dice)));
            }
            return ("d_bare", name, lines);
        }
        _ => {
            if maybe(dice) {
                lines.push(format!("v => {number}"));
            }
            if dice.below(4) == 0 {
                lines.push("does => 'raise'".to_owned());
            }
            if dice.below(4) == 0 {
                lines.push("secret => Sensitive('hidden')".to_owned());
            }
            "d_simple"
        }
    };
    ensure(dice, &mut lines);
    (kind, name, lines)
}

fn ensure(dice: &mut Dice, lines: &mut Vec<String>) {
    match dice.below(4) {
        0 => lines.push("ensure => absent".to_owned()),
        1 => lines.push("ensure => 'present'".to_owned()),
        _ => {}
    }
}

fn rows(dice: &mut Dice) -> Vec<(&'static str, String)> {
    let number = dice.below(3);
    let flag = maybe(dice);
    let all = [
        (
            "d_plain",
            format!(
                r#"[{{"name":"a","ensure":"present","v":{number},"flag":{flag},"list":["x",1],"text":"t","map":{{"k":1}},"ratio":1.5,"first":"f1"}},{{"name":"b","ensure":"present"}},{{"name":"c","ensure":"absent"}}]"#
            ),
        ),
        (
            "d_plain",
            format!(
                r#"[{{"name":"a","ensure":"present","v":"{number}"}},{{"name":"a","v":1}},{{"ensure":"present"}},{{"name":"b","extra":[{flag}]}}]"#
            ),
        ),
        (
            "d_multi",
            format!(
                r#"[{{"pkg":"php","mgr":"yum","title":"php-yum","ensure":"present","v":{number}}},{{"pkg":"php","mgr":"gem","title":"wrong","ensure":"present"}}]"#
            ),
        ),
        (
            "d_canon",
            format!(
                r#"[{{"name":"a","ensure":"present","v":"{}"}},{{"name":"b","ensure":"present"}}]"#,
                if flag { "ABC" } else { "abc" }
            ),
        ),
        (
            "d_insync",
            format!(
                r#"[{{"name":"a","ensure":"present","v":{number},"w":"u","fixed":"1"}},{{"name":"b","ensure":"present"}}]"#
            ),
        ),
        ("d_trigger", r#"[{"name":"a"}]"#.to_owned()),
        (
            "d_bare",
            format!(r#"[{{"key":1,"must":"be","level":{number},"on":{flag}}}]"#),
        ),
        (
            "d_simple",
            format!(r#"[{{"name":"a","ensure":"present","v":{number},"secret":"hidden"}}]"#),
        ),
    ];
    let mut chosen: Vec<(&'static str, String)> = Vec::new();
    for (name, rows) in all {
        if dice.below(3) != 0 && !chosen.iter().any(|(known, _)| *known == name) {
            chosen.push((name, rows));
        }
    }
    chosen
}
