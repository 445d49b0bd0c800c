//! `stickler agent` and parts of policies that it does not support.

use crate::cfengine::agent::{agent, policy, text};
use std::fs;
use std::path::Path;

/// Runs a policy with `--skip-unsupported`; returns what it prints.
fn skipping(folder: &Path, promises: &str) -> String {
    policy(folder, promises);
    let done = agent(folder, &["--skip-unsupported"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    text(&done.stdout)
}

#[test]
fn a_command_never_runs_outside_its_chroot() {
    let folder = tempfile::tempdir().expect("a folder");
    let sign = folder.path().join("ran");
    let promises = format!(
        "body contain apart {{ chroot => \"/none\"; }}\n\
         bundle agent main {{ commands: \"/bin/touch {}\" contain => apart;\n\
         reports: \"after\"; }}",
        sign.display()
    );
    let said = skipping(folder.path(), &promises);
    assert!(!sign.exists(), "{said}");
    assert!(
        said.contains("attribute 'chroot' is not supported"),
        "{said}"
    );
    assert!(said.contains("is not kept"), "{said}");
    assert!(said.contains("R: after"), "{said}");
}

#[test]
fn a_chroot_in_a_default_body_is_refused_when_it_applies() {
    let folder = tempfile::tempdir().expect("a folder");
    let sign = folder.path().join("ran");
    let promises = format!(
        "bundle agent main {{ commands: \"/bin/touch {}\"; reports: \"after\"; }}\n\
         body file control {{ namespace => \"bodydefault\"; }}\n\
         body contain commands_contain {{ chroot => \"/none\"; }}",
        sign.display()
    );
    policy(folder.path(), &promises);
    let done = agent(folder.path(), &[]);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stdout));
    assert!(text(&done.stderr).contains("attribute \"chroot\" is not supported"));
    let said = skipping(folder.path(), &promises);
    assert!(said.contains("R: after"), "{said}");
    assert!(!sign.exists());
}

#[test]
fn other_attributes_of_contain_bodies_are_obeyed_when_parts_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    let promises = format!(
        "bundle agent main {{ packages: \"p\" policy => \"present\";\n\
         commands: \"/bin/touch ran\" contain => within; }}\n\
         body contain within {{ chdir => \"{}/inner\"; umask => \"027\"; }}",
        folder.path().display()
    );
    skipping(folder.path(), &promises);
    let made = fs::metadata(folder.path().join("inner/ran")).expect("made there");
    let mode = std::os::unix::fs::PermissionsExt::mode(&made.permissions());
    assert_eq!(mode & 0o777, 0o640);
}

/// Promises of `files` with an attribute that is not supported, and its name.
const FILES: [(&str, &str); 6] = [
    (
        "create => \"true\", acl => a; } body acl a { acl_type => \"posix\"; \
         acl_method => \"overwrite\"; aces => { \"user:*:r\" }; }",
        "acl",
    ),
    (
        "create => \"true\", edit_xml => x; } bundle edit_xml x { build_xpath: \"/a\"; }",
        "edit_xml",
    ),
    (
        "create => \"true\", perms => p; } body perms p { bsdflags => { \"uappnd\" }; }",
        "bsdflags",
    ),
    (
        "create => \"true\", copy_from => c; }\n\
         body copy_from c { source => \"/etc/passwd\"; findertype => \"MacOSX\"; }",
        "findertype",
    ),
    (
        "delete => gone, file_select => f; } body delete gone { dirlinks => \"keep\"; }\n\
         body file_select f { search_bsdflags => { \"uappnd\" }; file_result => \"bsdflags\"; }",
        "search_bsdflags",
    ),
    (
        "create => \"true\", copy_from => c; }\n\
         body copy_from c { source => \"/etc/passwd\"; servers => { \"192.0.2.1\" }; }",
        "servers",
    ),
];

#[test]
fn nothing_is_done_to_a_file_without_an_attribute_that_is_not_supported() {
    for (rest, name) in FILES {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        let deletes = rest.starts_with("delete");
        if deletes {
            fs::write(&file, "kept").expect("written");
        }
        let promises = format!(
            "bundle agent main {{ files: \"{}\" {rest}\nbundle agent unused {{ }}",
            file.display()
        );
        let said = skipping(folder.path(), &promises);
        let message = format!("attribute '{name}' is not supported");
        assert!(said.contains(&message), "{name}: {said}");
        assert_eq!(file.exists(), deletes, "{name}: {said}");
    }
}

#[test]
fn attributes_that_only_affect_reports_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let promises = format!(
        "bundle agent main {{ files: \"{}\" create => \"true\", action => a; }}\n\
         body action a {{ log_kept => \"udp_syslog\"; log_string => \"x\"; }}",
        file.display()
    );
    let said = skipping(folder.path(), &promises);
    assert!(file.exists(), "{said}");
}
