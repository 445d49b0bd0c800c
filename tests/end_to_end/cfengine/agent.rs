//! `stickler agent` from end to end.

use crate::calls::{SOON, wait_until};
use crate::common::{Call, STICKLER};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use std::time::Instant;

pub fn policy(folder: &Path, text: &str) {
    let path = folder.join("p.cf");
    fs::write(&path, text).expect("a policy");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions");
}

fn module(folder: &Path, text: &str) -> String {
    program(folder, "module", text)
}

/// Writes a program, and returns its path.
fn program(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a module");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path.display().to_string()
}

pub fn agent(folder: &Path, arguments: &[&str]) -> Output {
    Call::of(STICKLER)
        .args(["agent", "-K", "-f", "./p.cf"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the agent")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn reports_are_printed_in_cf_agents_grammar() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main { vars: \"l\" slist => { \"a\", \"b\" }; reports: \"x $(l)\"; }",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: x a\nR: x b\n");
    assert_eq!(done.status.code(), Some(0));
    let json = agent(folder.path(), &["--format", "json"]);
    let first = text(&json.stdout).lines().next().map(str::to_owned);
    assert_eq!(
        first.as_deref(),
        Some(r#"{"event":"report","message":"x a"}"#)
    );
}

#[test]
fn programs_and_modules_are_not_localized() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "#!/bin/sh\necho \"$0 lang=<$LANG> $LC_ALL\" >>seen\n";
    let module = module(folder.path(), script);
    policy(
        folder.path(),
        &format!(
            "promise agent odd {{ path => \"{module}\"; }}\n\
             bundle agent main {{ commands: \"{module}\"; odd: \"x\"; \
             reports: \"<$(with)>\" with => getenv(\"LANG\", \"100\"); }}"
        ),
    );
    let done = Call::of(STICKLER)
        .args(["agent", "-K", "-f", "./p.cf"])
        .current_dir(folder.path())
        .env("LANG", "C.UTF-8")
        .env("LC_ALL", "C")
        .output()
        .expect("the agent");
    assert!(text(&done.stdout).contains("R: <>\n"));
    let seen = fs::read_to_string(folder.path().join("seen")).expect("what was seen");
    assert!(seen.lines().count() >= 2, "{seen}");
    assert!(
        seen.lines().all(|line| line.ends_with("lang=<> C")),
        "{seen}"
    );
}

#[test]
fn attributes_that_the_language_once_had_are_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "body action old\n{\n  value_kept => \"1\";\n}\n\
         bundle agent main { reports: \"x\" action => old; }\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: x\n");
    let place = "./p.cf:3:20: warning: Removed constraint 'value_kept'";
    let shown = "  value_kept => \"1\";\n                   ^\n";
    assert_eq!(
        text(&done.stderr),
        format!("{place} in promise type 'action' [-Wremoved]\n{shown}")
    );
}

#[test]
fn blocks_that_the_language_once_had_are_warned_of_and_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main\n{\n  reports:\n    \"x\";\n  outputs:\n    \"y\";\n  reports:\n    \"lost\";\n}\n\
         body association old # {\n{\n  associates => { \"z\" };\n}\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: x\n");
    assert_eq!(
        text(&done.stderr),
        "./p.cf:5:11: warning: Removed promise type 'outputs' in bundle type 'agent' [-Wremoved]\n  \
         outputs:\n          ^\n\
         ./p.cf:11:2: warning: Removed body 'old' of type 'association' [-Wremoved]\n{\n ^\n"
    );
}

#[test]
fn inputs_that_are_no_list_reject_the_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "body common control { inputs => findfiles(\"none*\"); }\n\
         bundle agent main { reports: \"never\"; }\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(6));
    assert!(!text(&done.stdout).contains("never"));
    assert!(text(&done.stderr).contains("are no list, but findfiles(\"none*\")"));
}

// cf-agent has a race here: it sometimes fails to write to the program.
#[test]
fn a_container_through_a_program_that_is_missing_comes_to_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main { vars: \"d\" data => '{ \"a\": 1 }'; \
         \"p\" data => mapdata(\"json_pipe\", \"/no/such\", \"d\"); \
         reports: \"$(with)\" with => storejson(\"p\"); }\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: []\n");
}

