//! Type aliases: those of the module, and those of modules that are not here.

use super::{module, with_verdict};
use crate::calls::is_nightly;
use crate::cli::{Folder, Output};
use crate::common::side_by_side;

const OWNER: &str = "'Optional[Pattern[/\\A[^\\n\\x00]{1,200}\\z/]]'";
const LETTERS: &str = "Pattern[/\\A[^\\n\\x00]{1,200}\\z/]";

/// The names and texts of files below `types`.
type Files<'a> = &'a [(&'a str, &'a str)];

/// A sound module with another type of an attribute, and the files of these aliases.
fn typed(own: &str, files: Files<'_>) -> Folder {
    let folder = module("package_key");
    folder.replace("lib/puppet/type/package_key.rb", OWNER, own);
    folder.write("metadata.json", "{\"name\": \"me-keys\"}");
    for (name, text) in files {
        folder.write(&format!("types/{name}.pp"), text);
    }
    folder
}

fn verdicts(output: &Output) -> (bool, bool, bool) {
    let has = |verdict| with_verdict(output, &[verdict]).contains("RA105");
    (has("pass"), has("fail"), has("skipped"))
}

#[test]
fn aliases_of_types_are_followed() {
    let owner = format!("type Keys::Owner = {LETTERS}");
    let nested = "type Keys::Owner = Keys::Text::Short";
    let text = format!("# Short texts.\ntype Keys::Text::Short = {LETTERS}\n");
    let optional = "'Optional[Keys::Owner]'";
    let tree = format!("type Keys::Owner = Variant[{LETTERS}, Array[Keys::Owner, 1]]");
    let none: Files<'_> = &[];
    let cases: &[(&str, &str, Files<'_>, _)] = &[
        ("own", optional, &[("owner", &owner)], (true, false, false)),
        (
            "own of another one",
            optional,
            &[("owner", nested), ("text/short", &text)],
            (true, false, false),
        ),
        (
            "of another module",
            "'Optional[Stdlib::Email]'",
            none,
            (false, false, true),
        ),
        (
            "recursive",
            optional,
            &[("owner", &tree)],
            (false, false, true),
        ),
        ("missing", optional, none, (false, true, false)),
        (
            "of another name",
            optional,
            &[("owner", "type Keys::Other = String")],
            (false, true, false),
        ),
        (
            "broken",
            optional,
            &[("owner", "type Keys::Owner = String[")],
            (false, true, false),
        ),
    ];
    side_by_side(cases, |(what, own, files, expected)| {
        let folder = typed(own, files);
        let check = ["check", "--quick", "--strict", "--format", "json"];
        let part: &[&str] = match is_nightly() {
            true => &[],
            false => &["--sessions-for", "RA105"],
        };
        let output = folder.run(&[&check[..], part].concat());
        assert_eq!(verdicts(&output), *expected, "{what}: {}", output.stdout);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        let others: Vec<_> = failed.iter().filter(|rule| **rule != "RA105").collect();
        // A name that stands for nothing takes no value.
        assert!(
            others.is_empty() || *what == "missing",
            "{what}: {failed:?}"
        );
        output.exits(i32::from(expected.1));
    });
}

#[test]
fn values_of_aliases_are_judged_and_made_up() {
    // `get` returns owners with other letters.
    let strict = [("owner", "type Keys::Owner = Enum[nobody]")];
    let folder = typed("'Optional[Keys::Owner]'", &strict);
    folder
        .run(&["check"])
        .exits(2)
        .says("is refused by Puppet itself: `owner` is not of the type");
    let folder = typed(
        "'Optional[Keys::Owner]'",
        &[("owner", "type Keys::Owner = String")],
    );
    let output = folder.run(&["check", "--quick", "--format", "json"]);
    // Owners may now have newlines, which the file cannot hold.
    assert!(
        !with_verdict(&output, &["fail"]).is_empty(),
        "{}",
        output.stdout
    );
    folder
        .run(&["fuzz", "--cases", "10", "--seed", "1"])
        .says_not("unknown");
}
