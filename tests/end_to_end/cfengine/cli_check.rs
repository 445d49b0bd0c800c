//! `stickler check` and related commands, end to end: tests without a file of their own.

use crate::cli::Folder;
use std::process::Stdio;

#[test]
fn a_finding_of_a_probe_says_that_it_is_one() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "            wrong = complaint(request)\n",
        "            wrong = complaint(request)\n            print(\"noise\")\n",
    );
    let text = folder.read("stickler.toml");
    let (subject, _) = text.split_once("[[example]]").expect("an example");
    folder.write("stickler.toml", subject);
    for format in ["pretty", "json", "sarif", "junit", "html", "markdown"] {
        let done = folder.run(&["check", "--quick", "--format", format]);
        done.exits(1).says("a probe of promise type");
        for nameless in ["example \"\"", "example \\\"\\\"", "example &quot;&quot;"] {
            done.says_not(nameless);
        }
    }
}

#[test]
fn a_setup_command_that_is_not_there_is_named() {
    let folder = Folder::sound();
    folder.replace(
        "stickler.toml",
        "promiser = ",
        "setup = [[\"no-such-command\", \"{dir}\"]]\npromiser = ",
    );
    folder
        .run(&["check", "--quick"])
        .exits(2)
        .says("for the example \"a new file\": no-such-command ")
        .says("cannot be started: No such file")
        .says_not("--interpreter");
}

#[test]
fn what_setup_commits_or_packs_has_one_date() {
    let folder = Folder::sound();
    let write = "test \"$GIT_AUTHOR_DATE $GIT_COMMITTER_DATE $SOURCE_DATE_EPOCH\" = \
                 '2024-01-01T00:00:00Z 2024-01-01T00:00:00Z 1704067200'";
    folder.replace(
        "stickler.toml",
        "promiser = ",
        &format!("setup = [[\"/bin/sh\", \"-c\", {write:?}]]\npromiser = "),
    );
    let check = ["check", "--quick", "--select", "PM804"];
    folder.run(&check).exits(0);
    // The author's own dates stay.
    folder.replace(
        "stickler.toml",
        "[subject]\n",
        "[subject]\nenv = { SOURCE_DATE_EPOCH = \"1\" }\n",
    );
    folder.replace("stickler.toml", "1704067200", "1");
    folder.run(&check).exits(0);
}

#[test]
fn the_interpreter_is_read_from_the_first_line() {
    let folder = Folder::empty();
    folder.write("ini.pl", "#!/usr/bin/env perl\n");
    folder
        .run(&["check", "./ini.pl", "--quick"])
        .says("./ini.pl is not executable: run by perl, which its first line names")
        .says_not("--interpreter");
    folder.write("lost.pl", "#!/usr/bin/no-such-interpreter\n");
    let hint = "run chmod +x ";
    folder.run(&["check", "./lost.pl"]).exits(3).says(hint);
    folder.write("module", "no text of a program\n");
    let hint = "--interpreter PROGRAM";
    folder.run(&["check", "./module"]).exits(3).says(hint);
}

#[test]
fn a_service_is_found_beside_the_configuration() {
    let folder = Folder::sound();
    folder.write(
        "store.py",
        "import http.server as s\ns.HTTPServer(('127.0.0.1', 8078), s.BaseHTTPRequestHandler).serve_forever()\n",
    );
    let config = folder.read("stickler.toml");
    let service = |file: &str| {
        let service = format!(
            "\n[[service]]\ncommand = [\"python3\", \"{file}\"]\nready = \"127.0.0.1:8078\"\n"
        );
        folder.write("stickler.toml", &(config.clone() + &service));
        folder.run(&["check", "--quick", "--shard", "1/50"])
    };
    service("store.py").exits(0);
    service("no-store.py").exits(2).says("no-store.py");
}

/// A module that reads what it writes from a service, in the folder `www` beside it.
#[test]
fn a_folder_of_a_service_is_found_beside_the_configuration() {
    let folder = Folder::sound();
    folder.write("www/greeting", "hello");
    folder.replace(
        "message.py",
        "text = promise[\"promiser\"], promise[\"attributes\"][\"message\"]",
        "text = promise[\"promiser\"], got()",
    );
    folder.replace(
        "message.py",
        "def evaluate(",
        "def got():\n    import urllib.request\n    with urllib.request.urlopen('http://127.0.0.1:8079/greeting') as page:\n        return page.read().decode()\n\n\ndef evaluate(",
    );
    folder.replace(
        "stickler.toml",
        "expect =",
        "creates = { \"{dir}/motd\" = { content = \"hello\" } }\nexpect =",
    );
    let config = folder.read("stickler.toml");
    for www in ["www", "./www", "../HERE/www"] {
        let here = folder.path().file_name().expect("a name").to_string_lossy();
        let www = www.replace("HERE", &here);
        let service = format!(
            "\n[[service]]\ncommand = [\"python3\", \"-m\", \"http.server\", \"8079\", \"--bind\", \"127.0.0.1\", \"--directory\", \"{www}\"]\nready = \"127.0.0.1:8079\"\n"
        );
        folder.write("stickler.toml", &(config.clone() + &service));
        folder
            .run(&[
                "check",
                "--quick",
                "--shard",
                "1/50",
                "--select",
                "PM406,PM407",
            ])
            .exits(0)
            .says("2 passed");
    }
}

