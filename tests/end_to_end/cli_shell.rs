//! What shells, editors and manual readers get: `completions`, `man`, `schema` and `help`.

use crate::cli::{Folder, Output};

/// The commands that the help lists.
fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.run(&["--help"]).stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines
        .map_while(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_shell_gets_completions_of_all_commands() {
    let folder = Folder::empty();
    let commands = commands(&folder);
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let told = folder.run(&["completions", shell]);
        told.exits(0).says("baseline").says_not("interpose");
        for command in &commands {
            assert!(told.stdout.contains(command.as_str()), "{shell}: {command}");
        }
    }
    folder.run(&["completions", "tcsh"]).exits(2).says("bash");
}

#[test]
fn bash_completes_a_command() {
    let folder = Folder::empty();
    let script = folder.run(&["completions", "bash"]).stdout;
    folder.write("stickler.bash", &script);
    let asked = "set -e; . ./stickler.bash; COMP_WORDS=(stickler expl); COMP_CWORD=1; \
                 _stickler stickler expl stickler; echo \"${COMPREPLY[@]}\"";
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", asked])
        .current_dir(folder.path())
        .output()
        .expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "explain\n");
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::empty();
    folder.run(&["man", "pages"]).exits(0);
    let pages = folder.list("pages");
    for command in commands(&folder) {
        let page = format!("stickler-{command}.1");
        assert_eq!(pages.contains(&page), command != "help", "{page}");
    }
    assert!(pages.contains(&"stickler-policy-order.1".to_owned()));
    assert!(!pages.iter().any(|page| page.contains("interpose")));
    let page = folder.read("pages/stickler-check.1");
    assert!(page.contains(".SH NAME\nstickler\\-check \\- Run the conformance suite"));
    let main: Output = folder.run(&["man"]);
    main.exits(0).says("stickler\\-check(1)");
    folder.write("file", "");
    folder
        .run(&["man", "file"])
        .exits(2)
        .says("cannot be written");
}

#[test]
fn help_takes_the_name_of_a_command() {
    let folder = Folder::empty();
    let long = folder.run(&["help", "check"]);
    long.exits(0).says("Usage: stickler check");
    assert_eq!(long.stdout, folder.run(&["check", "--help"]).stdout);
    folder.run(&["help"]).exits(0).says("Commands:");
    folder
        .run(&["help", "policy", "order"])
        .exits(0)
        .says("--component");
    folder.run(&["help", "chekc"]).exits(2).says("chekc");
}

#[test]
fn schemas_are_printed_as_published() {
    let folder = Folder::empty();
    let docs = crate::common::root().join("docs/schema");
    for (of, file) in [
        (&["schema"][..], "stickler.schema.json"),
        (&["schema", "config"], "stickler.schema.json"),
        (&["schema", "report"], "check.schema.json"),
        (&["schema", "fuzz"], "fuzz.schema.json"),
        (&["schema", "diff"], "diff.schema.json"),
        (&["schema", "equal"], "equal.schema.json"),
        (&["schema", "equal-case"], "equal-case.schema.json"),
        (&["schema", "transcript"], "transcript.schema.json"),
        (
            &["schema", "conform-situation"],
            "conform-situation.schema.json",
        ),
        (
            &["schema", "conform-situation-puppet"],
            "conform-situation-puppet.schema.json",
        ),
        (
            &["schema", "conform-situation-mgmt"],
            "conform-situation-mgmt.schema.json",
        ),
    ] {
        let told = folder.run(of);
        told.exits(0);
        let published = std::fs::read_to_string(docs.join(file)).expect("a schema");
        assert_eq!(told.stdout, published, "{of:?}");
    }
}

#[test]
fn init_of_a_release_names_the_schema_for_editors() {
    let folder = Folder::sound();
    folder.run(&["init", "message.py", "--force"]).exits(0);
    let written = folder.read("stickler.toml");
    let home = env!("CARGO_PKG_REPOSITORY");
    let version = env!("CARGO_PKG_VERSION");
    let schema = format!("#:schema {home}/raw/v{version}/docs/schema/stickler.schema.json");
    let is_release = !home.contains("_OWNER_");
    assert_eq!(written.lines().any(|line| line == schema), is_release);
    assert!(!written.contains("_OWNER_"), "{written}");
}