#[test]
fn chroots_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "body contain apart { chroot => \"/none\"; }\n\
         bundle agent main { commands: \"/bin/true\" contain => apart; }\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("attribute \"chroot\" is not supported"));
}

#[test]
fn unsupported_policies_are_refused_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main\n{\n  packages:\n    \"x\" policy => \"present\";\n  reports:\n    \"never\";\n}\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(text(&done.stdout), "");
    let errors = text(&done.stderr);
    assert!(
        errors.contains("p.cf:3:3: promise type \"packages\""),
        "{errors}"
    );
    let skipped = agent(folder.path(), &["--skip-unsupported"]);
    assert!(text(&skipped.stdout).contains("R: never"));
    assert!(text(&skipped.stdout).contains("'packages' is not supported"));
}

#[test]
fn a_computed_bundle_name_is_checked_when_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest = "bundle agent plain { reports: \"plain\"; } bundle agent other { files: \"/nonexistent/x\" acl => a; } body acl a { acl_type => \"posix\"; acl_method => \"overwrite\"; aces => { \"user:*:r\" }; }";
    let main = |name: &str| {
        format!(
            "bundle agent main {{ vars: \"b\" string => {name}; \
             methods: \"x\" usebundle => \"$(b)\"; reports: \"after\"; }}\n{rest}"
        )
    };
    policy(folder.path(), &main("concat(\"oth\", \"er\")"));
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(text(&done.stdout), "");
    let error = text(&done.stderr);
    assert!(
        error.contains("./p.cf:2:87: attribute \"acl\" is not supported"),
        "{error}"
    );
    // Unsupported parts that no text names are no obstacle.
    policy(folder.path(), &main("concat(\"pl\", \"ain\")"));
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: plain\nR: after\n");
}

#[test]
fn guarded_unsupported_parts_are_refused_when_the_run_reaches_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let text_of = |class: &str| {
        format!(
            "bundle agent main {{ classes: \"soon\" expression => \"any\"; \
             methods: \"x\" usebundle => other, if => \"{class}\"; reports: \"after\"; }}\n\
             bundle agent other {{ users: \"u\" policy => \"present\"; reports: \"other\"; }}"
        )
    };
    policy(folder.path(), &text_of("never"));
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: after\n");
    assert_eq!(done.status.code(), Some(0));
    for class in ["soon", "any"] {
        policy(folder.path(), &text_of(class));
        let done = agent(folder.path(), &[]);
        assert_eq!(done.status.code(), Some(2));
        assert_eq!(text(&done.stdout), "");
        let error = text(&done.stderr);
        let named = "./p.cf:2:22: promise type \"users\" is not supported";
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn servers_that_are_known_late_are_refused_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy").display().to_string();
    policy(
        folder.path(),
        &format!(
            "bundle agent main {{ reports: \"x\"; vars: \"s\" string => \"192.0.2.1\";\n\
             files: \"{copy}\" copy_from => from(\"$(s)\"); }}\n\
             body copy_from from(s) {{ source => \"/etc/passwd\"; servers => {{ \"$(s)\" }}; }}"
        ),
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    let error = text(&done.stderr);
    let named = "p.cf:2: attribute \"servers\" is not supported";
    assert!(error.contains(named), "{error}");
}

#[test]
fn augments_that_would_crash_the_agent_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main { reports: \"never\"; }");
    let augments = "{ \"vars\": { \"x\": null } }";
    fs::write(folder.path().join("def.json"), augments).expect("augments");
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(text(&done.stdout), "");
    assert!(text(&done.stderr).contains("./def.json: variable 'x' is null"));
}

#[test]
fn a_list_where_a_function_takes_a_text_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main\n{\n  vars:\n    \"v\" string => join(getindices(\"x\"), \"x\");\n}\n",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    let errors = text(&done.stderr);
    assert!(
        errors.contains("p.cf:4:24: getindices() as a text argument of join()"),
        "{errors}"
    );
}

