//! A subject's text does not leave its place, whatever the format.

use crate::support::{failing, found, hostile, hostile_with, line, outcome, rendered, report};
use proptest::prelude::*;
use stickler_judge::{Arrow, Exit, Level, Report, Verdict};
use stickler_report::{
    Campaign, Defect, Format, Options, Reach, Sample, SourceFile, Sources, render_campaign,
    render_so_far,
};
use unicode_width::UnicodeWidthChar;

/// Has a log the members that SARIF 2.1.0 requires, each of its type?
fn assert_sarif(log: &serde_json::Value) {
    assert_eq!(log["version"], "2.1.0");
    let list = |value: &serde_json::Value| value.as_array().expect("a list").clone();
    for run in list(&log["runs"]) {
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].is_string(), "{driver}");
        let rules = list(&driver["rules"]);
        for rule in &rules {
            assert!(
                rule["id"].is_string() && rule["shortDescription"]["text"].is_string(),
                "{rule}"
            );
            assert!(
                rule["help"]["text"].is_string() && rule["helpUri"].is_string(),
                "{rule}"
            );
        }
        for result in list(&run["results"]) {
            assert!(result["message"]["text"].is_string(), "{result}");
            let level = result["level"].as_str().expect("a level");
            assert!(
                ["none", "note", "warning", "error"].contains(&level),
                "{result}"
            );
            assert_eq!(result["kind"], "fail", "{result}");
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index"));
            assert_eq!(
                rules[index.expect("small")]["id"],
                result["ruleId"],
                "{result}"
            );
            for place in result["locations"].as_array().into_iter().flatten() {
                let file = &place["physicalLocation"]["artifactLocation"]["uri"];
                assert!(file.is_string(), "{result}");
            }
            for spared in list(&result["suppressions"]) {
                let kind = spared["kind"].as_str().expect("a kind");
                assert!(["inSource", "external"].contains(&kind), "{result}");
            }
        }
    }
}

/// Characters that may stand in no output, but for the line feeds between lines.
fn dangerous(c: char) -> bool {
    c != '\n'
        && (c.is_control()
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{feff}'))
}

fn check(report: &Report) {
    for format in Format::ALL {
        for verbose in [false, true] {
            let options = Options {
                verbose,
                ..Options::default()
            };
            let text = rendered(report, format, &options);
            assert_eq!(
                text.chars().find(|c| dangerous(*c)),
                None,
                "{format}: {text}"
            );
        }
    }
    let text = rendered(report, Format::Junit, &Options::default());
    let suites = quick_junit::Report::deserialize_from_str(&text).expect("well-formed XML");
    assert_eq!(suites.tests, report.outcomes.len());
    let text = rendered(report, Format::Sarif, &Options::default());
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_sarif(&log);
    let text = rendered(report, Format::Tap, &Options::default());
    let points = text
        .lines()
        .filter(|line| line.starts_with("ok ") || line.starts_with("not ok "));
    assert_eq!(points.count(), report.outcomes.len());
    let ends = text.lines().filter(|line| line.trim() == "...").count();
    assert_eq!(text.lines().filter(|line| *line == "  ---").count(), ends);
    commands(&rendered(report, Format::Github, &Options::default()), true);
    let options = Options {
        verbose: true,
        width: 60,
        ..Options::default()
    };
    commands(&rendered(report, Format::Pretty, &options), false);
    for format in [Format::Markdown, Format::Html] {
        commands(&rendered(report, format, &Options::default()), false);
    }
    for format in [Format::Json, Format::Badge] {
        for line in rendered(report, format, &Options::default()).lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        }
    }
    markdown(&rendered(report, Format::Markdown, &Options::default()));
}

/// Only our own tables and paragraphs are Markdown; all else is inside HTML blocks.
fn markdown(text: &str) {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(text, options) {
        let ours = match &event {
            Event::Start(tag) => matches!(
                tag,
                Tag::HtmlBlock
                    | Tag::Paragraph
                    | Tag::Table(_)
                    | Tag::TableHead
                    | Tag::TableRow
                    | Tag::TableCell
            ),
            Event::End(_) | Event::Html(_) => true,
            Event::Text(text) => text
                .chars()
                .all(|c| c.is_alphanumeric() || ",.: \u{2013}".contains(c)),
            _ => false,
        };
        assert!(ours, "{event:?} in:\n{text}");
    }
}

