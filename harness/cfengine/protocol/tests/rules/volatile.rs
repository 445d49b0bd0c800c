//! Names that differ from run to run.

use cfengine_protocol::volatile::is_dated_alike;

#[test]
fn names_with_other_dates_and_numbers_are_alike() {
    for (one, other) in [
        ("/x/a.20260131-120000", "/x/a.20260131-120001"),
        (
            "/x/a.conf.2026-01-31T12:00:00Z",
            "/x/a.conf.2026-01-31T12:00:01Z",
        ),
        ("/x/backup-9/a", "/x/backup-10/a"),
        ("/x/.a.20260131T120000Z.bak", "/x/.a.20260131T120059Z.bak"),
    ] {
        assert!(is_dated_alike(one.as_bytes(), other.as_bytes()), "{one}");
    }
    for (one, other) in [
        ("/x/a", "/x/a"),
        ("/x/a.1", "/x/b.2"),
        ("/x/1", "/x/2"),
        ("/x/a.conf", "/x/a.conf.1"),
        ("/x/a.old", "/x/a.new"),
        ("/x/a.1", "/y/a.2"),
    ] {
        assert!(!is_dated_alike(one.as_bytes(), other.as_bytes()), "{one}");
    }
}
