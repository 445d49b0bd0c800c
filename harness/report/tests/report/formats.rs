//! One snapshot a format for each of a few reports.

use crate::support::{all, because, failing, found, outcome, rendered, report};
use stickler_judge::{Arrow, Consequence, Exit, Level, Report, RunPlace, Verdict};
use stickler_report::{Format, Options, render_so_far};

/// Compares with the accepted output of this name.
fn accepted(name: String, text: impl AsRef<str>) {
    insta::with_settings!({
        snapshot_path => "../../../../snapshots/report",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text.as_ref());
    });
}

fn snapshots(format: Format) {
    for (name, report) in all() {
        let version = concat!("\"semanticVersion\": \"", env!("CARGO_PKG_VERSION"), "\"");
        let tag = concat!("/v", env!("CARGO_PKG_VERSION"), "/");
        let text = rendered(&report, format, &Options::default())
            .replace(version, "\"semanticVersion\": \"[version]\"")
            .replace(env!("CARGO_PKG_REPOSITORY"), "[repository]")
            .replace(tag, "/[tag]/");
        accepted(format!("{format}__{name}"), text);
    }
}

#[test]
fn pretty() {
    snapshots(Format::Pretty);
}

#[test]
fn json() {
    snapshots(Format::Json);
}

#[test]
fn junit() {
    snapshots(Format::Junit);
}

#[test]
fn sarif() {
    snapshots(Format::Sarif);
}

#[test]
fn tap() {
    snapshots(Format::Tap);
}

#[test]
fn github() {
    snapshots(Format::Github);
}

#[test]
fn markdown() {
    snapshots(Format::Markdown);
}

#[test]
fn badge() {
    snapshots(Format::Badge);
}

/// The page without its style, its script and their digests, with a line for each element.
#[test]
fn html() {
    let fixed = [
        (include_str!("../../src/html/page.css"), "[style]"),
        (include_str!("../../src/html/page.js"), "[script]"),
        (
            concat!("Stickler ", env!("CARGO_PKG_VERSION")),
            "Stickler [version]",
        ),
        ("><", ">\n<"),
    ];
    for (name, report) in all() {
        let mut text = rendered(&report, Format::Html, &Options::default());
        for (from, to) in fixed {
            text = text.replace(from, to);
        }
        for digest in text
            .clone()
            .split('\'')
            .filter(|it| it.starts_with("sha256-"))
        {
            text = text.replace(digest, "[digest]");
        }
        accepted(format!("html__{name}"), text);
    }
}

#[test]
fn pretty_and_verbose_in_a_wide_terminal() {
    let options = Options {
        verbose: true,
        width: 120,
        explain_hint: false,
        ..Options::default()
    };
    for (name, report) in all() {
        let text = rendered(&report, Format::Pretty, &options);
        accepted(format!("verbose__{name}"), text);
    }
}

#[test]
fn pretty_in_a_narrow_terminal_in_colour() {
    let options = Options {
        width: 60,
        color: true,
        ..Options::default()
    };
    for (name, report) in all() {
        let text = rendered(&report, Format::Pretty, &options).replace('\x1b', "␛");
        accepted(format!("narrow__{name}"), text);
    }
}

#[test]
fn strict_fails_on_should() {
    let mut report = crate::support::wrong();
    report.strict = true;
    for format in [Format::Tap, Format::Github] {
        let lenient = rendered(&crate::support::wrong(), format, &Options::default());
        let strict = rendered(&report, format, &Options::default());
        let lenient: Vec<&str> = lenient.lines().collect();
        let changed: Vec<&str> = strict
            .lines()
            .filter(|line| !lenient.contains(line))
            .collect();
        accepted(format!("strict__{format}"), changed.join("\n"));
    }
}

#[test]
fn all_well_is_three_lines() {
    let options = Options {
        width: 120,
        ..Options::default()
    };
    let text = rendered(&crate::support::all_well(), Format::Pretty, &options);
    let last = "rules: 5 passed, 4 not exercised (PM602 PM603 PM604 PM605: no result classes were set)   388 exchanges, 1.9 s";
    assert_eq!(
        text.lines().skip(1).collect::<Vec<_>>(),
        [last, "passed: 5 of 9 rules, 4 not exercised"]
    );
}

