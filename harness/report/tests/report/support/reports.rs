//! The reports that are rendered.

use super::*;
use stickler_judge::{Arrow, Happening, Level, Moment, Report, Reported, Timeline, Verdict};

fn passes(codes: std::ops::Range<usize>) -> Vec<Reported> {
    codes
        .map(|code| {
            outcome(
                &format!("PM{code}"),
                Level::Must,
                Verdict::Pass,
                "A rule that is kept",
            )
        })
        .collect()
}

pub fn all_well() -> Report {
    let mut outcomes = passes(101..106);
    for code in ["PM602", "PM603", "PM604", "PM605"] {
        let rule = outcome(
            code,
            Level::Must,
            Verdict::NotExercised,
            "Result classes are identifiers",
        );
        outcomes.push(because(rule, "no result classes were set"));
    }
    Report {
        exchanges: 388,
        sessions: 60,
        seconds: 1.94,
        ..report("symlinks.py", outcomes)
    }
}

fn again() -> Reported {
    let mut effect = found(
        Level::Must,
        "example \"clones a repository\", evaluated again and again",
        "the second evaluation is `repaired` and changes nothing",
        4,
        vec![
            line(
                Some(7),
                Arrow::Sent,
                "evaluate_promise {dir}/repo  repository=file:///srv/a.git",
            ),
            line(Some(7), Arrow::Received, "repaired"),
            line(Some(7), Arrow::Effect, "{dir}/repo/ (23 files)"),
            line(Some(8), Arrow::Sent, "the same"),
            line(Some(8), Arrow::Received, "repaired"),
            line(Some(8), Arrow::Effect, "(no effect)"),
        ],
    );
    effect.expected = Some("kept".to_owned());
    effect.others = vec!["with `depth`, the second evaluation is `repaired`".to_owned()];
    let other = found(
        Level::Must,
        "example \"other\"",
        "never `kept` in 5 evaluations",
        0,
        Vec::new(),
    );
    let lesser = found(
        Level::Should,
        "example \"other\", a trailing slash in the promiser",
        "the promise is `kept` only from the third evaluation on, after two that were `repaired`, which is late",
        2,
        Vec::new(),
    );
    let mut findings = vec![effect, other, lesser];
    for kind in 1..4 {
        findings.push(found(
            Level::May,
            "",
            &format!("kind {kind}"),
            0,
            Vec::new(),
        ));
    }
    let rule = outcome(
        "PM804",
        Level::Must,
        Verdict::Fail,
        "After `repaired`, the same promise is `kept`",
    );
    let mut rule = failing(rule, findings);
    rule.reproducer = Some(".stickler/PM804-7d1c.jsonl".to_owned());
    rule.timelines = vec![session()];
    rule
}

