//! Policy text of any content is read or refused with a place; what is read is
//! checked, lined up, written and read again as the same.

use cfengine_policy::order::{Component, plan};
use cfengine_policy::{Sources, check, parse, print};
use cfengine_protocol::release::{Compat, RELEASES, Release};

/// Holds for any bytes, for each release.
pub fn run(bytes: &[u8]) {
    for release in &RELEASES {
        read(bytes, release);
    }
}

fn read(bytes: &[u8], release: &'static Release) {
    let mut sources = Sources::new();
    let file = sources.add("fuzz.cf", bytes);
    let policy = match parse(&sources, file, release) {
        Ok(policy) => policy,
        Err(problems) => {
            assert!(!problems.is_empty());
            for problem in problems {
                assert!(!problem.render("error", &sources).is_empty());
            }
            return;
        }
    };
    for problem in check::file(&policy, release) {
        assert!(!problem.render("error", &sources).is_empty());
    }
    check::whole(&policy, release);
    check::missing(&policy, release);
    for component in [
        Component::Agent,
        Component::Server,
        Component::Monitor,
        Component::EditLine,
    ] {
        plan(&policy, component, Compat::Deployed(release));
        plan(&policy, component, Compat::Specification);
    }
    let written = print(&policy);
    let file = sources.add("written.cf", written.clone());
    let again = parse(&sources, file, release).expect("what is written is read");
    assert_eq!(print(&again), written);
}
