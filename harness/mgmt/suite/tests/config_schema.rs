//! The JSON Schema of `stickler.toml` for mgmt resources and the reader agree.

#[macro_use]
#[path = "../../../suite/tests/agreement/mod.rs"]
mod agreement;

use agreement::Agreement;
use mgmt_suite::VOCABULARY;

const ALL: &str = r#"
[subject]
dialect = "mgmt"
kinds = ["note"]
path = "."
tags = ["netgo"]
init = "Fill"
overlay = { "made.txt" = "Cargo.toml" }
env = { NAME = "value" }
sensitive = ["password"]

[subject.deadlines]
initialize = 1
describe = 1
new = 1
set = 1
validate = 1
init = 2.5
checkapply = 60
watch = 1
await = 10
cancel = 10
cleanup = 1

[fake]
systemctl = "Cargo.toml"

[[service]]
command = ["serve"]
ready = "http://127.0.0.1:8080/"

[[example]]
label = "one"
kind = "note"
name = "a"
fields = { text = "a", number = 1, float = 0.5, truth = true, list = ["a", ["b"]], hash = { a = "b" } }
setup = [["mkdir", "{dir}/sub"]]
drift = [["rm", "{dir}/a"]]
expect = ["changed", "ok"]
creates = { "{dir}/a" = { type = "file", mode = "0644", owner = "root", group = 0, content = "x" }, "{dir}/l" = { target = "a" } }
absent = ["{dir}/b"]
verify = [["true"]]

[[invalid]]
label = "two"
kind = "note"
name = "b"
fields = {}
setup = []

[[xfail]]
rule = "MR403"
reason = "known"
until = 2027-06-01
example = "one"
kind = "note"
field = "text"

[[waive]]
rule = "MR403"
reason = "known"
until = "2027-06-01"
example = "two"
kind = "note"
field = "text"

[effects]
ignore = ["/var/lib/x/**"]

[sandbox]
tier = "copy"
network = false
expose = ["/run/x"]
"#;

const AGREEMENT: Agreement = Agreement {
    words: &VOCABULARY,
    all: ALL,
    instead: &[("kinds = [\"note\"]\n", "kind = \"note\"\n")],
    open: &["NAME", "systemctl", "text", "a", "made.txt"],
};

agree!(AGREEMENT, [2, 2]);

#[test]
fn both_reject_keys_and_values_of_another_dialect() {
    AGREEMENT.holds_for_mistakes(&[
        ("\"mgmt\"", "\"promise-module\""),
        ("name = \"a\"", "promiser = \"a\""),
        ("\nkind = \"note\"\nname", "\ntype = \"note\"\nname"),
        ("tags = [\"netgo\"]", "interpreters = [\"ruby\"]"),
    ]);
}
