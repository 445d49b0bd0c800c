//! `stickler fuzz --report`: what the page of a campaign shows, and how a browser shows it.

use super::{CONTRAST, DARK, DESKTOP, PHONE, is_quiet};
use crate::browser::{Browser, Look};
use crate::calls::wait_for_processes;
use crate::cli::{Folder, json_lines};
use crate::common::{Call, STICKLER, root};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fs;
use std::process::Stdio;
use stickler_judge::{
    Arrow, ExcerptLine, Exit, Found, Level, Pages, Places, Reported, Variant, Verdict,
};
use stickler_report::{Campaign, Defect, Reach, Sample, SourceFile, Sources, render_campaign};

/// Few rules, since each finding is made smaller.
const FUZZ: [&str; 7] = ["fuzz", "--cases", "30", "--seed", "1", "--select", "PM901"];

/// A folder with a module that ends at each evaluation of a new file, with these last words.
fn failing(words: &str) -> Folder {
    let folder = Folder::sound();
    // JSON is Python, too.
    let words = serde_json::Value::from(words);
    let write = "        with open(path, \"w\") as file:\n";
    let fail =
        format!("        if text is not None:\n            raise SystemExit({words})\n{write}");
    folder.replace("message.py", write, &fail);
    folder
}

/// Is a text in a page? If not, the page is shown without its style.
#[track_caller]
fn holds(page: &str, text: &str) {
    let body = page.split_once("<body>").map_or(page, |(_, body)| body);
    assert!(body.contains(text), "{text} is not in:\n{body}");
}

fn text_of(browser: &mut Browser) -> String {
    let text = browser.value("document.body.textContent");
    text.as_str().expect("a text").to_owned()
}