/// All tags of a page, with their attributes.
fn tags(page: &str) -> Vec<&str> {
    let tags = page.split('<').skip(1);
    tags.map(|tag| tag.split_once('>').expect("an end").0)
        .collect()
}

#[test]
fn markup_of_a_subject_stays_text() {
    const MARKUP: &str = "</pre></details><script>alert(1)</script><img src=//b onerror=alert(1)>\
        \" onclick=\"alert(1)\" ' &lt;b&gt; --> <!-- ]]> </style>\n\n# heading @all *b* |\n\n";
    for format in [Format::Html, Format::Markdown] {
        let render = |text: &str| {
            let text = rendered(&hostile_with(text), format, &Options::default());
            // Mentions are broken by a tag of ours.
            text.replace("<span>@</span>", "@")
        };
        let plain = |c| if c == '\n' { c } else { 'x' };
        let harmless = render(&MARKUP.chars().map(plain).collect::<String>());
        let hostile = render(MARKUP);
        assert!(tags(&hostile) == tags(&harmless), "{format}: {hostile}");
        assert!(hostile.contains("&lt;script&gt;alert(1)"), "{format}");
    }
    check(&hostile_with(MARKUP));
}

/// The page of a campaign in which a subject's text is everywhere.
fn campaign(text: &str) -> String {
    let own = || text.to_owned();
    let rule = hostile_with(text).outcomes.remove(0);
    let campaign = Campaign {
        pages: crate::support::pages(),
        subject: own(),
        location: own(),
        command: own(),
        facts: vec![own()],
        verdict: own(),
        exit: Exit::Findings,
        strict: false,
        began: own(),
        seconds: 1.0,
        seed: Some(1),
        remarks: vec![own()],
        defects: vec![
            Defect {
                outcome: rule,
                at: 0.5,
                cases: 1,
                shown: (1, 3),
                again: true,
            };
            2
        ],
        counters: vec![(own(), own())],
        samples: vec![
            Sample::default(),
            Sample {
                at: f64::NAN,
                ..Sample::default()
            },
        ],
        yields: vec![stickler_report::Yield {
            name: own(),
            sentence: own(),
            tried: 1,
            marks: 1,
            corpus: 1,
            findings: 1,
            seconds: f64::NAN,
        }],
        unreached: vec![stickler_report::Gap {
            what: own(),
            hint: Some(own()),
        }],
        sources: Sources::Known(
            own(),
            vec![SourceFile {
                name: own(),
                remark: Some(own()),
                lines: vec![(Reach::Missed, own()), (Reach::NoCode, own())],
            }],
        ),
    };
    let mut page = Vec::new();
    render_campaign(&campaign, &mut page).expect("a vector takes everything");
    String::from_utf8(page).expect("UTF-8")
}

#[test]
fn a_campaign_with_hostile_text_has_only_our_own_markup() {
    const HOSTILE: &str = "</pre></code></style><script>alert(1)</script>\" onclick=\"alert(1)\" ' \
        &lt; ##[error]x ##vso[task] \u{202e}\u{1b}[31m\t\r\u{0}";
    let plain = |c| if c == '#' { 'y' } else { 'x' };
    let page = campaign(HOSTILE);
    let harmless = campaign(&HOSTILE.chars().map(plain).collect::<String>());
    assert!(tags(&page) == tags(&harmless), "{page}");
    assert_eq!(page.chars().find(|c| dangerous(*c)), None);
    commands(&page, false);
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
}