#[test]
fn the_keys_of_a_long_answer_are_never_hidden() {
    let long = "/a/long/path".repeat(9);
    let answer = format!(
        r#"{{"operation": "evaluate_promise", "promiser": "{long}", "attributes": {{"content": "{long}"}}, "result": "repaired", "log": [{{"level": "info", "message": "Wrote {long}"}}]}}"#
    );
    let lines = vec![crate::support::line(Some(3), Arrow::Received, &answer)];
    let outcome = outcome("PM804", Level::Must, Verdict::Fail, "It is kept");
    let failing = failing(outcome, vec![found(Level::Must, "", "it", 0, lines)]);
    let text = rendered(
        &report("m.py", vec![failing]),
        Format::Pretty,
        &Options::default(),
    );
    for key in ["operation", "promiser", "attributes", "result", "log"] {
        assert!(text.contains(&format!("\"{key}\": ")), "{key}: {text}");
    }
    assert!(text.contains("\"result\": \"repaired\""), "{text}");
}

#[test]
fn an_early_failure_is_one_line() {
    let told = |level, context: &str, strict| {
        let finding = found(level, context, "it `prints` too much", 0, Vec::new());
        let rule = failing(
            outcome("PM203", level, Verdict::Fail, "A rule"),
            vec![finding],
        );
        let mut line = Vec::new();
        render_so_far(&rule, strict, &Options::default(), &mut line).expect("a vector");
        String::from_utf8(line).expect("text")
    };
    assert_eq!(
        told(Level::Must, "example \"a — b\", changed — text/e1", false),
        "so far: FAIL  PM203  must  example \"a — b\", changed: it `prints` too much\n"
    );
    assert_eq!(
        told(Level::Should, "header/plain", true),
        "so far: FAIL  PM203  should  header/plain: it `prints` too much\n"
    );
    let line = told(Level::Must, &"far away ".repeat(40), false);
    assert!(line.ends_with(": it `prints` too much\n"), "{line}");
    assert!(line.chars().count() <= 101, "{line}");
}