#[test]
fn the_page_shows_the_findings_the_course_and_the_lines() {
    let folder = failing("no more");
    folder.write("page/index.html", "an old page");
    folder
        .run(&[&FUZZ[..], &["--report", "page"]].concat())
        .exits(1)
        .says("note: the report is in page/index.html");
    assert_eq!(folder.list("page"), ["index.html"]);
    let page = folder.read("page/index.html");
    for text in [
        "<h1>message.py</h1>",
        "<p class=\"conclusion fail\">",
        "1 defect found",
        "<dt>seed</dt><dd>1</dd>",
        "id=\"PM901\"",
        "stickler replay .stickler/fuzz/message.py/findings/message.py-PM901-",
        "evaluate_promise",
        "<details class=\"session\">",
        "<b>Requests per second</b>",
        "<b>Corpus</b>",
        "<b>Coverage</b>",
        "<b>Findings</b>",
        "<dt>sessions</dt><dd>3",
        "new pairs of lines that python reported",
        "<summary><code>message.py</code>",
        // The file is never written.
        "<li class=\"missed\"><pre><span class=\"unseen\">not reached: </span>            \
         file.write(text)</pre>",
        "<li class=\"reached\"><pre>main()</pre>",
        "<li class=\"nocode\"><pre></pre>",
    ] {
        holds(&page, text);
    }
    // Each finding of the list and each dot leads to an article.
    for link in page.split("href=\"#").skip(1) {
        let id = link.split('"').next().expect("an end");
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[test]
fn a_program_gets_its_lines_and_the_page_too() {
    let folder = failing("no more");
    let output = folder.run(&[&FUZZ[..], &["--report", "page", "--format", "json"]].concat());
    output.exits(1).says("the report is in page/index.html");
    assert_eq!(
        json_lines(&output).pop().expect("a line")["event"],
        "summary"
    );
    assert!(folder.read("page/index.html").contains("id=\"PM901\""));
}

#[test]
fn bash_reports_lines_and_modules_without_lines_are_named() {
    let folder = Folder::sound();
    let module = fs::read_to_string(root().join("fixtures/mutants/base.sh")).expect("a fixture");
    // What it loads from its own folder is shown as well.
    folder.write(
        "lib/helper.sh",
        "help() {\n  :\n}\nnever() {\n  false\n}\nhelp\n",
    );
    let module = module.replace(
        "start() { :; }",
        "start() { . \"${BASH_SOURCE%/*}/lib/helper.sh\"; }",
    );
    folder.write("base.sh", &module);
    folder.replace("stickler.toml", "/usr/bin/python3", "/bin/bash");
    folder.replace("stickler.toml", "message.py", "base.sh");
    folder.replace(
        "stickler.toml",
        "promise_type = \"message\"",
        "promise_type = \"file_content\"",
    );
    folder
        .run(&[&FUZZ[..], &["--report", "page"]].concat())
        .exits(0);
    let page = folder.read("page/index.html");
    for text in [
        "Bash does not say which lines hold code",
        "<summary><code>base.sh</code>",
        "<summary><code>lib/helper.sh</code> <span class=\"dim\">2 of 3 lines reached (66 %)</span>",
        "<li class=\"reached\"><pre>  read_message || exit 0</pre>",
        "<li class=\"nocode\"><pre>  done</pre>",
        "not reached: </span>  false</pre>",
    ] {
        holds(&page, text);
    }
    folder
        .run(&[&FUZZ[..], &["--coverage", "off", "--report", "page"]].concat())
        .exits(0);
    let page = folder.read("page/index.html");
    holds(&page, "<code>--coverage off</code> was given");
    folder.replace("stickler.toml", "/bin/bash", "/bin/sh");
    folder.write("base.sh", "exec /bin/bash \"${0%/*}/real.sh\"\n");
    folder.write("real.sh", &module);
    folder
        .run(&[&FUZZ[..], &["--report", "page"]].concat())
        .exits(0);
    let page = folder.read("page/index.html");
    holds(&page, "only Python, bash and Ruby report the lines");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_before_the_campaign() {
    let folder = Folder::sound();
    folder
        .run(&["fuzz", "--for", "300s", "--report", "message.py"])
        .exits(2)
        .says("--report message.py: it is not a folder");
    // Nor is a folder left of a campaign that cannot begin.
    folder.write("broken", "a file");
    folder
        .run(&["fuzz", "--report", "new/page", "--corpus", "broken"])
        .exits(2)
        .says("broken");
    assert!(!folder.exists("new"));
    assert!(!folder.exists("message.py/index.html"));
}

#[test]
fn an_interrupted_campaign_writes_its_page() {
    let folder = failing("no more");
    // A test that runs in the background may have been told to ignore Ctrl-C.
    let child = Call::of("env")
        .args(["--default-signal=INT", STICKLER])
        .args(["fuzz", "--seed", "1", "--report", "page"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stickler starts");
    wait_for_processes(&folder.path().join("message.py"), 5);
    assert_eq!(
        folder.list("page"),
        [""; 0],
        "no part of a page is ever there"
    );
    let pid = i32::try_from(child.id()).ok();
    let pid = pid
        .and_then(rustix::process::Pid::from_raw)
        .expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("the report is in page/index.html"),
        "{errors}"
    );
    let page = folder.read("page/index.html");
    holds(&page, "The campaign was interrupted.");
    assert!(page.ends_with("</html>\n"), "the page is whole");
}

#[test]
fn markup_and_secrets_of_a_module_stay_inert() {
    const MARKUP: &str = "</pre></script><script>console.error(1)</script>\
        <img src=//127.0.0.1:9/x onerror=console.error(2)>\" onload=\"console.error(3)\" '&amp;\u{1b}[31m";
    let folder = failing(MARKUP);
    let comment = format!("# {} hunter22-secret\n", MARKUP.replace('\u{1b}', "\x0c"));
    let module = folder.read("message.py");
    folder.write("message.py", &format!("{comment}{module}"));
    // Its name and what it loads may be hostile too.
    let name = "<img src=x onerror=console.error(4)>.py";
    folder.write(name, &folder.read("message.py"));
    folder.replace("stickler.toml", "\"message.py\"", &format!("{name:?}"));
    folder.replace(
        "stickler.toml",
        "message = \"hello\"",
        "message = \"hunter22-secret\"",
    );
    folder.replace(
        "stickler.toml",
        "interpreter",
        "sensitive = [\"message\"]\ninterpreter",
    );
    folder
        .run(&[&FUZZ[..], &["--report", "page"]].concat())
        .exits(1);
    let page = folder.read("page/index.html");
    assert!(!page.contains("hunter22"), "{page}");
    holds(&page, "REDACTED");
    let steers = |c: char| c.is_control() && c != '\n';
    assert_eq!(page.chars().find(|c| steers(*c)), None);
    let mut browser = Browser::start();
    browser.open(&folder.path().join("page/index.html"), DESKTOP);
    is_quiet(&mut browser);
    assert_eq!(browser.value("document.scripts.length"), 0);
    assert_eq!(browser.value("document.images.length"), 0);
    let text = text_of(&mut browser);
    // Long words are shortened in the middle.
    let (start, _) = MARKUP.split_once("<img").expect("an image");
    assert!(text.contains(start), "its words:\n{text}");
    assert!(text.contains("\\u{1b}[31m"), "its words:\n{text}");
    let shown = MARKUP.replace('\u{1b}', "\\x0c");
    assert!(text.contains(&format!("# {shown}")), "its source:\n{text}");
    assert!(text.contains(name), "its name:\n{text}");
}

fn said(exchange: usize, arrow: Arrow, text: &str) -> ExcerptLine {
    ExcerptLine {
        exchange: Some(exchange),
        arrow,
        text: text.to_owned(),
        mark: None,
        note: None,
    }
}

fn defect(code: &str, level: Level, message: &str, at: f64) -> Defect {
    let found = Found {
        level,
        variant: Variant::ONLY,
        group: "".into(),
        message: message.to_owned(),
        exchange: Some(3),
        expected: Some("an answer, and a module that keeps reading".to_owned()),
        case: "fuzz/3ab0f7536d30aa5a".to_owned(),
        context: "example \"a greeting\", with message = `open sesame`".to_owned(),
        excerpt: vec![
            said(
                3,
                Arrow::Sent,
                "evaluate_promise {dir}/greeting message=open sesame",
            ),
            said(3, Arrow::Happened, "the process ended with status 1"),
            said(3, Arrow::Effect, "(no effect)"),
        ],
        agent: None,
        more: 0,
        others: Vec::new(),
    };
    let outcome = Reported {
        code: code.to_owned(),
        title: "No well-formed validation or evaluation ends the module".to_owned(),
        level,
        verdict: if level == Level::May {
            Verdict::Advice
        } else {
            Verdict::Fail
        },
        cases: 1,
        message: Some(message.to_owned()),
        findings: vec![found],
        places: Places::default(),
        is_confirmed: true,
        is_unheld: false,
        not_held: 0,
        reproducer: Some(format!("findings/module.py-{code}-f84a.jsonl")),
        timelines: Vec::new(),
        explained_by: None,
        explains: Vec::new(),
        wanted: None,
    };
    Defect {
        outcome,
        at,
        cases: (at * 60.0) as u64,
        shown: (3, 3),
        again: false,
    }
}

/// A campaign whose page is always the same.
fn fixed() -> Campaign {
    let samples = (0..=200_u32).map(|number| {
        let part = f64::from(number) / 200.0;
        Sample {
            at: 120.0 * part,
            requests: (60_000.0 * part * (1.0 + part / 2.0)) as u64,
            corpus: (200.0 * part.sqrt()) as usize,
            answers: (260.0 * part.sqrt()) as usize,
            lines: Some(360.min(number as usize * 20)),
        }
    });
    let source = "import base\n\n\nclass Subject(base.Module):\n    def evaluate(self, request):\n        \
        if request[\"message\"] == \"open sesame\":\n            raise SystemExit(\"the cave\")\n        \
        return super().evaluate(request)\n";
    let lines = source.lines().map(|line| {
        let reach = match line {
            "" => Reach::NoCode,
            line if line.contains("raise") => Reach::Missed,
            _ => Reach::Reached,
        };
        (reach, line.to_owned())
    });
    let counters = [
        ("sessions", "12,345"),
        ("requests", "90,000"),
        ("stable", "100 % of 47"),
    ];
    Campaign {
        pages: Pages::new(|_| "# A rule\n\n## Why\n\nBecause.\n".to_owned()),
        subject: "module.py".to_owned(),
        location: "module.py".to_owned(),
        command: "/usr/bin/python3 /srv/module.py".to_owned(),
        facts: ["promise-module", "1 example", "overlay sandbox"]
            .map(str::to_owned)
            .to_vec(),
        verdict: "3 defects found".to_owned(),
        exit: Exit::Findings,
        strict: false,
        began: "2026-01-02 03:04:05 UTC".to_owned(),
        seconds: 120.0,
        seed: Some(1),
        remarks: vec!["It followed new forms of answers.".to_owned()],
        defects: vec![
            defect(
                "PM509",
                Level::May,
                "a log message copies control characters",
                5.0,
            ),
            defect(
                "PM901",
                Level::Must,
                "`evaluate_promise` makes the module exit",
                30.0,
            ),
            defect(
                "PM901",
                Level::Must,
                "`validate_promise` makes the module exit",
                60.0,
            ),
            defect("PM505", Level::Should, "a refusal has no explanation", 90.0),
        ],
        counters: counters
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        samples: samples.collect(),
        yields: Vec::new(),
        unreached: Vec::new(),
        sources: Sources::Known(
            "These files of the module ran.".to_owned(),
            vec![SourceFile {
                name: "module.py".to_owned(),
                remark: None,
                lines: lines.collect(),
            }],
        ),
    }
}

/// A folder with that page.
fn drawn(campaign: &Campaign) -> Folder {
    let folder = Folder::empty();
    let mut page = Vec::new();
    render_campaign(campaign, &mut page).expect("a vector takes everything");
    folder.write("index.html", &String::from_utf8(page).expect("UTF-8"));
    folder
}

/// What is wrong with the plots, as far as their boxes and lines show.
const PLOTS: &str = r#"(() => {
    const wrong = [];
    const box = (element) => element.getBoundingClientRect();
    const figures = [...document.querySelectorAll("figure")];
    if (figures.length !== 4) wrong.push(`${figures.length} plots`);
    for (const figure of figures) {
        const title = figure.querySelector("figcaption").textContent;
        const svg = box(figure.querySelector("svg"));
        if (svg.width < 200 || svg.height < 100) wrong.push(`${title}: small`);
        if (svg.left < 0 || svg.right > innerWidth) wrong.push(`${title}: outside`);
        for (const curve of figure.querySelectorAll(".curve")) {
            const line = box(curve);
            const style = getComputedStyle(curve);
            if (curve.getTotalLength() < 500 || style.stroke === "none") wrong.push(`${title}: no line`);
            if (line.left < svg.left - 2 || line.right > svg.right + 2) wrong.push(`${title}: wide`);
            if (line.top < svg.top - 2 || line.bottom > svg.bottom + 2) wrong.push(`${title}: high`);
            if (line.width < svg.width * 0.95) wrong.push(`${title}: short`);
        }
        for (const words of figure.querySelectorAll(".scale span")) {
            if (box(words).right > svg.left) wrong.push(`${title}: words in the plot`);
        }
        for (const other of figures) {
            const [a, b] = [box(figure), box(other)];
            const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
            if (figure !== other && !apart) wrong.push(`${title}: covered`);
        }
    }
    const dots = document.querySelectorAll(".dot").length;
    if (dots !== 4) wrong.push(`${dots} dots`);
    return wrong;
})()"#;

#[test]
fn a_browser_shows_the_page_of_a_campaign_without_requests_and_errors() {
    let folder = drawn(&fixed());
    let page = folder.path().join("index.html");
    let mut browser = Browser::start();
    for look in [DESKTOP, DARK, PHONE] {
        browser.open(&page, look);
        browser.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
        let contrast = browser.value(CONTRAST);
        assert!(contrast[0].as_f64() >= Some(4.5), "{contrast}");
        let width = browser.value("document.documentElement.scrollWidth");
        assert_eq!(width, look.width, "the page is wider than the window");
        assert_eq!(browser.value(PLOTS), serde_json::json!([]));
        assert_eq!(browser.requests(), [""; 0]);
        assert!(
            browser.complaints().is_empty(),
            "{:?}",
            browser.complaints()
        );
    }
    // The gravest first; two findings of a rule have anchors of their own.
    let ids = browser.value("[...document.querySelectorAll('article')].map((one) => one.id)");
    assert_eq!(
        ids,
        serde_json::json!(["PM901", "PM901-2", "PM505", "PM509"])
    );
    let gap = "document.querySelector(document.querySelector('.gaps a').hash).textContent";
    assert!(
        browser
            .value(gap)
            .as_str()
            .is_some_and(|line| line.contains("raise"))
    );
}

/// Compares the whole page with accepted pictures of a tenth of its size: so a glyph does not
/// matter, but a missing part does. The test above looks at the plots themselves.
#[test]
fn the_page_of_a_campaign_looks_as_accepted() {
    let mut browser = Browser::start();
    let mut without = fixed();
    without.samples.clear();
    let (whole, without) = (drawn(&fixed()), drawn(&without));
    let (whole, without) = (
        whole.path().join("index.html"),
        without.path().join("index.html"),
    );
    let tall = |height, look: Look| Look { height, ..look };
    for (name, look) in [
        ("light", tall(2_600, DESKTOP)),
        ("dark", tall(2_600, DARK)),
        ("phone", tall(4_000, PHONE)),
    ] {
        let accepted = root().join(format!("snapshots/report/campaign_{name}.png"));
        browser.open(&whole, look);
        let picture = browser.picture(look, 0.1);
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            let bytes = BASE64_STANDARD.decode(&picture).expect("base64");
            fs::write(&accepted, bytes).expect("written");
        }
        let bytes = fs::read(&accepted).expect("an accepted picture");
        let accepted = BASE64_STANDARD.encode(bytes);
        let difference = browser.difference(&accepted, &picture);
        assert!(
            difference < 0.01,
            "{name}: {:.1} % of the blocks differ; INSTA_UPDATE=always accepts the new look",
            difference * 100.0
        );
        // This comparison would notice it if the plots were missing.
        browser.open(&without, look);
        let picture = browser.picture(look, 0.1);
        let difference = browser.difference(&accepted, &picture);
        assert!(difference > 0.02, "{name}: {difference}");
    }
}