#[test]
fn a_promise_is_not_kept_again_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main { reports: \"once\"; }");
    let work = folder.path().join("work");
    let run = |options: &[&str]| {
        let done = Call::of(STICKLER)
            .args(["agent", "-f", "./p.cf", "--workdir"])
            .arg(&work)
            .args(options)
            .current_dir(folder.path())
            .output()
            .expect("the agent");
        text(&done.stdout)
    };
    // Without a folder for locks, the agent remembers nothing, and creates no folder.
    assert_eq!(run(&[]), "R: once\n");
    assert_eq!(run(&[]), "R: once\n");
    assert!(!work.exists());
    fs::create_dir_all(work.join("state")).expect("a folder");
    assert_eq!(run(&[]), "R: once\n");
    assert_eq!(run(&[]), "");
    assert_eq!(run(&["-K"]), "R: once\n");
    // The agent reports an unreadable file, and leaves it unchanged.
    let locks = work.join("state/stickler_locks.json");
    fs::write(&locks, "no JSON").expect("a file");
    assert!(run(&[]).contains("can't be read, and is left as it is"));
    assert_eq!(fs::read_to_string(&locks).expect("a file"), "no JSON");
}

#[test]
fn a_syntax_error_is_shown_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main\n{\n  reports\n}\n");
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(6));
    assert!(text(&done.stderr).contains("p.cf:3:3"));
}

#[test]
fn a_module_that_hangs_costs_its_deadline_and_the_next_promise_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = module(
        folder.path(),
        "#!/bin/sh\nread -r x; read -r x\nprintf 'm 1 v1 line_based\\n\\n'\nsleep 600\n",
    );
    policy(
        folder.path(),
        &format!(
            "promise agent hangs {{ path => \"{path}\"; }}\nbundle agent main {{ hangs: \"a\"; \"b\"; reports: \"said\"; }}"
        ),
    );
    let start = Instant::now();
    let done = agent(folder.path(), &["--deadline", "0.3"]);
    assert!(start.elapsed() < SOON);
    let output = text(&done.stdout);
    assert!(output.contains("R: said"), "{output}");
    assert_eq!(
        output.matches("did not answer in time").count(),
        2,
        "{output}"
    );
}

#[test]
fn an_answer_that_would_crash_cf_agent_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = module(
        folder.path(),
        "#!/bin/sh\nread -r x; read -r x\nprintf 'm 1 v1 json_based\\n\\n'\nwhile read -r x; do [ -n \"$x\" ] && printf '[1]\\n\\n'; done\n",
    );
    policy(
        folder.path(),
        &format!(
            "promise agent odd {{ path => \"{path}\"; }}\nbundle agent main {{ odd: \"a\"; }}"
        ),
    );
    let output = text(&agent(folder.path(), &["--compat", "3.21"]).stdout);
    assert!(
        output.contains("cf-agent 3.21.0 would crash here"),
        "{output}"
    );
    // Later releases take it for an answer without a result.
    let output = text(&agent(folder.path(), &[]).stdout);
    assert!(!output.contains("would crash"), "{output}");
}

#[test]
fn recursion_without_end_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main { methods: \"m\" usebundle => again(\"x\"); }\nbundle agent again(x) { methods: \"m\" usebundle => again(\"$(x)x\"); }",
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("would crash here"));
}

#[test]
fn refused_functions_behind_guards_end_the_run_once_they_are_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let guarded = |guard: &str| {
        format!(
            "bundle agent main {{ vars: \"v\" string => ip2host(\"192.0.2.1\"), if => \"{guard}\"; reports: \"last\"; }}"
        )
    };
    policy(folder.path(), &guarded("nosuch"));
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(0));
    assert!(text(&done.stdout).contains("R: last"));
    policy(folder.path(), &guarded("any"));
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2));
    let (output, error) = (text(&done.stdout), text(&done.stderr));
    assert!(!output.contains("R: last"), "{output}");
    let named = "./p.cf:1:41: function \"ip2host\" is not supported";
    assert!(error.contains(named), "{error}");
}