#[test]
fn every_format_attributes_a_consequence_to_the_failure_that_caused_it() {
    let found = || vec![found(Level::Must, "", "it ends", 0, Vec::new())];
    let mut cause = failing(
        outcome("PM804", Level::Must, Verdict::Fail, "It converges"),
        found(),
    );
    cause.explains = vec![Consequence {
        code: "PM305".into(),
        message: "it leaks".into(),
    }];
    let mut follows = because(
        outcome("PM305", Level::Must, Verdict::Skipped, "It goes on"),
        "follows from PM804: it leaks",
    );
    follows.findings = found();
    follows.explained_by = Some("PM804".into());
    let report = report("module.py", vec![follows, cause]);
    let text = rendered(&report, Format::Pretty, &Options::default());
    assert!(text.contains("follows  PM305  it leaks"), "{text}");
    assert!(!text.contains("FAIL  PM305"), "{text}");
    assert!(
        text.contains("FAILED: 1 rule of level must (PM804)"),
        "{text}"
    );
    for format in [
        Format::Github,
        Format::Markdown,
        Format::Html,
        Format::Junit,
    ] {
        let text = rendered(&report, format, &Options::default());
        assert!(text.contains("it leaks"), "{format:?}: {text}");
    }
    let json = rendered(&report, Format::Json, &Options::default());
    let line = json.lines().next().expect("a line");
    assert!(line.contains(r#""verdict":"skipped""#), "{line}");
    assert!(line.contains(r#""explained_by":"PM804""#), "{line}");
    assert!(line.contains(r#""follows":"PM804""#), "{line}");
    let junit = rendered(&report, Format::Junit, &Options::default());
    let place = |code: &str| junit.find(&format!("name=\"{code}"));
    assert!(place("PM804") < place("PM305"), "{junit}");
    let tap = rendered(&report, Format::Tap, &Options::default());
    assert!(tap.contains("SKIP follows from PM804: it leaks"), "{tap}");
}

#[test]
fn the_last_line_says_how_much_was_judged_and_what_is_missing() {
    let last = |report: &Report| {
        let text = rendered(report, Format::Pretty, &Options::default());
        let end = text.lines().last().unwrap_or_default().to_owned();
        (report.exit(), end)
    };
    let passed = outcome("PM101", Level::Must, Verdict::Pass, "It is kept");
    let open = |code: &str, level| {
        let mut open = outcome(code, level, Verdict::NotExercised, "It is judged");
        open.wanted = Some("an example that works");
        open
    };
    let few = vec![passed.clone(), open("PM102", Level::Must)];
    assert_eq!(
        last(&report("module.py", few.clone())),
        (
            Exit::Success,
            "passed: 1 of 2 rules, 1 not exercised: 1 for want of an example that works".into()
        )
    );
    let mut most = few.clone();
    most.push(open("PM103", Level::Must));
    let (exit, said) = last(&report("module.py", most.clone()));
    assert_eq!(exit, Exit::NothingExercised);
    assert!(
        said.contains("2 for want of an example that works"),
        "{said}"
    );
    // Rules of lower levels do not decide it.
    let mut lower = few;
    lower.push(open("PM104", Level::Should));
    assert_eq!(report("module.py", lower).exit(), Exit::Success);
    // Whoever gives no example is told so, and only --strict wants more.
    let mut without = report("module.py", most);
    without.without_examples = true;
    let (exit, said) = last(&without);
    assert_eq!(exit, Exit::Success);
    assert!(
        said.starts_with("nothing failed: 1 of 3 rules judged"),
        "{said}"
    );
    without.strict = true;
    assert_eq!(without.exit(), Exit::NothingExercised);
}

#[test]
fn junit_shows_each_rule_however_long_the_chain_of_causes() {
    let follows = |code: &str, cause: Option<&str>| {
        let mut one = outcome(code, Level::Must, Verdict::Skipped, "It goes on");
        one.explained_by = cause.map(str::to_owned);
        one
    };
    let outcomes = vec![
        follows("PM301", Some("PM302")),
        follows("PM302", Some("PM303")),
        follows("PM303", None),
        follows("PM304", Some("PM999")),
    ];
    let junit = rendered(
        &report("module.py", outcomes),
        Format::Junit,
        &Options::default(),
    );
    for code in ["PM301", "PM302", "PM303", "PM304"] {
        assert!(junit.contains(&format!("name=\"{code}")), "{code}: {junit}");
    }
}

#[test]
fn rules_that_follow_with_the_same_words_share_a_line() {
    let mut cause = failing(
        outcome("PM804", Level::Must, Verdict::Fail, "It converges"),
        vec![found(Level::Must, "", "it never ends", 0, Vec::new())],
    );
    let follows = |code: &str| Consequence {
        code: code.into(),
        message: "not judged for such an example".into(),
    };
    cause.explains = vec![follows("PM305"), follows("PM306")];
    let report = report("module.py", vec![cause]);
    let text = rendered(&report, Format::Pretty, &Options::default());
    assert!(
        text.contains("follows  PM305 PM306  not judged for such an example"),
        "{text}"
    );
}

#[test]
fn of_one_defect_in_several_rules_the_narrower_one_names_the_wider() {
    let rule = |code: &str, level, exchanges: &[usize]| {
        let found = found(level, "", "it ends", 0, Vec::new());
        let outcome = outcome(code, level, Verdict::Fail, "It goes on");
        let place = |exchange: &usize| RunPlace::at(0, *exchange);
        let mut outcome = failing(outcome, vec![found]);
        outcome.places.broken = exchanges.iter().map(place).collect();
        outcome
    };
    let sees = |outcomes| {
        let report = report("module.py", outcomes);
        let text = rendered(&report, Format::Pretty, &Options::default());
        let lines = text.lines().filter(|line| line.contains("see  "));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let told = ["see      PM901, which fails in the same exchanges"];
    assert_eq!(
        sees(vec![
            rule("PM405", Level::Must, &[3, 4]),
            rule("PM901", Level::Must, &[3, 4, 5]),
        ]),
        told
    );
    // One is graver, or each fails somewhere by itself.
    assert!(
        sees(vec![
            rule("PM405", Level::Must, &[3]),
            rule("PM807", Level::Should, &[3, 5]),
            rule("PM901", Level::Must, &[4]),
        ])
        .is_empty()
    );
    assert_eq!(
        sees(vec![
            rule("PM804", Level::Must, &[3]),
            rule("PM901", Level::Must, &[3]),
        ]),
        ["see      PM804, which fails in the same exchanges"]
    );
}
