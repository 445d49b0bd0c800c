//! The JSON Schema of `stickler.toml` for promise modules and the reader agree.

#[macro_use]
#[path = "../../../../suite/tests/agreement/mod.rs"]
mod agreement;

use agreement::Agreement;
use cfengine_suite::VOCABULARY;
use stickler_suite::Vocabulary;

/// The same with typed values.
static TYPED: Vocabulary = Vocabulary {
    typed: true,
    ..VOCABULARY
};

const ALL: &str = r#"
[subject]
dialect = "promise-module"
promise_types = ["greeting"]
interpreter = "/usr/bin/python3"
path = "Cargo.toml"
env = { NAME = "value" }
executes = ["command"]
sensitive = ["password"]
open_attributes = true
agents = ["3.24", "3.28.0"]
deadlines = { header = 1, validate = 2.5, evaluate = 60, terminate = 3 }

[fake]
systemctl = "Cargo.toml"

[[service]]
command = ["serve"]
ready = "http://127.0.0.1:8080/"

[[example]]
name = "one"
promise_type = "greeting"
promiser = "{dir}/one"
attributes = { text = "a", number = 1, truth = true, list = ["a", ["b"]], container = { a = "b" } }
raw_attributes = '{"exact": "a"}'
setup = [["mkdir", "{dir}/sub"]]
expect = ["repaired", "kept"]
classes = ["a"]
creates = { "{dir}/a" = { type = "file", mode = "0644", owner = "root", group = 0, content = "x" }, "{dir}/l" = { target = "a" } }
absent = ["{dir}/b"]
verify = [["true"]]

[[invalid]]
name = "two"
promise_type = "greeting"
promiser = "two"
attributes = {}
raw_attributes = '{}'
setup = []

[[xfail]]
rule = "PM203"
reason = "known"
until = 2027-06-01
example = "one"
promise_type = "greeting"
field = "text"

[[waive]]
rule = "PM203"
reason = "known"
until = "2027-06-01"
example = "two"
promise_type = "greeting"
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
            "interpreter = \"/usr/bin/python3\"\n",
            "command = [\"sh\", \"-c\", \"true\"]\n",
        ),
        (
            "promise_types = [\"greeting\"]\n",
            "promise_type = \"greeting\"\n",
        ),
    ],
    open: &["NAME", "systemctl", "text", "a"],
};

agree!(AGREEMENT, [11, 6]);

#[test]
fn the_same_holds_for_a_dialect_with_typed_values() {
    let words = &TYPED;
    Agreement { words, ..AGREEMENT }.holds_for_each_value();
}

#[test]
fn both_reject_keys_and_values_of_another_dialect() {
    AGREEMENT.holds_for_mistakes(&[
        ("\"promise-module\"", "\"resource-api\""),
        ("promiser = \"{dir}/one\"", "title = \"{dir}/one\""),
        (
            "\npromise_type = \"greeting\"\npromiser",
            "\ntype = \"greeting\"\npromiser",
        ),
        ("\"3.28.0\"", "\"3.25.1\""),
        ("[\"3.24\", \"3.28.0\"]", "[]"),
        ("open_attributes = true", "interpreters = [\"python3\"]"),
        ("[\"repaired\", \"kept\"]", "[\"changed\", \"ok\"]"),
        (
            "[effects]",
            "[target.switch]\ntransport = \"nexus\"\n[effects]",
        ),
    ]);
}