#[test]
fn calls_that_failed_where_cf_agent_takes_texts_end_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = module(
        folder.path(),
        "#!/bin/sh\nread -r x; read -r x\nprintf 'm 1 v1 json_based\\n\\n'\ncat > \"$0.said\"\n",
    );
    let promise = format!("promise agent odd {{ path => \"{path}\"; }}\nbundle agent main");
    let list = "{ odd: \"a\" l => { \"x\", nth(nolist, 0) }; \"b\"; }";
    policy(folder.path(), &format!("{promise} {list}"));
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(255));
    let output = text(&done.stdout);
    assert!(output.contains("with exit code 255"), "{output}");
    let said = std::fs::read_to_string(format!("{path}.said")).expect("what was sent");
    assert_eq!(said, "", "nothing is sent, not even the end");

    let chosen =
        "bundle agent main { vars: \"v\" string => ifelse(\"any\", nth(nolist, 0), \"x\"); }";
    policy(folder.path(), chosen);
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(6), "the policy is rejected");
    assert!(text(&done.stdout).contains("with exit code 255"));
}

#[test]
fn a_class_that_a_failed_function_names_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let body =
        "body classes c { promise_repaired => { \"one\", readfile(\"/nosuch\", 10), \"two\" }; }";
    let run = "bundle agent main { commands: \"/bin/true\" classes => c; reports: \"never\"; }";
    policy(folder.path(), &format!("{body}\n{run}"));
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(255));
    let output = text(&done.stdout);
    assert!(output.contains("with exit code 255"), "{output}");
    assert!(!output.contains("R: never"), "{output}");
}

#[test]
fn a_policy_that_others_may_write_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main { reports: \"never\"; }");
    let path = folder.path().join("p.cf");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).expect("permissions");
    for mode in [&[][..], &["-n"]] {
        let done = agent(folder.path(), mode);
        assert_eq!(done.status.code(), Some(1));
        let output = text(&done.stdout);
        let said = "is writable by others (security exception)";
        assert_eq!(output.matches(said).count(), 1, "{output}");
        assert!(!output.contains("R: never"), "{output}");
    }
}

#[test]
fn options_may_be_given_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main {\n  reports:\n    a.b::\n      \"both\";\n}",
    );
    let done = agent(
        folder.path(),
        &["--no-lock", "-D", "a", "-D", "b", "-I", "-I"],
    );
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "R: both\n");
}

#[test]
fn lack_of_memory_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main { }");
    let stickler = STICKLER;
    let script = format!("ulimit -v 200000; exec {stickler} agent -K -f ./p.cf");
    let done = Call::of("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .output()
        .expect("the agent");
    let said = text(&done.stderr);
    assert!(said.contains("no room for a stack of 256 MiB"), "{said}");
    assert_eq!(done.status.code(), Some(2));
}

/// A policy that edits one file, replaces another and creates a third; also returns its folder.
fn changing() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("edited"), "a line\n").expect("a file");
    fs::write(path("copy"), "old\n").expect("a file");
    fs::write(path("source"), "new\n").expect("a file");
    let (edited, new) = (path("edited"), path("new"));
    let (copy, source) = (path("copy"), path("source"));
    policy(
        folder.path(),
        &format!(
            "bundle edit_line more {{ insert_lines: \"more\"; }}\n\
             body copy_from from(f) {{ source => \"$(f)\"; compare => \"digest\"; }}\n\
             body perms own {{ mode => \"600\"; rxdirs => \"false\"; }}\n\
             bundle agent main {{ files: \"{edited}\" edit_line => more;\n\
             \"{new}\" content => \"new\";\n\
             \"{source}\" perms => own;\n\
             \"{copy}\" copy_from => from(\"{source}\"); }}"
        ),
    );
    folder
}

