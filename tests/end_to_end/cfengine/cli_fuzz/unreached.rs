//! What a campaign never reached, and why.

use super::{as_published, planted, summary};
use crate::cli::Folder;

/// A module that refuses one attribute, and needs a program that is not there.
const MODULE: &str = r#"
import subprocess
import sys
from base import Module


class Subject(Module):
    def problems(self, promiser, attributes):
        if "owner" in attributes:
            yield "Owners need a newer release"
        yield from super().problems(promiser, attributes)

    def evaluate(self, request):
        try:
            subprocess.run(["frobnicate"], check=True)
        except FileNotFoundError as error:
            print(f"FileNotFoundError: {error}", file=sys.stderr)
        else:
            self.log("info", "frobnicate worked")
        if "owner" in request["attributes"]:
            self.chown(request)
        if request["promiser"] == "nobody says this":
            return self.kept(request)
        return super().evaluate(request)


Subject().main()
"#;

fn picky() -> Folder {
    let folder = planted("magic_value");
    folder.write("module.py", MODULE);
    let text = folder.read("stickler.toml");
    let more = "[[example]]\nname = \"an owner\"\npromiser = \"{dir}/owned\"\n\
                attributes = { message = \"hello\", owner = \"root\" }\n";
    folder.write("stickler.toml", &format!("{text}\n{more}"));
    folder
}

const FUZZ: [&str; 9] = [
    "fuzz", "--cases", "120", "--seed", "1", "--jobs", "1", "--ignore", "PM5",
];

/// What a summary says of one thing: nothing if it was reached, or the hint.
fn hint(summary: &serde_json::Value, what: &str, name: &str) -> Option<serde_json::Value> {
    let mut all = summary["unreached"].as_array().expect("a list").iter();
    let one = all.find(|one| one["what"] == what && one["name"] == name);
    one.map(|one| one["hint"].clone())
}

#[test]
fn the_report_shows_unreached_parts_with_evidence_for_the_reason() {
    let folder = picky();
    let output = folder.run(&[&FUZZ[..], &["--report", "page", "--format", "json"]].concat());
    as_published(&output);
    let summary = summary(&output);
    let refused = "refused";
    for (what, name) in [("attribute", "owner"), ("example", "an owner")] {
        let hint = hint(&summary, what, name).expect(name);
        let hint = hint.as_str().expect("a hint");
        assert!(hint.contains(refused), "{hint}");
        assert!(hint.ends_with("Owners need a newer release"), "{hint}");
    }
    let missing = hint(&summary, "missing", "frobnicate").expect("it is missing");
    assert!(missing.to_string().contains("No such file or directory"));
    assert_eq!(hint(&summary, "attribute", "message"), None);
    assert_eq!(hint(&summary, "example", "a greeting"), None);
    assert_eq!(hint(&summary, "outcome", "repaired"), None);
    // Lines have a hint only if they name something that was never reached.
    let of = |line: &str| {
        let number = MODULE.lines().position(|text| text.trim() == line);
        let number = number.expect("a line") + 1;
        hint(&summary, "lines", &format!("module.py:{number}")).expect("it never ran")
    };
    let worked = of("self.log(\"info\", \"frobnicate worked\")").to_string();
    assert!(
        worked.starts_with("\"`frobnicate` is missing: "),
        "{worked}"
    );
    let owned = of("self.chown(request)").to_string();
    assert!(owned.contains("Owners need a newer release"), "{owned}");
    assert!(of("return self.kept(request)").is_null());
    let page = folder.read("page/index.html");
    for text in [
        "<h2 id=\"unreached\">Never reached",
        "The module did not find <code>frobnicate</code>",
        "of module.py never ran",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn a_module_without_lines_shows_attributes_and_outcomes_that_were_never_reached() {
    let folder = picky();
    // Nothing is ever repaired.
    folder.replace(
        "module.py",
        "return super().evaluate(request)",
        "return self.kept(request)",
    );
    let output = folder.run(&[&FUZZ[..], &["--coverage", "off"]].concat());
    output
        .says("never reached:")
        .says("the example \"an owner\" was never evaluated (sent ")
        .says("no accepted promise had the attribute `owner`");
    let output = folder.run(&[&FUZZ[..], &["--coverage", "off", "--format", "json"]].concat());
    let summary = summary(&output);
    let repaired = hint(&summary, "outcome", "repaired").expect("it never was");
    let said = repaired.as_str().expect("a hint");
    assert!(
        said.starts_with("none of ") && said.ends_with(" evaluations had it"),
        "{said}"
    );
    assert!(hint(&summary, "outcome", "not_kept").is_some());
    assert_eq!(hint(&summary, "outcome", "kept"), None);
}
