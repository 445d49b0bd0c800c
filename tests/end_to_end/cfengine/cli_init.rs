//! `stickler init`, end to end.

use crate::cli::{Folder, MODULE, Output, finish};
use crate::common::uncommented;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_module_is_looked_at_and_described() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    let done = folder.run(&["init", "./message.py"]);
    done.exits(0)
        .says("message.py, run by python3")
        .says("dialect       promise-module (the module is a file")
        .says("message 1.0 v1 json_based")
        .says("message (from the file's name)")
        .says("message (validation asks for it)")
        .says("next: `stickler check`");
    let text = folder.read("stickler.toml");
    // Only in a release, the first line names the schema.
    let lines = text.lines().filter(|line| !line.starts_with("#:schema "));
    insta::with_settings!({ snapshot_path => "../../../snapshots/cli" }, {
        insta::assert_snapshot!(lines.take(32).collect::<Vec<_>>().join("\n"));
    });
    // The module leaves no files behind.
    assert_eq!(folder.list("."), ["message.py", "stickler.toml"]);
}

#[test]
fn check_runs_with_the_configuration_that_init_wrote() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.run(&["init", "message.py"]).exits(0);
    let checked = folder.run(&["check", "--quick", "--select", "PM1,PM401"]);
    checked
        .exits(0)
        .says("no example")
        .says("add an [[example]] to stickler.toml");
}

#[test]
fn all_that_is_suggested_is_valid_without_comment_signs() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.run(&["init", "message.py"]).exits(0);
    let written = folder.read("stickler.toml");
    // An exception that no finding needs would fail the run.
    let first = written.split("## Known failures").next().expect("a part");
    for name in ["executes", "[fake]", "[[service]]", "[[invalid]]", "verify"] {
        assert!(first.contains(name), "{first}");
    }
    folder.write("stickler.toml", &uncommented(first));
    let checked = folder.run(&["check", "--quick", "--select", "PM1,PM401"]);
    checked.exits(0).says("1 example");
}

#[test]
fn the_suggested_example_works_without_comment_signs() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.run(&["init", "message.py"]).exits(0);
    let mut inside = false;
    let text: String = folder
        .read("stickler.toml")
        .lines()
        .map(|line| {
            inside = (inside || line == "# [[example]]") && line.starts_with("# ");
            let line = if inside { &line[2..] } else { line };
            format!("{}\n", line.replace("TODO", "todo"))
        })
        .collect();
    folder.write("stickler.toml", &text);
    folder.run(&["snap", "--accept"]).exits(0);
    let body = folder.read("snapshots/message_py__what_this_example_shows.snap");
    assert!(
        body.contains("result: repaired") && body.contains("result: kept"),
        "{body}"
    );
}

#[test]
fn a_file_is_never_overwritten_unasked() {
    let folder = Folder::sound();
    let before = folder.read("stickler.toml");
    folder
        .run(&["init", "message.py"])
        .exits(2)
        .says("stickler.toml already exists")
        .says("--force");
    assert_eq!(folder.read("stickler.toml"), before);
    folder.run(&["init", "message.py", "--force"]).exits(0);
    assert_ne!(folder.read("stickler.toml"), before);
}

#[test]
fn another_file_names_the_module_from_where_it_lies() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.write("tests/keep", "");
    folder
        .run(&["init", "message.py", "-o", "tests/stickler.toml"])
        .exits(0)
        .says("stickler check --config tests/stickler.toml");
    assert!(
        folder
            .read("tests/stickler.toml")
            .contains("path = \"../message.py\"")
    );
    folder
        .run(&[
            "check",
            "--config",
            "tests/stickler.toml",
            "--quick",
            "--select",
            "PM1",
        ])
        .exits(0);
    let printed = folder.run(&["init", "message.py", "-o", "-"]);
    printed.exits(0);
    printed.says("## Describes message.py");
    assert!(!folder.exists("-"));
}

#[test]
fn options_override_guesses() {
    let folder = Folder::empty();
    folder.write("module", MODULE);
    folder
        .run(&[
            "init",
            "module",
            "--interpreter",
            "/usr/bin/python3",
            "--promise-type",
            "motd",
            "--promise-type",
            "issue",
        ])
        .exits(0);
    let text = folder.read("stickler.toml");
    assert!(
        text.contains("interpreter = \"/usr/bin/python3\""),
        "{text}"
    );
    assert!(
        text.contains("promise_types = [\"motd\", \"issue\"]"),
        "{text}"
    );
}

#[test]
fn a_file_name_that_says_nothing_leaves_it_to_the_header() {
    let folder = Folder::empty();
    folder.write("main.py", MODULE);
    folder
        .run(&["init", "main.py"])
        .exits(0)
        .says("message (from the header)");
}

