//! The measured releases of cf-agent.

use cfengine_protocol::release::{Compat, RELEASES, Release, order};

#[test]
fn a_series_is_its_newest_release() {
    assert_eq!(Release::named("3.24").map(|it| it.version), Some("3.24.4"));
    assert_eq!(Release::named("3"), Some(Release::newest()));
    assert_eq!(Release::named("3.2"), None);
    assert_eq!(Release::named("3.24.1"), None);
    assert_eq!(Release::newest().numbers(), ["3", "28", "0"]);
}

#[test]
fn each_compat_name_resolves_to_its_own_release() {
    for name in Compat::names() {
        assert_eq!(Compat::named(name).map(Compat::name), Some(name));
    }
    assert_eq!(Compat::named("latest"), None);
}

#[test]
fn releases_are_sorted() {
    assert!(RELEASES.is_sorted_by_key(|release| order(release.version)));
}

#[test]
fn a_version_that_was_not_measured_has_a_nearest_one() {
    for (version, nearest) in [
        ("3.21.0", "3.21.0"),
        ("3.25.0", "3.24.4"),
        ("3.27.1a.1", "3.27.1"),
        ("4.0.0", "3.28.0"),
        ("3.18.2", "3.21.0"),
    ] {
        assert_eq!(Release::nearest(version).version, nearest, "{version}");
    }
}
