//! `stickler check --time` and `--durations`, end to end.

use crate::cli::Folder;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

fn slow() -> Folder {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "def main():\n",
        "def main():\n    import time\n    time.sleep(0.5)\n",
    );
    folder
}

#[test]
fn a_slow_module_is_checked_in_the_time_that_was_given() {
    let folder = slow();
    let began = Instant::now();
    let output = folder.run_anew(&["check", "--time", "10s"]);
    let took = began.elapsed();
    // Each `must` that was not exercised is named: the run proves nothing about it.
    output
        .exits(4)
        .says("the run ended before each rule of level must was exercised")
        .says("sessions did not run for lack of time");
    // The running sessions may end, and findings are confirmed; there are none.
    assert!(took < Duration::from_secs(120), "{took:?}");
    // The time is used: half a second is left for some session until the end.
    assert!(took > Duration::from_secs(7), "{took:?}");
    let output = folder.run_anew(&["check", "--time", "10s", "--format", "json"]);
    output
        .says("\"verdict\":\"not-exercised\"")
        .says("\"message\":\"time: ")
        .says(" rules of level must without a session: PM");
}

/// Two examples take longer than the time; the sessions after them are named, and do not begin.
#[test]
fn the_examples_of_a_slow_module_use_up_the_time_and_no_more() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "def main():\n",
        "def main():\n    import time\n    time.sleep(2)\n",
    );
    let began = Instant::now();
    let output = folder.run_anew(&["check", "--time", "3s", "--jobs", "1"]);
    output
        .exits(4)
        .says("sessions did not run for lack of time");
    assert!(
        began.elapsed() < Duration::from_secs(120),
        "{:?}",
        began.elapsed()
    );
}

/// How many sessions run may depend on the user alone: then two runs hold the same.
#[test]
fn a_number_of_sessions_is_a_limit_that_no_machine_changes() {
    let folder = Folder::sound();
    let check = ["check", "--sessions", "12", "--durations=all"];
    let names = |output: &crate::cli::Output| {
        output.exits(4).says("more than --sessions did not run");
        let (_, list) = output
            .stdout
            .split_once("slowest sessions:\n")
            .expect("a list");
        let names = list.lines().filter_map(|line| line.split_once(" s  "));
        names
            .map(|(_, name)| name.to_owned())
            .collect::<BTreeSet<String>>()
    };
    let first = names(&folder.run(&check));
    assert_eq!(
        first,
        names(&folder.run(&[&check[..], &["--jobs", "1"]].concat()))
    );
    let whole = folder.run(&["check", "--sessions", "100000"]);
    whole.exits(0).says_not("did not run");
    folder.run(&["check", "--sessions", "few"]).exits(2);
}

/// Sessions that are left out in any case take no time.
#[test]
fn sessions_left_out_for_hangs_are_not_reported_as_lack_of_time() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "        if operation == \"validate_promise\":\n",
        "        if operation == \"validate_promise\":\n            sys.stdin.read()\n",
    );
    folder
        .run(&["check", "--time", "100s"])
        .exits(1)
        .says("left out: the module")
        .says_not("for lack of time");
}

#[test]
fn the_time_is_a_duration_or_none() {
    let folder = Folder::sound();
    for wrong in ["0s", "0", "-5s", "-5", "soon", ""] {
        let time = format!("--time={wrong}");
        folder
            .run(&["check", &time])
            .exits(2)
            .says("write a duration such as 90s, 5m or 1h, or none");
    }
    folder
        .run(&["check", "--quick", "--time", "1m 30s"])
        .exits(0);
    folder.run(&["check", "--quick", "--time", "60"]).exits(0);
    folder.run(&["check", "--quick", "--time", "none"]).exits(0);
}

#[test]
fn the_slowest_sessions_are_listed() {
    let folder = Folder::sound();
    let output = folder.run(&["check", "--quick", "--durations=2"]);
    let (_, list) = output
        .stdout
        .split_once("slowest sessions:\n")
        .expect("a list");
    assert_eq!(list.lines().count(), 2, "{list}");
    folder
        .run(&["check", "--durations=few"])
        .exits(2)
        .says("write a number, or `all`");
}

#[test]
fn durations_are_not_part_of_machine_readable_reports() {
    let folder = Folder::sound();
    let output = folder.run(&["check", "--quick", "--durations", "--format", "json"]);
    for line in output.stdout.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("JSON lines alone");
    }
    assert!(
        output.stderr.contains("slowest sessions:"),
        "{}",
        output.all()
    );
}

#[test]
fn a_baseline_is_not_of_the_first_failure_alone() {
    Folder::sound()
        .run(&["check", "--baseline", "-x"])
        .exits(2)
        .says("--baseline");
}
