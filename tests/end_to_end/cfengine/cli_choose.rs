//! Which modules, examples, sessions and failures `stickler check` looks at, end to end.

use crate::cli::{Folder, MODULE};

#[test]
fn words_choose_sessions_with_those_they_are_compared_with() {
    let folder = Folder::sound();
    folder
        .run(&["check", "-k", "drift and not broken", "--durations=all"])
        .exits(0)
        .says("drift/e1")
        .says("baseline/e1")
        .says_not("growth/e1")
        .says("no session of this part of the suite tests this");
    // The plain examples run in any case.
    folder
        .run(&["check", "-k", "baseline", "--durations=all"])
        .exits(0)
        .says("baseline/e1")
        .says_not("drift/e1");
    folder
        .run(&["check", "-k", "no-such-session"])
        .exits(2)
        .says("chooses no session")
        .says("--durations=all");
    folder
        .run(&["check", "-k", "(drift"])
        .exits(2)
        .says("the parenthesis is not closed at character 1");
}

/// A module that keeps a number by means of a command.
const COUNTER: &str = r#"set -u
answer() { printf 'operation=%s\nresult=%s\n\n' "$operation" "$1"; }
request() {
	operation='' promiser='' value=''
	while IFS= read -r line; do
		[ -z "$line" ] && return 0
		case $line in
		operation=*) operation=${line#*=} ;;
		promiser=*) promiser=${line#*=} ;;
		attribute_value=*) value=${line#*=} ;;
		esac
	done
	return 1
}
while IFS= read -r line && [ -n "$line" ]; do :; done
printf 'counters 1.0.0 v1 line_based\n\n'
while request; do
	case $operation in
	validate_promise) answer valid ;;
	evaluate_promise)
		if [ "$(counter get "$promiser" </dev/null)" = "$value" ]; then
			answer kept
		elif counter set "$promiser" "$value" </dev/null >/dev/null 2>&1; then
			printf 'log_info=Set %s to %s\n' "$promiser" "$value"
			answer repaired
		else
			printf 'log_error=Could not set %s\n' "$promiser"
			answer not_kept
		fi
		;;
	*) answer success && exit 0 ;;
	esac
done
"#;

#[test]
fn stand_ins_need_not_work_at_the_same_time() {
    let folder = Folder::empty();
    folder.write("counters.sh", COUNTER);
    // It fails if another one runs, and what it writes holds what others wrote.
    folder.write(
        "counter",
        "#!/bin/sh\nmkdir \"$HOME/busy\" || exit 1\ntrap 'rmdir \"$HOME/busy\"' EXIT\n\
         case $1 in\nget) sed -n \"s/^$2 //p\" \"$HOME/all\" 2>/dev/null || : ;;\n\
         set) { grep -v \"^$2 \" \"$HOME/all\" 2>/dev/null; echo \"$2 $3\"; } >\"$HOME/new\"\n\
         mv \"$HOME/new\" \"$HOME/all\" ;;\nesac\n",
    );
    folder.write(
        "stickler.toml",
        "[subject]\ndialect = \"promise-module\"\npromise_type = \"counters\"\n\
         interpreter = \"/bin/bash\"\npath = \"counters.sh\"\n\n[fake]\ncounter = \"counter\"\n\n\
         [[example]]\nname = \"one\"\npromiser = \"first\"\nattributes = { value = \"1200\" }\n\n\
         [[example]]\nname = \"two\"\npromiser = \"second\"\nattributes = { value = \"1400\" }\n\
         setup = [[\"counter\", \"set\", \"second\", \"7\"]]\n",
    );
    // What is compared with a chosen session is compared with others, too.
    folder
        .run(&["check", "-k", "concurrent", "--durations=all"])
        .exits(0)
        .says("concurrent/")
        .says("alone-again/")
        .says_not("FLAKY");
}

#[test]
fn one_example_is_used_alone() {
    let folder = Folder::sound();
    let config = folder.read("stickler.toml");
    let second = "\n[[example]]\nname = \"another file\"\npromiser = \"{dir}/other\"\nattributes = { message = \"x\" }\n";
    folder.write("stickler.toml", &(config + second));
    folder
        .run(&["check", "--quick", "--example", "another file"])
        .exits(0)
        .says("1 example");
    folder
        .run(&["check", "--quick", "--example", "another fil"])
        .exits(2)
        .says("did you mean \"another file\"?");
    folder
        .run(&["check", "--quick", "--example", "nothing alike"])
        .exits(2)
        .says("the examples are: \"a new file\", \"another file\"");
}

