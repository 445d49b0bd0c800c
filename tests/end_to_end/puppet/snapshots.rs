//! `stickler snap` on Puppet modules.

use super::module;

#[test]
fn a_conversation_is_snapshot_as_text() {
    let folder = module("trusted_fingerprint");
    folder.run(&["snap"]).exits(1).says("4 new in snapshots");
    folder.run(&["snap", "--accept"]).exits(0);
    let text = folder.read("snapshots/trusted_fingerprint__written_in_another_way.snap");
    insta::with_settings!({ snapshot_path => "../../../snapshots/cli" }, {
        insta::assert_snapshot!("a_conversation_with_a_provider", text);
    });
    let file = "lib/puppet/provider/trusted_fingerprint/trusted_fingerprint.rb";
    folder.replace(file, ".upcase", ".upcase.reverse");
    folder
        .run(&["snap"])
        .exits(1)
        .says("CHANGED")
        .says("- ← fingerprint: \"6F6B15509CF8E59E\"")
        .says("+ ← fingerprint: \"E95E8FC90551B6F6\"");
}

#[test]
fn snapshots_are_stable_and_hold_no_secret() {
    for name in ["api_credential", "nexus", "registry_entry", "software_pin"] {
        let folder = module(name);
        folder.run(&["snap", "--accept"]).exits(0);
        folder.run(&["snap"]).exits(0).says("unchanged");
        for file in folder.list("snapshots") {
            let text = folder.read(&format!("snapshots/{file}"));
            assert!(!text.contains("correct horse"), "{text}");
            let is_whole = text.contains("→ ") || text.contains("invalid resource");
            assert!(is_whole, "{name}: {file}:\n{text}");
        }
    }
}

#[test]
fn recordings_are_snapshot() {
    let folder = module("package_key");
    folder.write("key.asc", "key\n");
    let source = folder.path().join("key.asc");
    let code = format!(
        "package_key {{ 'archive': source => '{}', noop => true }}",
        source.display()
    );
    folder
        .run(&["apply", "-e", &code, "--record", "calls.jsonl"])
        .exits(0);
    folder
        .run(&["snap", "--recorded", "calls.jsonl", "--accept"])
        .exits(0);
    let files = folder.list("snapshots");
    let text = folder.read(&format!("snapshots/{}", files[0]));
    assert!(
        text.contains("→ get package_key\n← no resource\n"),
        "{text}"
    );
}