#[test]
fn a_service_that_fails_says_why() {
    let folder = Folder::sound();
    let config = folder.read("stickler.toml");
    folder.write(
        "srv.sh",
        "#!/bin/sh\nseq 100; echo no such port >&2\nexit 3\n",
    );
    folder.write("mute.sh", "#!/bin/sh\nexec sleep 60\n");
    let service = |words: &str| {
        let service = format!("\n[[service]]\ncommand = [{words}]\nready = \"127.0.0.1:8078\"\n");
        folder.write("stickler.toml", &(config.clone() + &service));
        let output = folder.run(&["check", "--quick"]);
        output.exits(2).says_not("--interpreter");
        output
    };
    service("\"sh\", \"./srv.sh\"")
        .says("it ended before it was ready (exit status 3):")
        .says("    100\n    no such port")
        .says_not("    90\n");
    service("\"sh\", \"mute.sh\"").says("nothing listens on port 8078 in time; it printed nothing");
    service("\"./no-such-program\", \"x\"").says("./no-such-program x failed: cannot be started");
    service("\"no-such-program\"").says("no-such-program failed: cannot be started");
    // Not executable.
    service("\"./srv.sh\"").says("/srv.sh failed: cannot be started: Permission denied");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::empty();
    for arguments in [
        &["rules"][..],
        &["explain", "PM203"],
        &["policy", "order", "--component", "agent"],
    ] {
        let mut child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("stickler starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("stickler ends");
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
}

/// A rule about something that a module need not do is not one that nothing tests.
#[test]
fn a_rule_that_the_module_never_exercises_says_why() {
    let folder = Folder::sound();
    let checked = folder.run(&["check", "--time", "none", "--format", "json"]);
    let message = |code: &str| {
        let line = crate::cli::json_lines(&checked)
            .into_iter()
            .find(|line| line["rule"] == code);
        line.map(|line| line["message"].to_string())
            .unwrap_or_default()
    };
    for code in ["PM506", "PM515"] {
        assert_eq!(message(code), "\"the module never does this\"", "{code}");
    }
    assert_eq!(message("PM408"), "\"no example declares `verify`\"");
}

#[test]
fn a_first_start_may_be_slow() {
    let folder = Folder::sound();
    let slow = "import os, sys, time\nif not os.path.exists(__file__ + '.started'):\n    \
                open(__file__ + '.started', 'w').close()\n    time.sleep(4)\n";
    let module = folder.read("message.py");
    folder.write("message.py", &module.replacen("import sys\n", slow, 1));
    folder
        .run(&[
            "check",
            "--quick",
            "--sandbox",
            "none",
            "--shard",
            "100/100",
        ])
        .exits(0)
        .says_not("PM106");
    assert!(folder.read("message.py.started").is_empty());
}

#[test]
fn a_header_printed_only_at_end_of_input_fails_the_check() {
    let folder = Folder::sound();
    folder.write(
        "message.py",
        "import sys\nsys.stdin.read()\nprint('message 1.0 v1 json_based\\n')\n",
    );
    folder
        .run(&["check"])
        .exits(1)
        .says("the header came only when the input was closed")
        .says("no request was answered");
}

/// The sound module with another first line in its evaluation.
fn evaluating(begin: &str) -> Folder {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "    path, text = promise",
        &format!("    {begin}\n    path, text = promise"),
    );
    folder
}

#[test]
fn a_module_that_waits_for_more_input_is_not_waited_for() {
    for (begin, rule, words) in [
        // This is what `ssh host` does without -n.
        (
            "__import__('subprocess').run(['cat'], stdout=__import__('subprocess').DEVNULL)",
            "PM201",
            "the answer came only when standard input was closed",
        ),
        (
            "__import__('subprocess').check_output('x=$(cat); echo $x', shell=True)",
            "PM201",
            "the answer came only when standard input was closed",
        ),
        (
            "while sys.stdin.readline() or True: pass",
            "PM902",
            "no more output: the module waits for input",
        ),
    ] {
        evaluating(begin)
            .run(&["check", "--quick", "--shard", "100/100"])
            .exits(1)
            .says(rule)
            .says(words);
    }
}

#[test]
fn a_module_that_works_in_a_child_or_a_thread_is_waited_for() {
    for begin in [
        "__import__('subprocess').run(['sleep', '1.5'])",
        "t = __import__('threading').Thread(target=__import__('time').sleep, args=[1.5]); t.start(); t.join()",
    ] {
        evaluating(begin)
            // The plain examples alone show it.
            .run(&["check", "--quick", "--shard", "100/100"])
            .exits(0)
            .says_not("waits for");
    }
}

#[test]
fn a_start_that_uses_a_processor_is_waited_for_and_an_idle_one_is_not() {
    let starting = |begin: &str| {
        let folder = Folder::sound();
        folder.replace(
            "message.py",
            "def main():\n",
            &format!("def main():\n    {begin}\n"),
        );
        folder.replace(
            "stickler.toml",
            "[subject]\n",
            "[subject]\ndeadlines = { header = 2 }\n",
        );
        folder.run(&["check", "--quick", "--shard", "100/100"])
    };
    starting("import time; end = time.time() + 4\n    while time.time() < end: pass").exits(0);
    starting("import time; time.sleep(9)")
        .exits(1)
        .says("PM106")
        .says("no header within 2 s (`deadlines.header`)");
}

/// A module that accepts any attribute.
fn careless() -> Folder {
    let folder = Folder::sound();
    let rejected = "return \"Attribute '%s' is unknown\" % name";
    folder.replace("message.py", rejected, "continue");
    folder
}

#[test]
fn a_should_is_a_warning_unless_the_check_is_strict() {
    let folder = careless();
    let check = ["check", "--quick", "--select", "PM907"];
    let checked = folder.run(&check);
    checked
        .exits(0)
        .says("WARN  PM907  should")
        .says("1 warning, 0 passed")
        .says_not("FAIL");
    let last = "passed: 1 of 1 rule, 1 warning (--strict turns warnings into failures)";
    assert_eq!(checked.stdout.lines().last(), Some(last));
    let strict = folder.run(&[&check[..], &["--strict"]].concat());
    strict.exits(1).says("FAIL  PM907  should").says("1 failed");
    let last = "FAILED: 1 rule of level should (PM907)";
    assert_eq!(strict.stdout.lines().last(), Some(last));
    let github = folder.run(&[&check[..], &["--format", "github"]].concat());
    github
        .exits(0)
        .says("::warning file=message.py,title=PM907::");
    let json = folder.run(&[&check[..], &["--format", "json"]].concat());
    json.exits(0).says("\"verdict\":\"fail\"");
}

#[test]
fn the_last_line_names_failed_rules_and_the_evidence_shows_all_keys() {
    let folder = Folder::noisy();
    let checked = folder.run(&["check", "--quick", "--select", "PM203"]);
    checked.exits(1).says("\"log\": ").says("\"result\": ");
    let last = "FAILED: 1 rule of level must (PM203)";
    assert_eq!(checked.stdout.lines().last(), Some(last));
}

#[test]
fn check_warns_of_a_misspelt_dir() {
    let folder = Folder::sound();
    folder.replace("stickler.toml", "{dir}/motd", "{dri}/motd");
    let note = "example \"a new file\": `{dri}` is sent unchanged; did you mean `{dir}`?";
    let check = ["check", "--quick", "--select", "PM101"];
    folder.run(&check).exits(0).says(note);
    let folder = Folder::empty();
    folder.write("message.py", crate::cli::MODULE);
    let given = ["message.py", "--interpreter", "python3"];
    let given = [&given[..], &["--promiser", "{Dir}/motd"]].concat();
    let done = folder.run(&[&check[..], &given].concat());
    // The module refuses it, so that nothing is proven.
    done.exits(4).says("`{Dir}` is sent unchanged");
}

#[test]
fn check_warns_of_examples_that_hold_already() {
    let folder = Folder::sound();
    let check = ["check", "--quick", "--select", "PM804"];
    let hint = "nothing was changed, because each example already holds";
    folder.run(&check).says_not(hint);
    folder.replace(
        "stickler.toml",
        "promiser = ",
        "setup = [[\"/bin/sh\", \"-c\", \"printf hello > {dir}/motd\"]]\npromiser = ",
    );
    folder.replace("stickler.toml", "[\"repaired\", \"kept\"]", "[\"kept\"]");
    folder.run(&check).says(hint);
    // Beside one that changes something, an example that holds is told of unless that is declared.
    let hint = "the example \"a new file\" already holds in the sandbox, so it shows no change";
    let second = "\n[[example]]\nname = \"another\"\npromiser = \"{dir}/other\"\nattributes = { message = \"x\" }\n";
    folder.write("stickler.toml", &(folder.read("stickler.toml") + second));
    folder.run(&check).says_not(hint);
    folder.replace("stickler.toml", "expect = [\"kept\"]\n", "");
    folder.run(&check).says(hint);
}

#[test]
fn check_warns_of_examples_that_the_configuration_adds() {
    let folder = Folder::sound();
    let check = ["check", "--quick", "--select", "PM101"];
    let note = "stickler.toml adds 1 example; --example chooses";
    folder.run(&check).exits(0).says_not(note);
    let more = ["--promiser", "{dir}/other", "--attribute", "message=x"];
    folder
        .run(&[&check[..], &more].concat())
        .exits(0)
        .says(note);
}

#[test]
fn findings_about_similar_names_show_the_names() {
    let folder = Folder::sound();
    // It compares the beginnings of texts only.
    folder.replace(
        "message.py",
        "                if file.read() == text:",
        "                if file.read().startswith(text[:-1]):",
    );
    let done = folder.run(&["check", "--time", "none", "--select", "PM305"]);
    done.exits(1)
        .says("`message=hellox` is `kept` once `message=hello` is there; unrelated names are")
        .says("`repaired`");
}

/// A module that makes a file in a temporary folder and renames it into place.
#[test]
fn a_kill_may_leave_a_temporary_folder_but_not_a_lock_folder() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "        with open(path, \"w\") as file:\n            file.write(text)\n",
        "        import tempfile\n        made = tempfile.mkdtemp(prefix=\".message-\", dir=os.path.dirname(path))\n        with open(made + \"/new\", \"w\") as file:\n            file.write(text)\n        os.rename(made + \"/new\", path)\n        os.rmdir(made)\n",
    );
    let kill = ["check", "--time", "none", "-k", "kill", "--strict"];
    folder.run(&kill).exits(0).says_not("PM806");
    // A folder that is always called the same is in the way of the next run.
    folder.replace(
        "message.py",
        "tempfile.mkdtemp(prefix=\".message-\", dir=os.path.dirname(path))",
        "path + \".lock\"; os.mkdir(made)",
    );
    folder
        .run(&kill)
        .exits(1)
        .says("PM806")
        .says("the harness killed the process here")
        .says("+ {dir}/motd.lock");
}

