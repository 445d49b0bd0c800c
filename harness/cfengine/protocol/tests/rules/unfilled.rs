//! Places in a log message that never got a value.

use cfengine_protocol::unfilled::find;

#[track_caller]
fn finds(message: &str, place: &str) {
    assert_eq!(find(message, &[b"colour"]), Some(place), "{message}");
}

#[track_caller]
fn ignores(message: &str) {
    assert_eq!(find(message, &[b"colour"]), None, "{message}");
}

#[test]
fn places_for_values_are_found() {
    finds("Cannot write '{}'", "{}");
    finds("File {} is missing", "{}");
    finds("Moved {0} to {1}", "{0}");
    finds("Cannot write {path}: {e.strerror}", "{path}");
    finds("Cannot read: {err!r}", "{err!r}");
    finds("Wrote ${path}", "${path}");
    finds("Set {colour}", "{colour}");
    finds("Cannot open %s: %s", "%s");
    finds("Waited (%d) seconds", "%d");
    finds("Created 'None'", "None");
    finds("User \"undefined\" is not known", "undefined");
    finds("Wrote <nil>", "<nil>");
    finds("Wrote %!s(MISSING)", "%!s(MISSING)");
}

#[test]
fn data_formats_and_commands_are_not() {
    for message in [
        "Attributes: {}",
        "options={}, mode=0644",
        "Wrote {\"a\": {}} to /x",
        "got {'mode': None}",
        "Running find /x -exec rm {} \\;",
        "Ran xargs -I {} rm {}",
        "must match [a-z]{3}",
        "Running stat -c %s /x",
        "'%Y-%m-%d' is no date",
        "100% done",
        "date +%s failed",
        "must contain %s",
        "the template has no {name}",
        "unresolved variable ${name}",
        "Ran awk '{print}'",
        "one of {present}",
        "/users/{id} is not there",
        "None of the files is missing",
        "Changes: None",
        "the variable is undefined",
        "undefined method",
        "a brace } alone",
        "a brace { alone",
    ] {
        ignores(message);
    }
}
