//! Examples from a policy, end to end: `check --policy`, `init --policy`.

use crate::cli::{Folder, MODULE};

const POLICY: &str = r#"
promise agent message
{
  interpreter => "/usr/bin/python3";
  path => "$(this.promise_dirname)/message.py";
}

bundle agent __main__
{
  vars:
      "names" slist => { "world", "{dir}" };

  message:
      "/tmp/message-$(names)"
        message => "Hello, $(names)";

      "/tmp/message-unknown"
        message => "Hello, $(nobody)";
}
"#;

fn folder() -> Folder {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.write("example.cf", POLICY);
    folder
}

#[test]
fn promise_blocks_and_promises_are_subject_and_examples() {
    let checked = folder().run(&[
        "check",
        "--policy",
        "example.cf",
        "--quick",
        "--select",
        "PM4",
    ]);
    checked
        .exits(0)
        .says("message.py · promise-module")
        .says("2 examples")
        .says("example.cf:17: promise `/tmp/message-unknown` is left out: it has unresolved variables");
}

#[test]
fn the_examples_are_written_down() {
    let folder = folder();
    folder
        .run(&["init", "--policy", "example.cf"])
        .exits(0)
        .says("message (in the policy)")
        .says("2 from the policy");
    let text = folder.read("stickler.toml");
    assert!(text.contains("name = \"example.cf:14\"\npromiser = \"/tmp/message-world\"\nattributes = { message = \"Hello, world\" }"), "{text}");
    // A `{dir}` in the policy stays literal.
    assert!(
        text.contains("name = \"example.cf:14 (2)\"\npromiser = \"/tmp/message-{{dir}}\""),
        "{text}"
    );
    folder
        .run(&["check", "--quick", "--select", "PM4"])
        .exits(0)
        .says("2 examples");
}

#[test]
fn lists_and_containers_keep_their_types() {
    let folder = folder();
    let policy = POLICY.replace(
        "message => \"Hello, $(names)\";",
        "message => \"x\", list => { \"a\", \"b\" }, data => '{\"n\": 1, \"of\": [\"c\"]}';",
    );
    folder.write("example.cf", &policy);
    folder
        .run(&["init", "--policy", "example.cf", "--output", "-"])
        .exits(0)
        .says("list = [\"a\", \"b\"]");
}

#[test]
fn a_policy_that_gives_nothing_says_why() {
    let folder = folder();
    folder
        .run(&["check", "--policy", "none.cf"])
        .exits(2)
        .says("none.cf: no such file");
    folder.write("broken.cf", "bundle agent main { reports \"x\"; }\n");
    folder
        .run(&["check", "--policy", "broken.cf"])
        .exits(2)
        .says("broken.cf:1:21: error: expected a promise");
    folder.write("empty.cf", "bundle agent main { reports: \"x\"; }\n");
    folder
        .run(&["check", "--policy", "empty.cf"])
        .exits(2)
        .says("the agent reaches no promise of a custom type");
    folder
        .run(&["check", "--policy", "example.cf", "--promise-type", "other"])
        .exits(2)
        .says("message with ")
        .says("choose with --promise-type NAME");
    folder.write("example.cf", &POLICY.replace("message.py", "elsewhere.py"));
    folder
        .run(&["check", "--policy", "example.cf"])
        .exits(2)
        .says("elsewhere.py does not exist")
        .says("stickler check ./module.py --policy example.cf");
    folder
        .run(&[
            "check",
            "message.py",
            "--promise-type",
            "message",
            "--policy",
            "example.cf",
            "--quick",
            "--select",
            "PM4",
        ])
        .exits(0)
        .says("2 examples");
}

#[test]
fn several_modules_are_chosen_from() {
    let folder = folder();
    folder.write("other.py", MODULE);
    let block = "promise agent other { interpreter => \"/usr/bin/python3\"; path => \"$(this.promise_dirname)/other.py\"; }\nbundle agent __main__\n{\n  other:\n      \"/tmp/other\" message => \"o\";\n";
    folder.write(
        "example.cf",
        &POLICY.replace("bundle agent __main__\n{\n", block),
    );
    folder
        .run(&["check", "--policy", "example.cf"])
        .exits(2)
        .says("its promises use several modules; choose one with --promise-type")
        .says("other with ");
    folder
        .run(&[
            "check",
            "other.py",
            "--policy",
            "example.cf",
            "--quick",
            "--select",
            "PM4",
        ])
        .exits(0)
        .says("other.py")
        .says("1 example ");
}