/// A module that takes each error of a read for a file that is not there.
#[test]
fn a_file_that_may_not_be_read_is_not_an_empty_one() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "        if os.path.exists(path):\n            with open(path) as file:\n                if file.read() == text:\n                    return \"kept\"\n        with open(path, \"w\") as file:\n            file.write(text)\n",
        "        old = read(path)\n        if text in old:\n            return \"kept\"\n        with open(path + \".new\", \"w\") as file:\n            file.write(old + text + \"\\n\")\n        os.rename(path + \".new\", path)\n",
    );
    let read = |caught: &str| {
        format!(
            "def read(path):\n    try:\n        with open(path) as file:\n            return file.read()\n    except {caught}:\n        return \"\"\n\n\ndef evaluate("
        )
    };
    folder.replace("message.py", "def evaluate(", &read("OSError"));
    // The report shortens all findings but the first.
    let check = ["check", "--sessions-for", "PM807", "--format", "json"];
    for setup in [
        "",
        "setup = [[\"sh\", \"-c\", \"echo first > {dir}/motd\"]]\n",
    ] {
        folder.write("stickler.toml", crate::cli::CONFIG);
        folder.replace("stickler.toml", "expect =", &format!("{setup}expect ="));
        folder
            .run(&check)
            .says("a file that it may not read: `repaired`, and `{dir}/motd` ");
    }
    folder.replace(
        "message.py",
        "except OSError:\n        return",
        "except FileNotFoundError:\n        return",
    );
    folder.run(&check).says_not("a file that it may not read");
}

#[test]
fn a_promise_type_names_a_subject_with_a_whole_command_line() {
    let folder = Folder::sound();
    folder.replace(
        "stickler.toml",
        "interpreter = \"/usr/bin/python3\"\npath = \"message.py\"",
        "command = [\"/usr/bin/python3\", \"{config_dir}/message.py\", \"--quiet\"]",
    );
    folder
        .run(&["check", "--quick", "--select", "PM101"])
        .exits(0)
        .says("message · promise-module");
}
