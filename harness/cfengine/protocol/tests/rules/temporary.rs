//! Names of temporary files.

use cfengine_protocol::temporary::{lies_in_temporary, looks_temporary};

#[test]
fn files_in_a_temporary_directory_are_temporary() {
    assert!(lies_in_temporary(b"/x/.tree.x6MSzM", &[]));
    assert!(lies_in_temporary(b"/x/.tree.x6MSzM/a/b", &[]));
    assert!(lies_in_temporary(b"/x/a.tmp/b", &[]));
    assert!(lies_in_temporary(b"/x/stage.4711.x6MSzM/b", &[]));
    assert!(lies_in_temporary(b"/x/.stage-12-Ab3dEf", &[]));
    assert!(!lies_in_temporary(b"/x/report-2026-summary", &[]));
    assert!(!lies_in_temporary(b"/x/a.20260131-120000", &[]));
    assert!(!lies_in_temporary(b"/x/.config.backup/b", &[]));
    assert!(!lies_in_temporary(b"/x/tree.x6MSzM", &[]));
}

#[test]
fn names_of_programs_that_write_are_temporary() {
    for name in [
        "/x/a.tmp",
        "/x/.a.swp",
        "/x/tmp.Ab12Cd34Ef",
        "/x/tmpk3_x9a1q",
        "/x/.a.tmp.77",
    ] {
        assert!(looks_temporary(name.as_bytes(), &[]), "{name}");
    }
    assert!(looks_temporary(b"/x/.greeting.Xk29dPq1", &[b"greeting"]));
}

#[test]
fn ordinary_names_are_not() {
    for name in [
        "/x/a",
        "/x/tmp",
        "/x/a.bak",
        "/x/a~",
        "/x/greeting.backup",
        "/x/greeting.conf",
        "/x/greeting.sha256",
        "/x/greeting.md5sum",
        "/x/greeting.sha256sum",
        "/x/greeting.Backup",
        "/x/greeting.v2beta",
        "/x/greeting-rev2024",
        "/x/greeting.20260131",
        "/x/greeting.base64",
        "/x/.lock",
    ] {
        assert!(!looks_temporary(name.as_bytes(), &[b"greeting"]), "{name}");
    }
}
