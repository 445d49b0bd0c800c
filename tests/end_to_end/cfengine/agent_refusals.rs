//! What the reference agent does not support: it says so once, with the place.

use crate::cli::{Folder, Output};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn run(text: &str, more: &[&str]) -> Output {
    let folder = Folder::empty();
    let path = folder.write("p.cf", text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("permissions");
    folder.run(&[&["agent", "-K", "-f", "./p.cf"], more].concat())
}

const GUARDED: &str = "bundle agent main\n{\n  vars:\n    linux::\n      \
    \"x\" slist => hostsseen(\"inf\", \"lastseen\", \"name\");\n  reports:\n      \"a\";\n}\n";

#[test]
fn a_refused_function_is_named_once_with_its_place() {
    let place = "./p.cf:5:20: function \"hostsseen\" is not supported by the reference agent";
    for (more, code) in [(&[][..], 2), (&["--skip-unsupported"][..], 0)] {
        let done = run(GUARDED, more);
        done.exits(code).says(place);
        let said = done.all().matches("is not supported").count();
        assert_eq!(said, 1, "{}", done.all());
    }
}

#[test]
fn lists_of_all_variables_mark_those_that_are_missing() {
    let policy = "bundle agent main\n{\n  vars:\n      \"all\" data => datastate();\n      \
        \"names\" slist => variablesmatching(\"default:sys\\.inet6\");\n      \
        \"values\" data => variablesmatching_as_data(\"default:sys\\.interfaces_.*\");\n  \
        reports:\n      \"$(all[vars][sys][inet])\";\n      \"name $(names)\";\n      \
        \"$(values[default:sys.interfaces_data])\";\n}\n";
    run(policy, &[])
        .exits(0)
        .says("R: sys.inet is not supported by the reference agent")
        .says("R: name default:sys.inet6")
        .says("R: sys.interfaces_data is not supported by the reference agent");
}