#[test]
fn an_executable_needs_no_interpreter() {
    let folder = Folder::empty();
    let path = folder.write("message.py", &format!("#!/usr/bin/env python3\n{MODULE}"));
    folder
        .run(&["init", "message.py"])
        .exits(0)
        .says("run by python3");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    folder
        .run(&["init", "message.py", "--force"])
        .exits(0)
        .says("run directly");
    assert!(!folder.read("stickler.toml").contains("\ninterpreter"));
}

#[test]
fn a_missing_module_is_distinguished_from_one_that_does_not_start() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.write("thing", "hello\n");
    folder
        .run(&["init", "mesage.py"])
        .exits(2)
        .says("no such file")
        .says("did you mean ./message.py?");
    folder.run(&["init", "."]).exits(2).says("is a folder");
    folder
        .run(&["init", "thing"])
        .exits(3)
        .says("is not executable")
        .says("--interpreter");
    folder
        .run(&["init", "message.py", "--interpreter", "no-such-python"])
        .exits(3)
        .says("\"no-such-python\": not found");
    folder.run(&["init"]).exits(2);
    assert_eq!(folder.list("."), ["message.py", "thing"]);
}

#[test]
fn a_module_that_exits_is_described_nevertheless() {
    let folder = Folder::empty();
    folder.write("crash.py", "raise KeyError('sorry')\n");
    folder
        .run(&["init", "crash.py"])
        .exits(0)
        .says("exited with status 1")
        .says("KeyError: 'sorry'")
        .says("shows what is wrong with the header");
    assert!(folder.exists("stickler.toml"));
}

#[test]
fn names_are_found_in_shell_modules_too() {
    let folder = Folder::empty();
    folder.write(
        "user.sh",
        "required_attributes=\"name uid\"\noptional_attributes=(shell)\n\
         printf 'user 1.0 v1 line_based\\n\\n'\nif [ -n \"$request_attribute_home\" ]; then :; fi\n",
    );
    folder
        .run(&["init", "user.sh"])
        .exits(0)
        .says("run by /bin/bash")
        .says("name, uid, shell, home (in the source)");
    assert!(
        folder
            .read("stickler.toml")
            .contains("The line protocol carries only text")
    );
}