#[test]
fn a_markdown_report_fits_into_a_summary() {
    let line = line(Some(1), Arrow::Received, &"<".repeat(2_000));
    let finding = found(Level::Must, "", "it fails", 0, vec![line; 100]);
    let rule = outcome("PM101", Level::Must, Verdict::Fail, "A rule");
    let rule = failing(rule, vec![finding]);
    let text = rendered(
        &report("large.py", vec![rule; 50]),
        Format::Markdown,
        &Options::default(),
    );
    assert!(text.len() < 300_000, "{}", text.len());
    assert!(text.trim_end().ends_with("of this run."), "the end is said");
    markdown(&text);
}

/// Only our own lines are workflow commands.
fn commands(text: &str, ours: bool) {
    for line in text.lines() {
        let own = [
            "::error file=",
            "::warning file=",
            "::notice file=",
            "::group::",
            "::endgroup::",
            "::warning title=Stickler::",
        ];
        let own = ours && own.iter().any(|own| line.starts_with(own));
        assert!(own || !line.trim_start().starts_with("::"), "{line}");
        assert!(own || !line.contains("##["), "{line}");
    }
}

#[test]
fn hostile_text_stays_where_it_belongs() {
    check(&hostile());
}

#[test]
fn a_finding_fits_on_a_screen() {
    let mut finding = found(
        Level::Must,
        &"context ".repeat(500),
        &"message ".repeat(500),
        3,
        Vec::new(),
    );
    finding.expected = Some("expected ".repeat(300));
    for number in 0..500 {
        let mut line = line(Some(number), Arrow::Received, &"x⏎".repeat(300));
        line.mark = Some((0, 600));
        line.note = Some("note ".repeat(200));
        finding.excerpt.push(line);
    }
    let findings = vec![finding; 40];
    let rule = outcome("PM101", Level::Must, Verdict::Fail, "A rule");
    let report = report("large.py", vec![failing(rule, findings)]);
    for width in [0, 40, 80, 200] {
        let text = rendered(
            &report,
            Format::Pretty,
            &Options {
                width,
                ..Options::default()
            },
        );
        let lines = text.lines().count();
        assert!(lines < 75, "{lines} lines at width {width}:\n{text}");
        let wide: Vec<&str> = text
            .lines()
            .filter(|line| line.chars().count() > width.max(40))
            .collect();
        assert!(wide.is_empty(), "{wide:?} at width {width}:\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_and_no_mark_breaks_a_format(
        text in "(\\PC|[\\x00-\\x1f]|[⏎:#\\[%\"'\\\\\u{202e}\u{9b}]){0,120}",
        mark in (0usize..130, 0usize..130),
        width in 0usize..120,
    ) {
        let mut shown = line(Some(1), Arrow::Received, &text);
        shown.mark = Some(mark);
        shown.note = Some(text.clone());
        let effect = line(Some(1), Arrow::Effect, &text);
        let mut finding = found(Level::Must, &text, &text, 0, vec![shown, effect.clone(), effect]);
        finding.expected = Some(text.clone());
        let rule = outcome("PM101", Level::Must, Verdict::Fail, &text);
        let mut report = report("any.py", vec![failing(rule, vec![finding])]);
        report.hints = vec![text];
        check(&report);
        let options = Options { width, color: true, ..Options::default() };
        rendered(&report, Format::Pretty, &options);
    }

    #[test]
    fn an_early_failure_is_one_escaped_line(
        text in "(\\PC|[\\x00-\\x1f]|[⏎:#\\[%\"'\\\\\u{202e}\u{9b}]| — ){0,120}",
        width in 0usize..120,
    ) {
        let finding = found(Level::Must, &text, &text, 0, Vec::new());
        let rule = outcome("PM101", Level::Must, Verdict::Fail, &text);
        let options = Options { width, ..Options::default() };
        let mut line = Vec::new();
        render_so_far(&failing(rule, vec![finding]), false, &options, &mut line).expect("a vector");
        let line = String::from_utf8(line).expect("text");
        let line = line.strip_suffix('\n').expect("a whole line");
        prop_assert!(line.starts_with("so far: FAIL  PM101  must"), "{line}");
        prop_assert!(!line.contains(char::is_control), "{line:?}");
        let columns: usize = line.chars().map(|c| c.width().unwrap_or(0)).sum();
        prop_assert!(columns <= width.max(40), "{line}");
    }
}
