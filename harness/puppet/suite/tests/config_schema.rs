//! The JSON Schema of `stickler.toml` for Puppet modules and the reader agree.

#[macro_use]
#[path = "../../../suite/tests/agreement/mod.rs"]
mod agreement;

use agreement::Agreement;
use puppet_suite::VOCABULARY;

const ALL: &str = r#"
[subject]
dialect = "resource-api"
types = ["package_key"]
path = "."
interpreter = "ruby"
interpreters = ["ruby3.1"]
runtimes = ["8+2.0"]
env = { NAME = "value" }
executes = ["command"]
sensitive = ["password"]

[subject.deadlines]
initialize = 1
load = 1
open = 1
canonicalize = 2.5
get = 60
insync = 1
set = 60
connect = 1
device = 1
verify = 1
facts = 1
generate = 1
close = 1

[fake]
systemctl = "Cargo.toml"

[[service]]
command = ["serve"]
ready = "http://127.0.0.1:8080/"

[target.switch]
transport = "nexus"
connection_info = { host = "127.0.0.1", port = 8022 }

[target.wrong]
transport = "nexus"
invalid = true

[[example]]
name = "one"
type = "package_key"
title = "a"
attributes = { text = "a", number = 1, float = 0.5, truth = true, list = ["a", ["b"]], hash = { a = "b" } }
target = "switch"
setup = [["mkdir", "{dir}/sub"]]
expect = ["changed", "ok"]
creates = { "{dir}/a" = { type = "file", mode = "0644", owner = "root", group = 0, content = "x" }, "{dir}/l" = { target = "a" } }
absent = ["{dir}/b"]
verify = [["true"]]

[[invalid]]
name = "two"
type = "package_key"
title = "b"
attributes = {}
target = "switch"
setup = []

[[xfail]]
rule = "RA609"
reason = "known"
until = 2027-06-01
example = "one"
type = "package_key"
field = "text"

[[waive]]
rule = "RA609"
reason = "known"
until = "2027-06-01"
example = "two"
type = "package_key"
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
    instead: &[
        (
            "interpreter = \"ruby\"\ninterpreters = [\"ruby3.1\"]\n",
            "command = [\"./provider\"]\n",
        ),
        ("types = [\"package_key\"]\n", "type = \"package_key\"\n"),
    ],
    open: &["NAME", "systemctl", "text", "a", "switch", "host"],
};

agree!(AGREEMENT, [11, 6]);

#[test]
fn both_reject_keys_and_values_of_another_dialect() {
    AGREEMENT.holds_for_mistakes(&[
        ("resource-api", "promise-module"),
        ("title = \"a\"", "promiser = \"a\""),
        (
            "\ntype = \"package_key\"\ntitle",
            "\npromise_type = \"package_key\"\ntitle",
        ),
        ("\"ok\"]", "\"kept\"]"),
        ("[\"ruby3.1\"]", "\"ruby3.1\""),
        ("sensitive = ", "open_attributes = true\nsensitive = "),
        ("[[example]]", "[[example]]\nraw_attributes = \"{}\""),
    ]);
}