/// Runs a simulation without a work directory.
fn simulated_in(folder: &Path, temporary: &Path) -> Output {
    Call::of(STICKLER)
        .args(["agent", "-K", "-f", "./p.cf", "--simulate=diff"])
        .args(["--workdir", "/nonexistent/work"])
        .current_dir(folder)
        .env("TMPDIR", temporary)
        .output()
        .expect("the agent")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.to_string_lossy().into_owned()
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_simulation_shows_the_pending_changes_and_changes_nothing() {
    let folder = changing();
    let workdir = folder.path().join("work");
    fs::create_dir_all(workdir.join("state")).expect("a folder");
    let workdir_option = workdir.display().to_string();
    let before = names(folder.path());
    let simulated = |mode: &str| {
        let done = agent(folder.path(), &[mode, "--workdir", &workdir_option]);
        assert_eq!(done.status.code(), Some(0));
        (text(&done.stdout), text(&done.stderr))
    };
    let (diff, told) = simulated("--simulate=diff");
    let edited = folder.path().join("edited").display().to_string();
    let expected =
        format!("--- original {edited}\n+++ changed  {edited}\n@@ -1 +1,2 @@\n a line\n+more\n");
    assert!(diff.contains(&expected), "{diff}");
    assert!(
        diff.contains("new\n\\no newline at the end of file\n"),
        "{diff}"
    );
    // The real agent would have removed the copy that was replaced.
    assert!(told.contains("copy' is left alone"), "{told}");
    let (manifest, _) = simulated("--simulate=manifest");
    assert!(manifest.contains("a line\nmore\n"), "{manifest}");
    assert!(!manifest.contains("+more"), "{manifest}");
    assert_eq!(names(folder.path()), before);
    assert_eq!(names(&workdir.join("state")), [""; 0]);
    let held = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!((&*held("edited"), &*held("copy")), ("a line\n", "old\n"));
}

#[test]
fn a_simulation_without_a_work_directory_leaves_nothing_either() {
    let folder = changing();
    let temporary = tempfile::tempdir().expect("a folder");
    let done = simulated_in(folder.path(), temporary.path());
    assert!(
        text(&done.stdout).contains("+more"),
        "{}",
        text(&done.stdout)
    );
    assert_eq!(names(temporary.path()), [""; 0]);
    assert!(!Path::new("/nonexistent").exists());
}

#[test]
fn paths_above_the_copies_of_a_simulation_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("source")).expect("a folder");
    let links = folder.path().join("sub/links").display().to_string();
    policy(
        folder.path(),
        &format!(
            "body link_from children {{ source => \"../../../../../../x\"; link_children => \"true\"; }}\n\
             bundle agent main {{ files: \"{links}\" link_from => children; }}"
        ),
    );
    let done = agent(folder.path(), &["--simulate=diff"]);
    let told = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.contains("p.cf:2: '../../../../../../x' leads above"),
        "{told}"
    );
    assert_eq!(names(folder.path()), ["p.cf", "source"]);
}

const BESIDE: &str = "body action beside { background => \"true\"; }\n";

#[test]
fn commands_in_the_background_are_not_waited_for_before_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each of the two ends once the other has begun.
    for (own, other) in [("one", "two"), ("two", "one")] {
        let script = format!(
            "#!/bin/sh\ncd '{}'\ntouch {own}\nwhile [ ! -e {other} ]; do /bin/sleep 0.05; done\n/bin/sleep 0.5\ntouch {own}.done\n",
            folder.path().display()
        );
        program(folder.path(), &format!("run-{own}"), &script);
    }
    let path = folder.path().display();
    policy(
        folder.path(),
        &format!(
            "{BESIDE}bundle agent main {{ commands: \"{path}/run-one\" action => beside;\n\
             \"{path}/run-two\" action => beside;\n\
             reports: \"meanwhile\"; }}"
        ),
    );
    let done = agent(folder.path(), &["-I"]);
    let said = text(&done.stdout);
    assert!(
        ["one.done", "two.done"]
            .iter()
            .all(|file| folder.path().join(file).exists())
    );
    let report = said.find("R: meanwhile").expect("a report");
    let last = said.rfind("Completed execution").expect("an end");
    assert!(report < last, "{said}");
    assert_eq!(said.matches("Completed execution").count(), 4, "{said}");
}

#[test]
fn background_promises_set_no_class_or_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    policy(
        folder.path(),
        &format!(
            "{BESIDE}bundle agent main {{ commands: \"/bin/echo +told\" module => \"true\", action => beside;\n\
             \"/bin/sleep 0.2\";\n\
             files: \"{}\" create => \"true\", action => beside, classes => told;\n\
             \"{}\" create => \"true\", action => beside;\n\
             reports:\n told::\n \"told\";\n !told::\n \"nothing\"; }}\n\
             body classes told {{ promise_repaired => {{ \"told\" }}; }}",
            path("one"),
            path("two")
        ),
    );
    let done = agent(folder.path(), &[]);
    assert_eq!(text(&done.stdout), "R: nothing\n");
    assert!(Path::new(&path("one")).exists());
    // At most one promise runs in the background; the agent skips the other.
    assert!(!Path::new(&path("two")).exists());
}

