//! Lines, branches and comparisons that a campaign follows.

use super::{findings, planted, summary};
use crate::cli::Folder;
use crate::common::root;

#[test]
fn an_interpreter_reports_lines_and_silence_is_an_error() {
    let lines = |folder: &Folder, arguments: &[&str]| {
        let all = ["fuzz", "--cases", "60", "--seed", "1", "--format", "json"];
        let output = folder.run(&[&all[..], arguments].concat());
        (summary(&output)["lines"].as_u64(), output)
    };
    let folder = planted("letter_by_letter");
    let (seen, output) = lines(&folder, &[]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    let (seen, output) = lines(&folder, &["--coverage", "off"]);
    assert_eq!(seen, None, "{}", output.all());
    // A hook of the author's own is run as well.
    folder.write(
        "sitecustomize.py",
        "import base\nbase.DEFAULT_MODE = 0o600\n",
    );
    let (seen, output) = lines(&folder, &["--env", "PYTHONPATH=."]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    // Python tells nothing to what only bash reads.
    let (_, output) = lines(&folder, &["--coverage", "bash"]);
    output
        .exits(4)
        .says("reported no lines, although --coverage requires them");
    folder.write(
        "base.sh",
        &std::fs::read_to_string(root().join("fixtures/mutants/base.sh")).expect("a fixture"),
    );
    folder.replace("stickler.toml", "/usr/bin/python3", "/bin/bash");
    folder.replace("stickler.toml", "module.py", "base.sh");
    let (seen, output) = lines(&folder, &[]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    output.exits(0);
}

/// A folder with a native module that has a planted defect, built with these further arguments.
fn gate(defect: &str, arguments: &[&str]) -> Folder {
    let folder = Folder::empty();
    let source = root().join("fixtures/planted/gate.c");
    let built = std::process::Command::new("cc")
        .current_dir(folder.path())
        .args([
            "-O1",
            "-fno-builtin",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            "gate",
        ])
        .arg(source)
        .args(arguments)
        .output()
        .expect("cc runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    folder.write(
        "stickler.toml",
        &format!(
            r#"[subject]
promise_type = "gate"
command = ["./gate", "{defect}"]

[[example]]
name = "a greeting"
promiser = "greeting"
attributes = {{ message = "hello", mode = "0644" }}
expect = ["kept"]
"#
        ),
    );
    folder
}

#[test]
fn a_native_module_reports_branches_and_comparisons() {
    let folder = Folder::empty();
    let runtime = folder.run(&["fuzz", "runtime"]);
    folder.write("stickler-coverage.c", &runtime.stdout);
    let runtime = folder.path().join("stickler-coverage.c");
    let runtime = runtime.display().to_string();
    let cover = "-fsanitize-coverage=trace-pc,trace-cmp";
    // The compiler leaves the word in no text of the program: it is found by comparing.
    let folder = gate("magic_value", &[cover, &runtime]);
    let output = folder.run(&["fuzz", "--seed", "1", "--for", "1000s", "--until-finding"]);
    output.exits(1).says("follows native branches");
    output.says("PM405");
    // Letters that are compared one after the other are found one after the other.
    let folder = gate("letter_by_letter", &[cover, &runtime]);
    let output = folder.run(&["fuzz", "--seed", "1", "--for", "1000s", "--until-finding"]);
    output.exits(1).says("PM405");
    // Without a campaign it is a module as any other.
    let folder = gate("none", &[cover, &runtime]);
    folder
        .run(&["check", "--quick", "--select", "PM3", "--sessions", "100"])
        .exits(0);
    // One that is built without tells nothing.
    let folder = gate("none", &[]);
    let all = ["fuzz", "--seed", "1", "--cases", "60"];
    folder.run(&all).exits(0).says("follows answers");
    let output = folder.run(&[&all[..], &["--coverage", "native"]].concat());
    output
        .exits(4)
        .says("reported no branches, although --coverage requires them");
}

/// What the runtime of AFL++ does without its fork server.
pub const AFL: &str = r#"
#include <stdlib.h>
#include <sys/shm.h>
static unsigned char unused[1 << 16], *map = unused;
__attribute__((constructor, no_sanitize_coverage)) static void begin(void) {
    const char *number = getenv("__AFL_SHM_ID");
    if (number) {
        map = shmat(atoi(number), NULL, 0);
        if (map == (void *) -1)
            _exit(1);
    }
}
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void) {
    map[((char *) __builtin_return_address(0) - (char *) &map) & 0xffff]++;
}
"#;

#[test]
fn a_module_built_with_afl_shares_a_segment_that_no_other_program_sees() {
    let segments = || std::fs::read_to_string("/proc/sysvipc/shm").expect("segments");
    let library = Folder::empty();
    library.write("afl.c", &format!("#include <unistd.h>\n{AFL}"));
    let library = library.path().join("afl.c").display().to_string();
    let folder = gate("second_byte", &["-fsanitize-coverage=trace-pc", &library]);
    let before = segments();
    let all = ["fuzz", "--seed", "1", "--cases", "60", "--format", "json"];
    let output = folder.run(&all);
    let lines = summary(&output)["lines"].as_u64();
    assert!(lines.is_some_and(|lines| lines > 20), "{}", output.all());
    assert_eq!(segments(), before);
}

#[test]
fn a_campaign_follows_comparisons_in_python_code() {
    let folder = planted("deep");
    // The library of the fixtures reads letter by letter, and each line costs time.
    folder.write("plain_json.py", "from json import dumps, loads\n");
    let all = [
        "fuzz",
        "--seed",
        "1",
        "--jobs",
        "1",
        "--for",
        "1000s",
        "--until-finding",
    ];
    let output = folder.run(&[&all[..], &["--format", "json"]].concat());
    let found = findings(output.exits(1));
    let mut messages = found.iter().filter_map(|one| one["message"].as_str());
    assert!(
        messages.any(|message| message.contains("the lake is deep")),
        "{found:#?}"
    );
}
