//! Mistakes in `stickler.toml`: where each is shown, and what is said.

use cfengine_suite::VOCABULARY;
use std::path::Path;
use stickler_suite::config::from_text;

const SUBJECT: &str = "[subject]\npromise_type = \"greeting\"\n";

/// A text, the line and column that are shown, and what message and help contain.
const MISTAKES: &[(&str, (usize, usize), &str)] = &[
    ("[subjet]\n", (1, 2), "did you mean \"subject\"?"),
    (
        "[subject]\npaht = \"x\"\n",
        (2, 1),
        "did you mean \"path\"?",
    ),
    ("[subject]\npath = 1\n", (2, 8), "in quotes"),
    ("[subject\n", (1, 9), "unclosed"),
    ("[target]\n", (1, 2), "unknown key"),
    ("[[example]]\nname = \"a\"\n", (1, 1), "has no promiser"),
    (
        "[[example]]\npromiser = \"a\"\nexpect = [\"fixed\"]\n",
        (3, 10),
        "repaired",
    ),
    (
        "[[example]]\npromiser = \"a\"\nraw_attributes = '[1]'\n",
        (3, 18),
        "not an object",
    ),
    (
        "[[example]]\npromiser = \"a\"\nraw_attributes = '{'\n",
        (3, 18),
        "not JSON",
    ),
    (
        "[[example]]\nname = \"a\"\npromiser = \"a\"\n[[example]]\nname = \"a\"\npromiser = \"b\"\n",
        (5, 8),
        "two examples",
    ),
    (
        "[[example]]\npromise_type = \"greetings\"\npromiser = \"a\"\n",
        (2, 16),
        "it serves greeting;",
    ),
    (
        "[[invalid]]\npromiser = \"a\"\nexpect = [\"kept\"]\n",
        (3, 1),
        "never evaluated",
    ),
    (
        "[[example]]\npromiser = \"a\"\nsetup = [[]]\n",
        (3, 10),
        "the command is empty",
    ),
    (
        "[[xfail]]\nrule = \"PM203\"\nreason = \"x\"\nexample = \"none\"\n",
        (4, 11),
        "no example",
    ),
    (
        "[[waive]]\nrule = \"PM203\"\nreason = \"x\"\npromise_type = \"none\"\n",
        (4, 16),
        "it serves greeting;",
    ),
    ("[[xfail]]\nreason = \"x\"\n", (1, 1), "has no rule"),
    (
        "[subject]\ncommand = [\"a\"]\ninterpreter = \"python3\"\n",
        (3, 1),
        "`interpreter` has no effect beside `command` take `interpreter` out; `command` replaces it",
    ),
    (
        "[subject]\npromise_type = \"a\"\npromise_types = [\"a\", \"b\"]\n",
        (2, 1),
        "`promise_type` has no effect beside `promise_types`",
    ),
    (
        "[[example]]\npromiser = \"a\"\ncreates = { \"/a\" = { content = \"x\", target = \"b\" } }\n",
        (3, 22),
        "`content` has no effect beside `target`",
    ),
    (
        "[[example]]\npromiser = \"a\"\ncreates = { \"/a\" = { type = \"file\", target = \"b\" } }\n",
        (3, 29),
        "only a link has a target",
    ),
    (
        "[[service]]\nready = \"x\"\n",
        (1, 1),
        "add command = [\"…\"]",
    ),
    (
        "[[xfail]]\nrule = \"PM203\"\nreason = \"\"\n",
        (3, 10),
        "is empty",
    ),
];

#[test]
fn each_mistake_is_shown_at_its_place() {
    for (text, place, said) in MISTAKES {
        // Most need a subject; it goes to the end, so that lines count from the mistake.
        let whole = match text.contains("subj") {
            true => (*text).to_owned(),
            false => format!("{text}{SUBJECT}"),
        };
        let error = from_text(Path::new("stickler.toml"), &whole, &VOCABULARY).expect_err(text);
        let help = error.help.as_deref().unwrap_or_default();
        let all = format!("{} {help}", error.message);
        assert!(all.contains(said), "{text}: {all}");
        assert_eq!((error.line, error.column), *place, "{text}: {error}");
    }
}

#[test]
fn examples_of_each_type_that_is_served_are_taken() {
    let text = "[subject]\npromise_types = [\"a\", \"b\"]\n[[example]]\npromise_type = \"b\"\npromiser = \"x\"\n";
    let config = from_text(Path::new("stickler.toml"), text, &VOCABULARY).expect("sound");
    assert_eq!(config.examples[0].kind.as_deref(), Some("b"));
}
