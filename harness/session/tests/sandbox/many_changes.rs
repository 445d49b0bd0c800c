//! More changes than a session records.

use super::{lines, overlay, run_ok, start};
use std::time::{Duration, Instant};
use stickler_session::effects::SNAPSHOT_ENTRIES;

#[test]
fn differences_are_bounded_and_say_that_there_are_more() {
    let Some(host) = overlay() else { return };
    let script = "cd /tmp/stickler/dir; seq 50 | sed 's/^/f/' | xargs touch";
    let mut sandbox = start(&host, &[script]);
    let before = sandbox.snapshot().unwrap();
    run_ok(&mut sandbox, 0);
    let after = sandbox.snapshot().unwrap();
    let all = lines(&after, &before);
    assert_eq!(all.len(), 50);
    let (first, more) = after.diff_up_to(&before, 20);
    assert!(more);
    let shown: Vec<_> = first.iter().map(|change| change.path.lossy()).collect();
    let expected: Vec<_> = all.iter().take(20).map(|line| &line[8..]).collect();
    assert_eq!(shown, expected);
    assert!(!after.diff_up_to(&before, 50).1);
}

#[test]
fn files_beyond_a_full_snapshot_do_not_appear_later() {
    let Some(host) = overlay() else { return };
    let many = SNAPSHOT_ENTRIES + 10_000;
    let make = format!("cd /tmp/stickler/dir; seq {many} | sed 's/^/f/' | xargs touch");
    let more = "cd /tmp/stickler/dir; : > another";
    let mut sandbox = start(&host, &[&make, more]);
    run_ok(&mut sandbox, 0);
    let before = sandbox.snapshot().unwrap();
    assert!(before.truncated());
    run_ok(&mut sandbox, 1);
    let after = sandbox.snapshot().unwrap();
    let (changes, more) = after.diff_up_to(&before, 100);
    assert!(more);
    assert!(changes.len() <= 1, "{:?}", lines(&after, &before));
}

#[test]
fn two_hundred_thousand_files_and_deep_trees_are_read_quickly() {
    let Some(host) = overlay() else { return };
    let deep = r#"python3 - <<'END'
import os
os.chdir("/tmp/stickler/dir")
try:
    for number in range(200_000):
        os.close(os.open(f"file-{number}", os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
os.chdir("/var/tmp")
try:
    for _ in range(2_000):
        os.mkdir("d" * 100)
        os.chdir("d" * 100)
except OSError:
    pass
END"#;
    let mut sandbox = start(&host, &[deep]);
    let before = sandbox.snapshot().unwrap();
    run_ok(&mut sandbox, 0);
    let began = Instant::now();
    for _ in 0..3 {
        let after = sandbox.snapshot().unwrap();
        assert!(after.truncated());
        // The roots themselves are always listed.
        assert!(after.entries().count() < SNAPSHOT_ENTRIES + 100);
        assert_eq!(after.diff_up_to(&before, 100).0.len(), 100);
    }
    assert!(began.elapsed() < Duration::from_secs(10));
}