/// A session that misses a deadline.
fn session() -> Timeline {
    let moment = |at, until, happening, name: &str, text: &str| Moment {
        at,
        until,
        happening,
        exchange: (happening == Happening::Sent).then_some(1),
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let header = "cf-agent 3.21.0 v1⏎⏎";
    let moments = vec![
        moment(0, 0, Happening::Other, "start", "the process starts"),
        moment(210, 250, Happening::Sent, "header", header),
        moment(
            31_000,
            31_400,
            Happening::Received,
            "output",
            "git 1.0 v1⏎⏎",
        ),
        moment(31_500, 31_500, Happening::Printed, "stderr", "a warning⏎"),
        moment(32_000, 32_000, Happening::Effect, "effect", "+ {dir}/repo"),
        moment(
            400_000,
            10_400_000,
            Happening::Waited,
            "deadline",
            "no answer",
        ),
        moment(10_500_000, 10_500_000, Happening::Ended, "exit", "signal 9"),
    ];
    Timeline {
        case: "again/e1".to_owned(),
        messages: 1,
        length: 10_510_000,
        moments,
        left_out: Some((3, 5)),
    }
}

fn protocol_alone() -> Reported {
    let mut answer = line(
        Some(7),
        Arrow::Received,
        "Cloning into '{dir}/repo'...⏎{\"operation\": \"evaluate_promise\", \"result\": \"repaired\", \"promiser\": \"{dir}/repo\", \"attributes\": {\"repository\": \"file:///srv/a.git\"}}⏎⏎",
    );
    answer.mark = Some((0, 28));
    answer.note = Some("not part of any message".to_owned());
    let mut finding = found(
        Level::Must,
        "",
        "git's own output stands on stdout before the answer",
        0,
        vec![answer],
    );
    finding.agent = Some(
        "cf-agent 3.21.0 would report the promise as not kept without any of its classes, read the rest of the output as the next answer, and print an error: Promise module 'git.py' sent invalid JSON"
            .to_owned(),
    );
    let rule = outcome(
        "PM203",
        Level::Must,
        Verdict::Fail,
        "stdout carries protocol alone",
    );
    let mut rule = failing(rule, vec![finding]);
    rule.reproducer = Some("/tmp/my dir/PM203-02be.jsonl".to_owned());
    rule
}

pub fn wrong() -> Report {
    let mut outcomes = passes(101..104);
    outcomes.push(protocol_alone());
    let should = outcome(
        "PM410",
        Level::Should,
        Verdict::Fail,
        "A rejected promise is explained at level `error`",
    );
    let mut finding = found(
        Level::Should,
        "example \"clones a repository\", attribute \"repository\" left out — drop-3",
        "`validate_promise` answers `invalid` and logs nothing",
        0,
        vec![
            line(
                Some(2),
                Arrow::Sent,
                "validate_promise {dir}/repo  (no attributes)",
            ),
            line(Some(2), Arrow::Received, "invalid"),
            line(None, Arrow::Happened, "ended with status 0"),
        ],
    );
    finding.expected = Some("a log line at level `error` that names what is missing".to_owned());
    outcomes.push(failing(should, vec![finding]));
    let advice = outcome(
        "PM511",
        Level::May,
        Verdict::Advice,
        "stderr is silent in normal work",
    );
    let said = "stderr is not silent in normal work: \"Cloning into …\"";
    outcomes.push(failing(
        advice,
        vec![found(Level::May, "", said, 2, Vec::new())],
    ));
    outcomes.push(again());
    for code in 601..610 {
        let rule = outcome(
            &format!("PM{code}"),
            Level::Must,
            Verdict::NotExercised,
            "Nothing changes under `warn`",
        );
        outcomes.push(because(rule, "no action_policy example changes anything"));
    }
    for code in 701..705 {
        outcomes.push(outcome(
            &format!("PM{code}"),
            Level::Must,
            Verdict::NotExercised,
            "Locales make no difference",
        ));
    }
    report("git.py", outcomes)
}

pub fn first_look() -> Report {
    let outcomes = (101..112)
        .map(|code| {
            let rule = outcome(
                &format!("PM{code}"),
                Level::Must,
                Verdict::NotExercised,
                "Some rule",
            );
            because(rule, "no example")
        })
        .collect();
    Report {
        hints: vec![
            "`stickler init ./git.py` writes one to fill in;\nit found these attribute names in the source: repository, version, recurse".to_owned(),
        ],
        exchanges: 0,
        sessions: 1,
        seconds: 0.012,
        ..report("git.py", outcomes)
    }
}

pub fn declared() -> Report {
    let shaky = outcome(
        "PM301",
        Level::Must,
        Verdict::Flaky,
        "Pieces of input make no difference",
    );
    let shaky = failing(
        shaky,
        vec![found(
            Level::Must,
            "example \"writes\", input in single bytes",
            "no answer, and an answer when tried again",
            0,
            vec![
                line(Some(3), Arrow::Sent, "evaluate_promise {dir}/a"),
                line(Some(3), Arrow::Happened, "no answer in 30 s"),
            ],
        )],
    );
    let mut soft = outcome(
        "PM302",
        Level::Should,
        Verdict::Flaky,
        "Answers come promptly",
    );
    soft.message = Some("4.1 s, and 0.2 s when tried again".to_owned());
    let known = outcome(
        "PM805",
        Level::Must,
        Verdict::Xfail,
        "Nothing but the promise changes",
    );
    let stale = outcome("PM806", Level::Must, Verdict::Xpass, "Effects are told");
    let waived = outcome(
        "PM907",
        Level::Should,
        Verdict::Waived,
        "Unknown attributes are rejected",
    );
    let skipped = outcome(
        "PM950",
        Level::Must,
        Verdict::Skipped,
        "No process is left behind",
    );
    let mut outcomes = passes(101..103);
    outcomes.extend([
        shaky,
        soft,
        because(known, "leaves its log, ticket 12"),
        because(
            stale,
            "expected to fail, and passed; take the xfail out (ticket 9)",
        ),
        because(waived, "any attribute is a header"),
        because(
            skipped,
            "the sandbox tier \"none\" cannot tell processes apart",
        ),
    ]);
    report("declared.sh", outcomes)
}

/// Text that tries to leave its place, in each field.
pub const HOSTILE: &str = "x\x1b[31m\n::error::no\r\n  ...\nnot ok 1\u{202e}\u{9b}2J\u{2028}]]>&<\"'\\ #%0A,:##[group] [a](http://b)\0\u{fffe}\u{7f}";

pub fn hostile() -> Report {
    hostile_with(HOSTILE)
}

/// A report with this text in each field.
pub fn hostile_with(text: &str) -> Report {
    let mut evidence = line(Some(1), Arrow::Received, text);
    evidence.mark = Some((2, 4));
    evidence.note = Some(text.to_owned());
    let long = format!("{}BAD{}", "a".repeat(300), "日本語".repeat(100));
    let mut long = line(Some(2), Arrow::Received, &long);
    long.mark = Some((300, 3));
    let mut finding = found(Level::Must, text, text, 1, vec![evidence, long]);
    finding
        .excerpt
        .extend((3..30).map(|number| line(Some(number), Arrow::Sent, text)));
    finding.expected = Some(text.to_owned());
    finding.case = text.to_owned();
    let rule = outcome("PM101", Level::Must, Verdict::Fail, text);
    let mut rule = failing(rule, vec![finding]);
    rule.reproducer = Some(text.to_owned());
    let mut session = session();
    session.case = text.to_owned();
    for moment in &mut session.moments {
        (moment.name, moment.text) = (text.to_owned(), text.to_owned());
    }
    rule.timelines = vec![session];
    let mut outcomes = vec![rule];
    for (index, verdict) in [
        Verdict::Pass,
        Verdict::Flaky,
        Verdict::Advice,
        Verdict::Xfail,
        Verdict::Xpass,
        Verdict::Waived,
        Verdict::NotExercised,
        Verdict::Skipped,
    ]
    .into_iter()
    .enumerate()
    {
        let rule = outcome(&format!("PM10{}", index + 2), Level::Should, verdict, text);
        outcomes.push(because(rule, text));
    }
    let mut report = report(text, outcomes);
    report.facts = vec![text.to_owned()];
    report.hints = vec![text.to_owned()];
    report
}

pub fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("all_well", all_well()),
        ("wrong", wrong()),
        ("first_look", first_look()),
        ("declared", declared()),
        ("hostile", hostile()),
        ("empty", report("nothing.py", Vec::new())),
    ]
}
