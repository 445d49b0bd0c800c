//! `stickler doctor`, end to end.

use crate::calls::SOON;
use crate::cli::{Folder, json_lines};
use std::os::unix::fs::PermissionsExt;

#[test]
fn doctor_lists_the_features_and_programs_of_this_machine() {
    let folder = Folder::empty();
    let told = folder.run(&["doctor"]);
    told.exits(0)
        .says("Sandbox")
        .says("overlay")
        .says("lacks: ")
        .says("user namespaces")
        .says("pinning")
        .says("/usr/bin/python3")
        .says("cf-agent")
        .says("`stickler check` can run");
    assert_eq!(told.stderr, "");
    assert!(told.stdout.lines().all(|line| !line.contains('\u{1b}')));
}

#[test]
fn programs_read_it_as_json_lines() {
    let folder = Folder::empty();
    let told = folder.run(&["doctor", "--format", "json"]);
    told.exits(0);
    let lines = json_lines(&told);
    let (summary, items) = lines.split_last().expect("lines");
    assert_eq!(summary["event"], "summary");
    assert_eq!(summary["ok"], true);
    let sandboxes: Vec<&str> = items
        .iter()
        .filter(|item| item["topic"] == "sandbox")
        .filter_map(|item| item["name"].as_str())
        .collect();
    assert_eq!(sandboxes, ["overlay", "copy", "none"]);
    for topic in ["kernel", "cpu", "interpreter", "go", "peer", "terminal"] {
        assert!(items.iter().any(|item| item["topic"] == topic), "{topic}");
    }
    // The suggested tier works.
    let best = summary["sandbox"].as_str().expect("a tier");
    assert!(
        items
            .iter()
            .any(|item| item["name"] == best && item["ok"] == true)
    );
}

#[test]
fn an_interpreter_that_only_the_user_sees_is_pointed_out() {
    let folder = Folder::empty();
    let path = folder.write("bin/lua", "#!/bin/sh\necho Lua 5.4.6\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let own = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let output = folder
        .command(&["doctor"])
        .env("PATH", own)
        .output()
        .expect("stickler runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if std::path::Path::new("/usr/bin/lua").exists() {
        assert!(text.contains("which modules do not see"), "{text}");
    } else {
        assert!(
            text.contains("is outside their PATH; name it with --interpreter"),
            "{text}"
        );
    }
}

#[test]
fn a_program_that_hangs_when_asked_for_its_version_holds_nothing_up() {
    let folder = Folder::empty();
    let path = folder.write("bin/puppet", "#!/bin/sh\nexec sleep 3600\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let own = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let began = std::time::Instant::now();
    let output = folder
        .command(&["doctor"])
        .env("PATH", own)
        .output()
        .expect("stickler runs");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("bin/puppet"));
    assert!(began.elapsed() < SOON);
}

/// What the doctor says of Go in a folder, with a `go` that prints these settings.
fn of_go(folder: &Folder, settings: &str) -> Vec<serde_json::Value> {
    let script = format!("#!/bin/sh\nprintf '{settings}'\n");
    let path = folder.write("bin/go", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let own = format!("{}:/usr/bin:/bin", folder.path().join("bin").display());
    let output = folder
        .command(&["doctor", "--format", "json"])
        .env("PATH", own)
        .output()
        .expect("stickler runs");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let items = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    items
        .filter(|item: &serde_json::Value| item["topic"] == "go")
        .collect()
}

#[test]
fn a_go_toolchain_has_to_fit_the_module_of_the_folder() {
    let folder = Folder::empty();
    let items = of_go(&folder, "go1.26.8\\nlocal\\n0\\nno-such-cc\\n");
    let [toolchain, race] = &items[..] else {
        panic!("{items:?}");
    };
    assert_eq!(toolchain["ok"], true);
    assert!(
        toolchain["detail"]
            .to_string()
            .contains("1.26.8, GOTOOLCHAIN=local")
    );
    assert_eq!(race["ok"], false);
    assert!(race["todo"].to_string().contains("gcc"), "{race}");
    folder.write("go.mod", "module example.com/a\n\ngo 1.999\n");
    let items = of_go(&folder, "go1.26.8\\nlocal\\n1\\nsh\\n");
    let module = items
        .iter()
        .find(|item| item["name"] == "module")
        .expect("the module");
    assert_eq!(module["ok"], false);
    assert!(
        module["detail"].to_string().contains("asks for 1.999"),
        "{module}"
    );
    assert!(
        module["todo"].to_string().contains("GOTOOLCHAIN=auto"),
        "{module}"
    );
    assert!(
        items
            .iter()
            .any(|item| item["name"] == "race detector" && item["ok"] == true)
    );
}
