//! The real Puppet, in one Ruby process that answers questions.

use puppet_types::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    pub fn start() -> Self {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/types/differential/peer.rb"
        );
        let mut child = Command::new("ruby")
            // Ruby would add hints to its messages.
            .args([
                "-W0",
                "--disable=did_you_mean",
                "--disable=error_highlight",
                script,
            ])
            .env("LANG", "C.UTF-8")
            .env("HOME", std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ruby: run ci/setup");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut peer = Peer {
            child,
            input,
            output,
        };
        // A first question: without Puppet there is no answer, and the test must say so.
        peer.write(&question("inspect", vec![("values", Value::Array(vec![]))]));
        assert!(
            peer.read().is_some(),
            "no answer from Ruby: are puppet-agent and ruby-puppet-resource-api installed? Run ci/setup"
        );
        peer
    }

    fn write(&mut self, question: &Value) {
        writeln!(self.input, "{}", question.encode()).expect("the peer reads");
    }

    fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line).expect("the peer writes");
        if length == 0 {
            return None;
        }
        Some(
            Value::parse(line.trim_end().as_bytes()).unwrap_or_else(|error| {
                panic!("{error}: {line}");
            }),
        )
    }

    /// One question, one answer. Ruby's hash of strings comes as one of symbols.
    pub fn ask(&mut self, question: &Value) -> Value {
        self.write(question);
        self.read().expect("an answer")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn question(ask: &str, mut members: Vec<(&'static str, Value)>) -> Value {
    members.insert(0, ("ask", Value::string(ask)));
    Value::hash(members)
}
