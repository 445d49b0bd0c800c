//! `--report`, and the formats for people's browsers: what is written, and how a browser shows it.

mod campaign;

use crate::browser::{Browser, Look};
use crate::cli::Folder;
use crate::common::root;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fs;

const CHECK: [&str; 4] = ["check", "--quick", "--select", "PM203"];

const DESKTOP: Look = Look {
    scheme: "light",
    width: 1000,
    height: 700,
};
const DARK: Look = Look {
    scheme: "dark",
    ..DESKTOP
};
const PHONE: Look = Look {
    width: 390,
    height: 800,
    ..DARK
};

/// A folder with the page of a recorded check: two sessions behind a finding.
fn recorded() -> Folder {
    let folder = Folder::empty();
    let record = root().join("fixtures/reports/greeting.jsonl");
    let record = fs::read_to_string(record).expect("a recording");
    folder.write("greeting.jsonl", &record);
    folder
        .run(&["judge", "--report", "page", "greeting.jsonl"])
        .exits(1)
        .says("FAIL  PM804");
    folder
}

/// Nothing went wrong in the browser, and it asked no network.
fn is_quiet(browser: &mut Browser) {
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
    assert_eq!(browser.requests(), [""; 0]);
}

#[test]
fn the_page_shows_the_findings_their_sessions_and_all_rules() {
    let folder = Folder::noisy();
    folder
        .run(&[&CHECK[..], &["--report", "out/page"]].concat())
        .exits(1)
        .says("FAIL  PM203")
        .says("note: the report is in out/page/index.html");
    assert_eq!(folder.list("out/page"), ["index.html"]);
    let page = folder.read("out/page/index.html");
    for text in [
        "<h1>message.py</h1>",
        "FAILED: 1 rule of level must (PM203)",
        "<dd><code>/usr/bin/python3 /",
        "<dt>began</dt><dd>20",
        "id=\"PM203\"",
        "stickler replay .stickler/message.py-PM203-",
        "stickler explain PM203",
        "<details class=\"session\">",
        "wrote it",
        "<table id=\"all\">",
    ] {
        assert!(page.contains(text), "{text} is not in:\n{page}");
    }
}

#[test]
fn judged_sessions_are_on_the_page_too() {
    let folder = recorded();
    let page = folder.read("page/index.html");
    let sessions = page.matches("<details class=\"session\">").count();
    assert!(sessions >= 1, "{page}");
    assert!(page.contains("evaluate_promise"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_before_the_first_session() {
    let folder = Folder::noisy();
    folder
        .run(&[&CHECK[..], &["--report", "message.py"]].concat())
        .exits(2)
        .says("--report message.py: it is not a folder");
    folder.write("page/index.html/x", "");
    folder
        .run(&[&CHECK[..], &["--report", "page"]].concat())
        .exits(2)
        .says("--report page: index.html is a folder");
    assert_eq!(folder.list("."), ["message.py", "page", "stickler.toml"]);
    assert_eq!(folder.list("page"), ["index.html"]);
}

#[test]
fn the_summary_of_a_step_is_continued_and_other_files_are_replaced() {
    let folder = Folder::noisy();
    let summary = folder.path().join("summary.md");
    for name in ["summary.md", "other.md"] {
        let output = format!("markdown={}", folder.path().join(name).display());
        for _ in 0..2 {
            let mut command = folder.command(&[&CHECK[..], &["--output", &output]].concat());
            let status = command.env("GITHUB_STEP_SUMMARY", &summary).output();
            assert_eq!(status.expect("it runs").status.code(), Some(1));
        }
    }
    let count = |name| folder.read(name).matches("<h3>❌ Stickler").count();
    assert_eq!((count("summary.md"), count("other.md")), (2, 1));
}

#[test]
fn a_badge_shows_the_result() {
    let folder = Folder::sound();
    folder
        .run(&[&CHECK[..], &["--output", "badge=badge.json"]].concat())
        .exits(0);
    assert_eq!(
        folder.read("badge.json"),
        "{\"schemaVersion\":1,\"label\":\"stickler\",\"message\":\"1 passed\",\
         \"color\":\"brightgreen\"}\n"
    );
}

/// The lowest contrast between a text and what is behind it, with that text.
const CONTRAST: &str = r#"(() => {
    const parts = (color) => color.match(/[\d.]+/g).map(Number);
    const light = (color) => {
        const line = parts(color).slice(0, 3).map((part) => {
            part /= 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * line[0] + 0.7152 * line[1] + 0.0722 * line[2];
    };
    const behind = (element) => {
        for (; element; element = element.parentElement) {
            const color = getComputedStyle(element).backgroundColor;
            if (parts(color)[3] !== 0) return color;
        }
        return "rgb(255, 255, 255)";
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let worst = [21, ""];
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility()) continue;
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < worst[0]) worst = [contrast, node.data];
    }
    return worst;
})()"#;

#[test]
fn a_browser_shows_the_page_without_requests_and_errors() {
    let folder = recorded();
    let page = folder.path().join("page/index.html");
    let mut browser = Browser::start();
    for look in [DESKTOP, DARK, PHONE] {
        browser.open(&page, look);
        // Closed parts have no size, so they are opened first.
        browser.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
        let contrast = browser.value(CONTRAST);
        assert!(contrast[0].as_f64() >= Some(4.5), "{contrast}");
        let width = browser.value("document.documentElement.scrollWidth");
        assert_eq!(width, look.width, "the page is wider than the window");
        assert_eq!(browser.requests(), [""; 0]);
        assert!(
            browser.complaints().is_empty(),
            "{:?}",
            browser.complaints()
        );
    }
    let dark = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.open(&page, DESKTOP);
    let light = browser.value("getComputedStyle(document.body).backgroundColor");
    assert_eq!(light, "rgb(255, 255, 255)");
    assert_ne!(dark, light);
}

/// The tests above prove something only if the browser tells what it notices.
#[test]
fn a_browser_reports_requests_and_errors() {
    let folder = Folder::empty();
    let page = folder.write(
        "page.html",
        "<img src=http://127.0.0.1:9/x.png><script>console.error(1)</script>",
    );
    let mut browser = Browser::start();
    browser.open(&page, DESKTOP);
    assert_eq!(browser.requests(), ["\"http://127.0.0.1:9/x.png\""]);
    assert!(browser.complaints().len() >= 2);
    // The policy of our page forbids both.
    let folder = recorded();
    let text = folder.read("page/index.html");
    let evil = "<body><img src=http://127.0.0.1:9/x.png><script>document.title = 1</script>";
    let page = folder.write("page/index.html", &text.replace("<body>", evil));
    browser.open(&page, DESKTOP);
    assert_ne!(browser.value("document.title"), "1");
    let blocked = browser.complaints();
    assert!(blocked.len() >= 2, "{blocked:?}");
}

#[test]
fn the_table_of_rules_can_be_filtered_and_is_whole_without_scripts() {
    let folder = recorded();
    let page = folder.path().join("page/index.html");
    let mut browser = Browser::start();
    const SHOWN: &str = "[...document.querySelectorAll('#all tbody tr')]
        .filter((row) => row.checkVisibility()).map((row) => row.cells[0].textContent)";
    browser.open(&page, DESKTOP);
    let all = browser.value(SHOWN);
    assert!(all.as_array().is_some_and(|all| all.len() > 90), "{all}");
    let typed = browser.value(
        "{ const form = document.getElementById('filter');
           form.elements.verdict.value = 'fail';
           form.elements.text.value = 'pm804 KEPT';
           form.dispatchEvent(new Event('input'));
           form.elements.shown.value }",
    );
    assert_eq!(
        typed,
        format!("1 of {}", all.as_array().map_or(0, Vec::len))
    );
    assert_eq!(browser.value(SHOWN), serde_json::json!(["PM804"]));
    browser.scripts(false);
    browser.open(&page, DESKTOP);
    assert_eq!(browser.value(SHOWN), all);
    let filter = "document.getElementById('filter').checkVisibility()";
    assert_eq!(browser.value(filter), false);
}