#[test]
fn an_interrupted_run_leaves_no_program_and_no_copies() {
    let folder = changing();
    let workdir = folder.path().join("work");
    fs::create_dir_all(workdir.join("state")).expect("a folder");
    let mark = folder.path().join("pids").display().to_string();
    let script = format!("#!/bin/sh\necho $$ >>{mark}\nexec sleep 60\n");
    let program = module(folder.path(), &script);
    let more = fs::read_to_string(folder.path().join("p.cf")).expect("a policy");
    policy(
        folder.path(),
        &format!(
            "{more}\nbundle agent waits {{ vars: \"x\" string => execresult(\"{program}\", \"noshell\"), meta => {{ \"simulate_safe\" }}; }}"
        ),
    );
    let child = Call::of(STICKLER)
        .args(["agent", "-K", "-f", "./p.cf", "-b", "main,waits"])
        .args([
            "--simulate=diff",
            "--workdir",
            &workdir.display().to_string(),
        ])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the agent");
    wait_until("a program is started", || Path::new(&mark).exists());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    let status = child.wait_with_output().expect("an end").status;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(15), "{status}");
    assert_eq!(names(&workdir.join("state")), [""; 0]);
    for pid in fs::read_to_string(&mark).expect("numbers").lines() {
        let left = |pid: &str| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        wait_until(&format!("{pid} ends"), || !left(pid));
    }
}

#[test]
fn a_simulated_copy_that_would_crash_cf_agent_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("source"), "source").expect("a file");
    let (source, copy) = (path("source"), path("copy"));
    policy(
        folder.path(),
        &format!(
            "body perms own {{ mode => \"600\"; rxdirs => \"false\"; }}\n\
             body copy_from linked {{ source => \"{source}\"; link_type => \"relative\"; linkcopy_patterns => {{ \".*\" }}; }}\n\
             bundle agent main {{ files: \"{source}\" perms => own;\n\
             \"{copy}\" copy_from => linked; }}"
        ),
    );
    let done = agent(folder.path(), &["--simulate=manifest"]);
    let said = text(&done.stdout);
    assert!(
        said.contains("copy' is not linked: cf-agent 3.21.0 would crash here"),
        "{said}"
    );
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn a_simulation_of_its_own_work_directory_terminates() {
    let folder = tempfile::tempdir().expect("a folder");
    let workdir = folder.path().join("work");
    fs::create_dir_all(workdir.join("state")).expect("a folder");
    fs::create_dir_all(workdir.join("inputs")).expect("a folder");
    // By other names for the folder than the one in the option.
    let around = format!("{}/./work", folder.path().display());
    policy(
        folder.path(),
        &format!(
            "body perms p {{ mode => \"750\"; rxdirs => \"false\"; }}\n\
             bundle agent main {{ files: \"{around}\" perms => p; \"{}\" perms => p; }}",
            folder.path().display()
        ),
    );
    let workdir_option = workdir.display().to_string();
    let done = agent(
        folder.path(),
        &["--simulate=manifest", "--workdir", &workdir_option],
    );
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    assert!(said.contains("work' is a directory"), "{said}");
    assert_eq!(names(&workdir.join("state")), [""; 0]);
}

#[test]
fn the_check_before_a_run_knows_nothing_of_the_classes_that_the_run_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(
        folder.path(),
        "bundle agent main\n{\n  vars:\n    \"s\" string => \"word\";\n    c1::\n    \"n\" int => \"$(s)\";\n}\n",
    );
    let complaints = |arguments: &[&str]| {
        let done = agent(folder.path(), arguments);
        text(&done.stdout)
            .matches("Failed to parse integer number: word")
            .count()
    };
    assert_eq!(complaints(&[]), 0);
    // Only those of the run itself.
    assert_eq!(complaints(&["-D", "c1"]), 2);
}

