//! `stickler explain`, end to end.

use crate::cli::{Folder, Output, json_lines};

/// The rules that an output explains, in its order.
fn explained(run: &Output) -> Vec<String> {
    let titles = run.stdout.lines().filter(|line| line.contains("): "));
    titles
        .filter_map(|line| line.split_once(" ("))
        .filter(|(code, _)| code.len() == 5)
        .map(|(code, _)| code.to_owned())
        .collect()
}

#[test]
fn explain_shows_how_to_fix_a_violation() {
    let run = Folder::empty().run(&["explain", "PM203"]);
    run.exits(0)
        .says("PM203 (must): Standard output carries only protocol messages")
        .says("What it requires\n")
        .says("How to fix\n")
        .says("stdin=subprocess.DEVNULL")
        .says_not("\u{1b}");
    assert_eq!(explained(&run), ["PM203"]);
}

#[test]
fn code_is_indented_and_has_no_fences() {
    let run = Folder::empty().run(&["explain", "PM706"]);
    run.exits(0)
        .says("\n      differences = compare(promise)\n")
        .says_not("```");
}

#[test]
fn several_rules_are_explained_in_the_given_order() {
    let run = Folder::empty().run(&["explain", "pm804", "PM203", "Pm804"]);
    run.exits(0);
    assert_eq!(explained(&run), ["PM804", "PM203"]);
}

#[test]
fn a_prefix_selects_all_rules_that_begin_with_it() {
    let run = Folder::empty().run(&["explain", "pm60"]);
    run.exits(0);
    assert_eq!(
        explained(&run),
        ["PM601", "PM602", "PM603", "PM604", "PM605"]
    );
}

#[test]
fn programs_read_the_pages_as_json_lines() {
    let run = Folder::empty().run(&["explain", "PM6", "AG101", "--format", "json"]);
    run.exits(0);
    let lines = json_lines(&run);
    assert_eq!(lines.len(), 6);
    let first = &lines[0];
    assert_eq!(first["rule"], "PM601");
    assert_eq!(first["dialect"], "promise-module");
    assert_eq!(first["level"], "must");
    for rule in &lines {
        let title = rule["title"].as_str().expect("a title");
        let markdown = rule["markdown"].as_str().expect("a page");
        assert!(markdown.starts_with(&format!("# {title}\n")), "{markdown}");
        let sections = rule["sections"].as_object().expect("sections");
        let headings: Vec<&str> = sections.keys().map(String::as_str).collect();
        assert_eq!(
            headings,
            [
                "What it requires",
                "Why",
                "How it is judged",
                "Example",
                "How to fix",
                "Source"
            ]
        );
        let fix = sections["How to fix"].as_str().expect("text");
        assert!(!fix.is_empty() && markdown.contains(fix));
        assert!(rule["sessions"].is_array());
    }
}

#[test]
fn an_unknown_code_names_the_nearest_rules() {
    let folder = Folder::empty();
    let run = folder.run(&["explain", "PM203", "PM2O4"]);
    run.exits(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("there is no rule \"PM2O4\""));
    assert!(
        run.stderr.contains("similar rules: PM204, PM214;"),
        "{}",
        run.stderr
    );
    for unknown in ["frobnicate", ""] {
        let run = folder.run(&["explain", unknown]);
        run.exits(2);
        assert!(run.stderr.contains("`stickler rules` lists them"));
    }
    folder.run(&["explain"]).exits(2);
}
