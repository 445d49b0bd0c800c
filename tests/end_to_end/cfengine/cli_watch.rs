//! `stickler check --watch`, end to end.

use crate::calls::{self, SOON};
use crate::cli::{Folder, MODULE};
use crate::common::stickler;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

#[test]
fn a_change_runs_the_failures_and_then_a_quick_check() {
    let folder = Folder::noisy();
    let mut child = stickler()
        .args(["check", "--watch"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let (lines, heard) = mpsc::channel();
    let streams: [Box<dyn std::io::Read + Send>; 2] = [
        Box::new(child.stdout.take().expect("piped")),
        Box::new(child.stderr.take().expect("piped")),
    ];
    for stream in streams {
        let lines = lines.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = lines.send(line);
            }
        });
    }
    let wait_for = |text: &str| {
        let mut seen = Vec::new();
        while !seen.last().is_some_and(|line: &String| line.contains(text)) {
            match heard.recv_timeout(SOON) {
                Ok(line) => seen.push(line),
                Err(_) => panic!("{text:?} is not in {seen:#?}"),
            }
        }
    };
    wait_for("PM203");
    wait_for("waiting for a change");
    folder.write("message.py", MODULE);
    // First what failed, and then more.
    wait_for(" passed");
    wait_for("exchanges");
    wait_for("waiting for a change");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// What Stickler writes into the folder is no change of the module.
#[test]
fn its_own_files_do_not_start_a_check() {
    let folder = Folder::sound();
    let file = |name: &str| std::fs::File::create(folder.path().join(name)).expect("a file");
    let mut child = stickler()
        .args(["check", "--watch", "--verbose", "--select", "PM203"])
        .args(["--report", "rep", "--reproducers", "found", "--keep"])
        .current_dir(folder.path())
        .stdout(file("stdout.txt"))
        .stderr(file("stderr.txt"))
        .spawn()
        .expect("the binary runs");
    let checks = || folder.read("stdout.txt").matches(" exchanges, ").count();
    let waits = || {
        folder
            .read("stderr.txt")
            .matches("waiting for a change")
            .count()
    };
    let wait_until = |number: usize| {
        calls::wait_until(&format!("check {number} is done"), || waits() >= number);
        // Long enough for several looks at the files.
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!((waits(), checks()), (number, number));
    };
    wait_until(1);
    assert!(folder.exists("rep/index.html"));
    // Nothing had failed, so there is one check, not one for failures and one for the rest.
    folder.replace("message.py", "import sys\n", "import sys\n\n");
    wait_until(2);
    // A new file may be a part of the module.
    folder.write("lib/more.py", "\n");
    wait_until(3);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn options_that_write_once_do_not_watch() {
    Folder::sound()
        .run(&["check", "--watch", "--baseline"])
        .exits(2)
        .says("--watch");
}