#[test]
fn markup_of_a_module_is_only_text_for_a_browser() {
    const MARKUP: &str = "</pre></script><script>console.error(1)</script>\
        <img src=x onerror=console.error(2)>\\x22 onload=\\x22console.error(3)\\x22 '&amp;";
    let folder = Folder::sound();
    let print = format!(
        "    sys.stdout.buffer.write(b\"{MARKUP} \\xff\\x00\\x1b[31m\\n\")\n    \
         sys.stdout.flush()\n    log.append({{\"level\": \"info\""
    );
    folder.replace("message.py", "    log.append({\"level\": \"info\"", &print);
    folder
        .run(&[&CHECK[..], &["--report", "page"]].concat())
        .exits(1);
    let mut browser = Browser::start();
    browser.open(&folder.path().join("page/index.html"), DESKTOP);
    is_quiet(&mut browser);
    assert_eq!(browser.value("document.scripts.length"), 1);
    assert_eq!(browser.value("document.images.length"), 0);
    let text = browser.value("document.body.textContent");
    let text = text.as_str().expect("a text");
    let shown = MARKUP.replace("\\x22", "\"");
    assert!(text.contains(&format!("{shown} \\xff")), "{text}");
}

/// Compares the first window of the page with accepted pictures of half its size. Both use
/// the same font files, so layout and colours must be the same; small differences are smoothing.
#[test]
fn the_page_looks_as_accepted() {
    let folder = recorded();
    let page = folder.path().join("page/index.html");
    let mut browser = Browser::start();
    for (name, look) in [("light", DESKTOP), ("dark", DARK), ("phone", PHONE)] {
        let accepted = root().join(format!("snapshots/report/page_{name}.png"));
        browser.open(&page, look);
        let picture = browser.picture(look, 0.5);
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            let bytes = BASE64_STANDARD.decode(&picture).expect("base64");
            fs::write(&accepted, bytes).expect("written");
        }
        let bytes = fs::read(&accepted).expect("an accepted picture");
        let difference = browser.difference(&BASE64_STANDARD.encode(bytes), &picture);
        assert!(
            difference < 0.01,
            "{name}: {:.1} % of the pixels differ from {}; INSTA_UPDATE=always accepts the new look",
            difference * 100.0,
            accepted.display()
        );
    }
}
