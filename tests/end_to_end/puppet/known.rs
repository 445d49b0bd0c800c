//! Known failures of one type of a module.

use super::module;
use crate::cli::Folder;

/// A module with two types: the provider of one does not report what it creates.
fn silent() -> Folder {
    let folder = module("package_key");
    for file in [
        "lib/puppet/type/package_key.rb",
        "lib/puppet/provider/package_key/package_key.rb",
    ] {
        let text = folder.read(file);
        let text = text.replace("package_key", "silent_key");
        let text = text.replace("PackageKey", "SilentKey");
        let text = text.replace("package-keys.d", "silent-keys.d");
        let text = text.replace(
            "context.creating(name) { write(name, should) }",
            "write(name, should)",
        );
        folder.write(&file.replace("package_key", "silent_key"), &text);
    }
    let examples = ["archive", "other"].map(|title| {
        format!(
            "[[example]]\nname = \"{title} of {{type}}\"\ntype = \"{{type}}\"\ntitle = \"{title}\"\n\
             attributes = {{ ensure = \"present\", owner = \"x\", source = \"{{dir}}/a\" }}\n\
             setup = [[\"sh\", \"-c\", \"echo key > \\\"$1\\\"\", \"sh\", \"{{dir}}/a\"]]\n"
        )
    });
    let [one, other] = examples;
    let of = |kind: &str, example: &str| example.replace("{type}", kind);
    let text = [
        "[subject]\ndialect = \"resource-api\"\npath = \".\"\n".to_owned(),
        of("package_key", &one),
        of("silent_key", &one),
        of("silent_key", &other),
    ];
    let text = text.concat();
    folder.write("stickler.toml", &text);
    folder
}

#[test]
fn an_expectation_is_limited_to_a_type() {
    let folder = silent();
    let sound = folder.read("stickler.toml");
    let with = |kind: &str| {
        let entry = format!(
            "{sound}\n[[xfail]]\nrule = \"RA604\"\nreason = \"silent\"\ntype = \"{kind}\"\n"
        );
        folder.write("stickler.toml", &entry);
        folder.run(&["check", "--quick", "--strict", "--select", "RA604"])
    };
    with("silent_key").exits(0).says("1 xfail");
    with("package_key").exits(1).says("RA604");
    with("other")
        .exits(2)
        .says("no type \"other\"")
        .says("package_key");
    // A baseline finds the type.
    folder.write("stickler.toml", &sound);
    folder
        .run(&["check", "--select", "RA604", "--baseline"])
        .exits(0)
        .says("1 known failure written");
    assert!(
        folder
            .read("stickler.toml")
            .ends_with("\ntype = \"silent_key\"\n"),
        "{}",
        folder.read("stickler.toml")
    );
}

#[test]
fn a_session_about_one_type_has_its_type() {
    let folder = silent();
    // A mistake in a definition shows without any resource.
    folder.replace(
        "lib/puppet/type/silent_key.rb",
        "behaviour: :parameter",
        "behaviour: :param",
    );
    let described = "[subject]\ndialect = \"resource-api\"\npath = \".\"\n";
    folder.write("stickler.toml", described);
    let check = ["check", "--quick", "--select", "RA106"];
    folder.run(&check).exits(1).says("RA106");
    folder
        .run(&[&check[..], &["--baseline"]].concat())
        .exits(0)
        .says("1 known failure written");
    let text = folder.read("stickler.toml");
    assert!(text.ends_with("\ntype = \"silent_key\"\n"), "{text}");
    folder.run(&check).says("1 xfail");
    let waived = text.replace("[[xfail]]", "[[waive]]");
    folder.write("stickler.toml", &waived);
    folder.run(&check).says("1 waived");
    let other = waived.replace("type = \"silent_key\"", "type = \"package_key\"");
    folder.write("stickler.toml", &other);
    folder.run(&check).exits(1).says("RA106");
}