#[test]
fn the_last_failures_run_alone_until_they_pass() {
    let folder = Folder::noisy();
    folder
        .run(&["check", "--last-failed", "--select", "PM203"])
        .exits(1)
        .says("failed in the last check")
        .says("PM203");
    folder
        .run(&["check", "--last-failed", "--select", "PM2"])
        .exits(1)
        .says("PM203")
        .says(" 0 passed");
    folder.write("message.py", MODULE);
    folder
        .run(&["check", "--last-failed", "--select", "PM2"])
        .exits(0)
        .says(" passed");
    // The reproducer of what passes now is gone.
    folder
        .run(&["check", "--last-failed", "--select", "PM203"])
        .exits(0)
        .says("failed in the last check");
}

#[test]
fn the_first_failure_ends_the_run() {
    let folder = Folder::noisy();
    let output = folder.run(&["check", "-x"]);
    output
        .exits(1)
        .says("PM203")
        .says("the run ended at the first failure")
        .says("stickler replay .stickler/");
    // A sound module is checked to the end, although nothing can be told halfway.
    let folder = Folder::sound();
    folder
        .run(&["check", "-x"])
        .exits(0)
        .says_not("first failure");
}

#[test]
fn several_modules_have_one_summary_and_one_exit_code() {
    let folder = Folder::empty();
    let (sound, noisy) = (Folder::sound(), Folder::noisy());
    for (name, from) in [("sound", &sound), ("noisy", &noisy)] {
        for file in ["message.py", "stickler.toml"] {
            folder.write(&format!("{name}/{file}"), &from.read(file));
        }
    }
    folder
        .run(&["check", "--quick", "--select", "PM203", "sound", "noisy/"])
        .exits(1)
        .says("2 modules: 1 passed, 1 did not")
        .says("ok    sound")
        .says("FAIL  noisy/")
        .says("(PM203");
    folder
        .run(&[
            "check", "--quick", "--select", "PM203", "sound", "missing", "noisy",
        ])
        .exits(2)
        .says("error: missing: no such file")
        .says("FAIL  missing  not checked");
    folder
        .run(&["check", "--quick", "--select", "PM203", "sound"])
        .exits(0)
        .says_not("1 module");
    // A file for each module, never one file for all.
    folder
        .run(&[
            "check",
            "--quick",
            "--select",
            "PM203",
            "--output",
            "junit=out.xml",
            "sound",
            "noisy",
        ])
        .exits(2)
        .says("put {module} into its name");
    folder
        .run(&[
            "check",
            "--quick",
            "--select",
            "PM203",
            "--output",
            "junit=out/{module}.xml",
            "sound",
            "noisy",
        ])
        .exits(1);
    assert_eq!(folder.list("out"), ["noisy.xml", "sound.xml"]);
    // A module above this folder has no hidden files, and modules of one name have their own.
    std::fs::create_dir_all(folder.path().join("sub/sound")).expect("a folder");
    for file in ["message.py", "stickler.toml"] {
        folder.write(
            &format!("sub/sound/{file}"),
            &folder.read(&format!("sound/{file}")),
        );
    }
    folder
        .command(&[
            "check",
            "--quick",
            "--select",
            "PM203",
            "--report",
            "pages",
            "--output",
            "junit=out/{module}.xml",
            "../sound",
            "sound",
        ])
        .current_dir(folder.path().join("sub"))
        .output()
        .expect("stickler runs");
    assert_eq!(folder.list("sub/out"), ["sound-2.xml", "sound.xml"]);
    assert_eq!(folder.list("sub/pages"), ["sound", "sound-2"]);
    folder
        .run(&[
            "check", "--quick", "--select", "PM203", "--format", "sarif", "sound", "noisy",
        ])
        .exits(2)
        .says("--output sarif={module}.sarif");
    folder
        .run(&["check", "--promiser", "{dir}/x", "sound", "noisy"])
        .exits(2)
        .says("--promiser describes one module, but 2 are named");
}

#[test]
fn the_module_gets_variables_of_the_command_line() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "def main():\n",
        "def main():\n    if os.environ.get(\"GREETING\") != \"a=b\":\n        sys.exit(\"no greeting\")\n",
    );
    folder
        .run(&["check", "--quick", "--env", "GREETING=a=b"])
        .exits(0);
    folder.run(&["check", "--quick"]).exits(1);
    folder
        .run(&["check", "--quick", "--env", "GREETING"])
        .exits(2)
        .says("--env GREETING: write NAME=VALUE");
}
