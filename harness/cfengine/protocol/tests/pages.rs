//! The manual pages of all rules have the same form.

use cfengine_protocol::agents::all_rules;

/// The most lines of a page.
const LINES: usize = 34;

#[test]
fn each_page_has_the_same_headings_with_text() {
    for rule in all_rules() {
        let page = rule.page();
        let sections: Vec<(&str, &str)> = page.sections().collect();
        let headings: Vec<&str> = sections.iter().map(|(heading, _)| *heading).collect();
        let expected = [
            "What it requires",
            "Why",
            "How it is judged",
            "Example",
            "How to fix",
            "Source",
        ];
        assert_eq!(headings, expected, "{}", rule.code);
        for (heading, text) in sections {
            assert_ne!(text, "", "{}: {heading}", rule.code);
        }
    }
}

#[test]
fn each_page_is_short() {
    for rule in all_rules() {
        let lines = rule.page().markdown.lines().count();
        assert!(lines <= LINES, "{}: {lines} lines", rule.code);
    }
}

#[test]
fn the_fix_is_in_its_own_section() {
    for rule in all_rules() {
        let page = rule.page();
        assert!(!page.markdown.contains("Fix:"), "{}", rule.code);
    }
}