#[test]
fn a_simulation_follows_no_link_that_lies_where_its_copies_are_to_be() {
    let folder = changing();
    let temporary = tempfile::tempdir().expect("a folder");
    let trap = tempfile::tempdir().expect("a folder");
    // The process id is unknown before, but the shell that becomes the agent knows it.
    let script = format!(
        "ln -s {} $TMPDIR/$$.changes; exec {} agent -K -f ./p.cf --simulate=diff --workdir /nonexistent/work",
        trap.path().display(),
        STICKLER
    );
    let done = Call::of("/bin/sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("TMPDIR", temporary.path())
        .output()
        .expect("the agent");
    assert!(
        text(&done.stdout).contains("+more"),
        "{}",
        text(&done.stdout)
    );
    assert_eq!(names(trap.path()), [""; 0]);
    assert_eq!(names(temporary.path()), [""; 0]);
}

#[test]
fn a_simulation_that_can_make_no_copies_changes_nothing() {
    let folder = changing();
    let done = simulated_in(folder.path(), Path::new("/nonexistent/temporary"));
    let told = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.contains("no copies can be changed in '/nonexistent/temporary/"),
        "{told}"
    );
    let held = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!((&*held("edited"), &*held("copy")), ("a line\n", "old\n"));
}

/// A module that keeps each promise, and writes what it gets into `got`.
const WRITES: &str = "#!/bin/sh
read -r x; read -r x
printf 'm 1 v1 json_based action_policy\\n\\n'
while read -r x; do
    [ -z \"$x\" ] && continue
    printf '%s\\n' \"$x\" >>\"$(dirname \"$0\")/got\"
    case $x in
        *validate_promise*) printf '{\"operation\":\"validate_promise\",\"result\":\"valid\"}\\n\\n' ;;
        *evaluate_promise*) printf '{\"operation\":\"evaluate_promise\",\"result\":\"kept\"}\\n\\n' ;;
        *) exit ;;
    esac
done
";

/// What the module got from an agent of this version, and the agent's exit code.
fn sent_by(version: &str, text: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = module(folder.path(), WRITES);
    policy(
        folder.path(),
        &format!("promise agent odd {{ path => \"{path}\"; }}\n{text}"),
    );
    let done = agent(folder.path(), &["--compat", version]);
    let got = fs::read_to_string(folder.path().join("got")).unwrap_or_default();
    (done.status.code().expect("an exit code"), got)
}

#[test]
fn releases_send_and_accept_different_things() {
    let accented = "bundle agent main { odd: \"é\" a => \"\u{1b}\"; }";
    let sent = |version| sent_by(version, accented).1;
    assert!(
        sent("3.21.0").contains("\"promiser\":\"é\""),
        "{}",
        sent("3.21.0")
    );
    for version in ["3.24", "3.27.1", "3.28.0"] {
        let sent = sent(version);
        assert!(sent.contains(r#""promiser":"\u00c3\u00a9""#), "{sent}");
        assert!(sent.contains(r#""a":"\u001b""#), "{sent}");
    }
    let action = "body action x { expireafter => \"7\"; }
bundle agent main { odd: \"p\" action => x; }";
    assert!(sent_by("3.21.0", action).1.contains("expireafter"));
    assert!(!sent_by("3.24.4", action).1.contains("expireafter"));
    // From top to bottom, the first promise comes before the variable that it names has a value.
    let ordered = "body agent control { evaluation_order => \"top_down\"; }
bundle agent main { odd: \"a\" if => \"later\"; \"b\"; classes: \"later\" expression => \"any\"; odd: \"c\"; }";
    let order = |version| {
        let (code, got) = sent_by(version, ordered);
        let asked = got.lines().filter(|line| line.contains("evaluate_promise"));
        let of = |line: &str| {
            ["a", "b", "c"]
                .into_iter()
                .find(|name| line.contains(&format!("\"promiser\":\"{name}\"")))
        };
        (code, asked.filter_map(of).collect::<String>())
    };
    assert_eq!(order("3.27.1"), (0, "bca".to_owned()));
    assert_eq!(order("3.24.4").0, 6);
}

#[test]
fn a_version_that_was_not_measured_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    policy(folder.path(), "bundle agent main { reports: \"x\"; }");
    let done = agent(folder.path(), &["--compat", "3.25.0"]);
    assert_eq!(done.status.code(), Some(2));
    let said = text(&done.stderr);
    assert!(
        said.contains("was not measured; there are 3.21.0, 3.24.4"),
        "{said}"
    );
}
