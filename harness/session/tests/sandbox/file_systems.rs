//! What is on which file system.

use super::{overlay, run_ok, start};
use stickler_session::sandbox::{Host, HostOptions, Tier};

/// A file in each of several places.
const PLACES: [&str; 6] = [
    "/tmp/stickler/dir",
    "/tmp/stickler/home",
    "/tmp",
    "/var/tmp",
    "/var",
    "/etc",
];

/// Makes a file in every place and tries to move and link it to every other place. Prints what
/// does not fail with EXDEV, and places of the same device.
const MOVES: &str = r#"python3 - <<'END'
import errno, itertools, os, sys
places = os.environ.get("PLACES", "").split()
writable = [place for place in places if os.access(place, os.W_OK)]
print(len(writable))
for one, other in itertools.permutations(writable, 2):
    if os.stat(one).st_dev == os.stat(other).st_dev:
        print("same device:", one, other)
    source, target = one + "/moved-from-here", other + "/moved-to-here"
    for call in os.rename, os.link:
        open(source, "w").close()
        if os.stat(source).st_dev == os.stat(other).st_dev:
            print("same device:", source, other)
        try:
            call(source, target)
            print(call.__name__, one, other)
        except OSError as error:
            if error.errno != errno.EXDEV:
                print(call.__name__, one, other, error)
for one in writable:
    source = one + "/moved-from-here"
    os.rename(source, one + "/moved")
    os.link(one + "/moved", source)
END"#;

#[test]
fn the_usual_places_are_separate_file_systems() {
    let Some(host) = overlay() else { return };
    let script = format!("export PLACES='{}'\n{MOVES}", PLACES.join(" "));
    let mut sandbox = start(&host, &[&script]);
    sandbox.snapshot().unwrap();
    let output = run_ok(&mut sandbox, 0);
    let mut lines = output.lines();
    let count: usize = lines.next().unwrap().parse().unwrap();
    assert!(count >= 4, "{output}");
    assert_eq!(lines.next(), None, "{output}");
    let made = sandbox.snapshot().unwrap();
    assert!(!made.truncated());
    for place in PLACES.iter().take(4) {
        for name in ["moved", "moved-from-here"] {
            let path = format!("{place}/{name}");
            assert!(made.get(&path).is_some(), "{path}");
        }
    }
}

#[test]
fn tmpdir_is_on_another_file_system_than_the_target() {
    let Some(host) = overlay() else { return };
    let script = "cd /tmp/stickler; : > tmp/a; : > home/b; stat -c %d dir tmp home bin dir2";
    let mut sandbox = start(&host, &[script]);
    let output = run_ok(&mut sandbox, 0);
    let devices: Vec<&str> = output.lines().collect();
    let [dir, tmp, home, bin, dir2] = devices[..] else {
        panic!("{output}");
    };
    assert_ne!(dir, tmp);
    assert_ne!(dir, home);
    assert_eq!([dir, dir], [bin, dir2]);
    let made = sandbox.snapshot().unwrap();
    let names = ["/tmp/stickler/tmp/a", "/tmp/stickler/home/b"];
    assert!(names.iter().all(|name| made.get(name).is_some()));
}

#[test]
fn files_of_the_machine_in_tmp_and_var_tmp_are_seen_and_their_changes_noticed() {
    let Some(host) = overlay() else { return };
    for place in ["/tmp", "/var/tmp"] {
        let folder = tempfile::tempdir_in(place).unwrap();
        std::fs::write(folder.path().join("old"), "old").unwrap();
        let path = folder.path().join("old").display().to_string();
        let mut sandbox = start(&host, &[&format!("cat {path}; echo new > {path}")]);
        assert_eq!(run_ok(&mut sandbox, 0), "old");
        let changed = sandbox.snapshot().unwrap();
        let entry = changed.get(&path).unwrap();
        assert_eq!(entry.content.as_deref(), Some(&b"new\n"[..]));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}

#[test]
fn sandboxes_are_separate_unless_they_share_the_network_or_files() {
    let Some(host) = overlay() else { return };
    assert!(host.separates());
    let shared = [
        HostOptions {
            network: true,
            ..HostOptions::default()
        },
        HostOptions {
            expose: vec!["/run".into()],
            ..HostOptions::default()
        },
    ];
    for options in shared {
        let host = Host::probe(Some(Tier::Overlay), options).unwrap();
        assert!(!host.separates());
    }
    let host = Host::probe(Some(Tier::None), HostOptions::default()).unwrap();
    assert!(!host.separates());
}
