//! Nothing that a check found is lost because a file cannot be written.

use crate::cli::{Folder, json_lines};

const CHECK: [&str; 4] = ["check", "--quick", "--select", "PM203"];

fn check(folder: &Folder, more: &[&str]) -> crate::cli::Output {
    folder.run(&[&CHECK[..], more].concat())
}

#[test]
fn the_folders_of_a_report_are_made_and_an_old_report_is_replaced() {
    let folder = Folder::noisy();
    folder.write("old.json", &"x".repeat(1 << 20));
    for report in ["out/of/the/way.json", "old.json"] {
        check(&folder, &["--output", &format!("json={report}")]).exits(1);
        assert!(folder.read(report).starts_with("{\"event\":"), "{report}");
        assert!(
            !folder
                .read(report)
                .contains('x'.to_string().repeat(9).as_str())
        );
    }
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_before_the_first_session() {
    let folder = Folder::noisy();
    for report in ["message.py/report.json", "."] {
        check(
            &folder,
            &[
                "--output",
                "json=new.json",
                "--output",
                &format!("sarif={report}"),
            ],
        )
        .exits(2)
        .says(&format!("--output sarif={report}: "));
        assert_eq!(folder.list("."), ["message.py", "stickler.toml"]);
    }
    // No folder is left either, whichever comes first.
    for wrong in [
        ["--report", "/proc/x", "--output", "json=out/deep/x.json"],
        [
            "--output",
            "json=out/x.json",
            "--output",
            "tap=out/x.json/y",
        ],
        ["--report", "out/deep", "--output", "nonsense=x"],
    ] {
        check(&folder, &wrong).exits(2);
        assert_eq!(
            folder.list("."),
            ["message.py", "stickler.toml"],
            "{wrong:?}"
        );
    }
}

#[test]
fn the_report_is_printed_if_no_reproducer_can_be_written() {
    let folder = Folder::noisy();
    // Not even root can make a folder here.
    folder.write(".stickler", "");
    check(&folder, &[])
        .exits(1)
        .says("PM203")
        .says("no reproducer: making .stickler")
        .says_not("stickler replay");
    check(&folder, &["--keep"])
        .exits(2)
        .says("PM203")
        .says("making .stickler");
    let json = check(&folder, &["--format", "json"]);
    let rule = json_lines(&json)
        .into_iter()
        .find(|line| line["rule"] == "PM203");
    assert!(rule.expect("a verdict")["reproducer"].is_null());
}

#[test]
fn a_whole_run_removes_reproducers_of_fixed_findings() {
    let folder = Folder::noisy();
    folder.write("other.py", &folder.read("message.py"));
    let config = folder.read("stickler.toml");
    folder.write("other.toml", &config.replace("message.py", "other.py"));
    let reproducers = || -> Vec<String> {
        let mut names = folder.list(".stickler");
        assert_eq!(names.remove(0), ".gitignore");
        names.retain(|name| name.contains("PM203"));
        names
    };
    let check = |config: &str, more: &[&str]| {
        let check = ["check", "--config", config, "--sandbox", "overlay"];
        folder.run(&[&check[..], more].concat())
    };
    check("stickler.toml", &["--quick", "--select", "PM203"]).exits(1);
    check("other.toml", &["--quick", "--select", "PM203"]).exits(1);
    let [first, second] = &reproducers()[..] else {
        panic!("{:?}", reproducers());
    };
    assert!(first.starts_with("message.py-PM203-"), "{first}");
    assert!(second.starts_with("other.py-PM203-"), "{second}");
    folder.write("message.py", crate::cli::MODULE);
    // A partial run may miss what fails.
    check("stickler.toml", &["--quick"]).exits(0);
    assert_eq!(reproducers().len(), 2);
    check("stickler.toml", &[]).exits(0);
    assert_eq!(&reproducers()[..], std::slice::from_ref(second));
    check(
        "other.toml",
        &["--quick", "--select", "PM203", "--reproducers", "found"],
    )
    .exits(1);
    assert_eq!(&folder.list("found")[..], std::slice::from_ref(second));
}

#[test]
fn annotations_name_the_module_from_the_root_of_its_repository() {
    let folder = Folder::empty();
    folder.write(".git/HEAD", "ref: refs/heads/main\n");
    let noisy = Folder::noisy();
    folder.write("modules/message.py", &noisy.read("message.py"));
    folder.write("modules/stickler.toml", &noisy.read("stickler.toml"));
    let mut command = folder.command(&[&CHECK[..], &["--format", "github"]].concat());
    let output = command.current_dir(folder.path().join("modules")).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("UTF-8");
    assert!(text.contains("file=modules/message.py,"), "{text}");
}