/// Makes a file executable.
fn executable(folder: &Folder, name: &str, text: &str) {
    let path = folder.write(name, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn the_value_of_a_probe_is_no_attribute() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder.replace(
        "message.py",
        "    if \"message\" not in attributes:",
        "    if attributes.get(\"message\") == \"stickler\":\n        \
         return \"Attribute 'message' must not be 'stickler'\"\n    \
         if \"message\" not in attributes:",
    );
    let done = folder.run(&["init", "message.py"]);
    done.exits(0)
        .says("attributes    message (validation asks for it)");
    assert!(!folder.read("stickler.toml").contains("stickler ="));
}

#[test]
fn a_source_file_of_java_is_run_by_java() {
    let folder = Folder::empty();
    folder.write("Message.java", "class Message { }\n");
    let done = folder.run(&["init", "Message.java"]);
    // The machine may have no Java.
    match done.code {
        0 => done.says("Message.java, run by java"),
        _ => done.exits(3).says("interpreter \"java\": not found"),
    };
}

#[test]
fn a_module_that_the_kernel_does_not_start_is_explained() {
    let folder = Folder::empty();
    let crlf = format!("#!/usr/bin/env python3\n{MODULE}").replace('\n', "\r\n");
    executable(&folder, "message.py", &crlf);
    let why = "its lines end with CRLF, so the kernel looks for `python3\\r`";
    let done = folder.run(&["init", "message.py"]);
    done.exits(0).says("message.py, run by python3").says(why);
    folder
        .run(&["check", "./message.py"])
        .exits(3)
        .says(why)
        .says("sed -i 's/\\r$//'")
        .says("--interpreter python3");
    executable(&folder, "message.py", MODULE);
    let why = "it has no first line such as #!/usr/bin/python3";
    let done = folder.run(&["init", "--force", "message.py"]);
    done.exits(0).says(why);
    folder.run(&["check", "./message.py"]).exits(3).says(why);
    folder.write("other.py", MODULE);
    let done = folder.run(&["init", "--force", "other.py"]);
    done.exits(0).says("run by python3: it is not executable");
    folder
        .run(&["check", "./other.py"])
        .exits(3)
        .says("not executable");
}

/// A report without its line breaks.
fn flowing(output: &Output) -> String {
    let words: Vec<&str> = output.stdout.split_whitespace().collect();
    words.join(" ")
}

/// A module that imports its code from a library, in the way of each language: the module, its interpreter and text, the library
/// and its text.
const IMPORTS: [(&str, &str, &str, &str, &str); 4] = [
    (
        "module.py",
        "python3",
        "from own_library import main\nmain()\n",
        "own_library.py",
        "def main():\n    print('own 1 v1 json_based\\n')\n",
    ),
    (
        "module.rb",
        "ruby",
        "require 'own_library'\n",
        "own_library.rb",
        "puts \"own 1 v1 json_based\\n\\n\"\n",
    ),
    (
        "module.pl",
        "perl",
        "use Own::Library;\n",
        "Own/Library.pm",
        "package Own::Library;\nprint \"own 1 v1 json_based\\n\\n\";\n1;\n",
    ),
    (
        "module.js",
        "node",
        "require('own_library');\n",
        "own_library.js",
        "console.log('own 1 v1 json_based\\n');\n",
    ),
];

#[test]
fn a_library_near_the_module_is_found_and_named() {
    for (module, interpreter, text, library, code) in IMPORTS {
        if interpreter == "node" && !std::path::Path::new("/usr/bin/node").exists() {
            continue;
        }
        let folder = Folder::empty();
        folder.write(&format!("types/own/{module}"), text);
        folder.write(&format!("libraries/own/{library}"), code);
        let libraries = folder
            .path()
            .join("libraries/own")
            .canonicalize()
            .expect("a folder");
        let done = folder.run(&["init", &format!("types/own/{module}")]);
        done.exits(0)
            .says(&format!("lies in {}", libraries.display()))
            .says("own 1 v1 json_based");
        let written = folder.read("stickler.toml");
        let line = written.lines().find(|line| line.starts_with("env = "));
        let line = line.unwrap_or_else(|| panic!("{written}"));
        assert!(line.contains("\"{config_dir}/libraries/own\""), "{line}");
        // The check says the same if nothing names the folder, and nothing if it is named.
        let check = ["check", "--quick", "--select", "PM101"];
        folder.run(&check).says_not("did not find its library");
        folder.write("stickler.toml", &written.replace(line, ""));
        let told = flowing(folder.run(&check).exits(1));
        assert!(told.contains("did not find its library"), "{told}");
        assert!(told.contains(&format!("write {line}")), "{told}");
    }
}

#[test]
fn a_library_of_the_same_checkout_is_found_in_another_one() {
    let (module, _, text, library, code) = IMPORTS[0];
    let folder = Folder::empty();
    folder.write("first/.git/config", "");
    folder.write(&format!("first/types/own/{module}"), text);
    folder.write(&format!("first/libraries/{library}"), code);
    let description = "first/types/own/stickler.toml";
    let path = format!("first/types/own/{module}");
    folder
        .run(&["init", &path, "--output", description])
        .exits(0)
        .says("own 1 v1 json_based");
    let written = folder.read(description);
    let line = "env = { PYTHONPATH = \"{config_dir}/../../libraries\" }";
    assert!(written.contains(line), "{written}");
    let from = folder.path().join("first");
    std::fs::rename(from, folder.path().join("second")).expect("moved");
    folder
        .run(&["check", "second/types/own", "--quick", "--select", "PM101"])
        .says_not("did not find its library");
}

#[test]
fn a_library_of_the_callers_environment_is_named() {
    let (module, interpreter, text, library, code) = IMPORTS[0];
    let folder = Folder::empty();
    let elsewhere = Folder::empty();
    folder.write(module, text);
    elsewhere.write(library, code);
    let own = elsewhere.path().canonicalize().expect("a folder");
    let own = own.to_str().expect("text");
    let run = |arguments: &[&str]| finish(folder.command(arguments).env("PYTHONPATH", own));
    let check = ["check", module, "--interpreter", interpreter, "--quick"];
    let told = flowing(run(&check).exits(1));
    assert!(
        told.contains("it does not inherit your PYTHONPATH"),
        "{told}"
    );
    assert!(
        told.contains(&format!("add --env PYTHONPATH={own}")),
        "{told}"
    );
    run(&["init", module])
        .exits(0)
        .says("does not inherit your PYTHONPATH")
        .says("own 1 v1 json_based");
    assert!(
        folder
            .read("stickler.toml")
            .contains(&format!("env = {{ PYTHONPATH = \"{own}\" }}"))
    );
}

#[test]
fn a_library_that_is_nowhere_is_explained() {
    let (module, interpreter, text, ..) = IMPORTS[0];
    let folder = Folder::empty();
    folder.write(module, text);
    folder
        .run(&["init", module])
        .exits(0)
        .says("did not find its library `own_library`: install it for Python")
        .says("write env = { PYTHONPATH = \"/folder/of/it\" }");
    let other = Folder::empty();
    other.write(module, text);
    other.write("module.sh", ". /nowhere/own.sh\n");
    for (module, interpreter, says) in [
        (module, interpreter, "--env PYTHONPATH=/folder/of/it"),
        (
            "module.sh",
            "/bin/bash",
            "library `own.sh`: put it beside the script",
        ),
    ] {
        let check = ["check", module, "--interpreter", interpreter, "--quick"];
        let told = flowing(other.run(&check).exits(1));
        assert!(told.contains(says), "{told}");
    }
}
