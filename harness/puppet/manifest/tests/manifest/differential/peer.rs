//! The real Puppet, in one Ruby process that compiles manifests.

use puppet_types::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The file as which it compiles all manifests.
    pub file: String,
}

/// What Puppet made of a manifest.
pub enum Compiled {
    Catalog { resources: Value, json: String },
    Error(Refused),
}

/// Puppet's error.
#[derive(Debug)]
pub struct Refused {
    pub message: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl Peer {
    pub fn start() -> Self {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/manifest/differential/peer.rb"
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
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut peer = Peer {
            child,
            input,
            output,
            file: String::new(),
        };
        // A first question: without Puppet there is no answer, and the test must say so.
        let answer = peer.ask(&Value::hash([("ask", Value::string("file"))]));
        let file = answer
            .as_ref()
            .and_then(|answer| answer.get("file")?.as_str());
        peer.file = file
            .expect("no answer from Ruby: are puppet-agent and ruby-puppet-resource-api installed? Run ci/setup")
            .to_owned();
        peer
    }

    fn ask(&mut self, question: &Value) -> Option<Value> {
        let input = self.input.as_mut().expect("a pipe");
        // A process that is gone shows in the missing answer.
        let _ = writeln!(input, "{}", question.encode());
        let mut line = String::new();
        let length = self.output.read_line(&mut line).expect("the peer writes");
        let read = || Value::parse(line.trim_end().as_bytes());
        (length > 0).then(|| read().unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// The catalog of a manifest, and what logs call its resources.
    pub fn paths(&mut self, text: &str) -> (String, Vec<String>) {
        let question = Value::hash([
            ("ask", Value::string("paths")),
            ("text", Value::string(text)),
        ]);
        let answer = self.ask(&question).expect("an answer");
        let paths = answer.get("paths").and_then(Value::as_array);
        let paths = paths.unwrap_or_else(|| panic!("{}", answer.encode()));
        let paths = paths.iter().filter_map(Value::as_str).map(str::to_owned);
        let json = answer.get("json").and_then(Value::as_str).expect("JSON");
        (json.to_owned(), paths.collect())
    }

    pub fn compile(&mut self, text: &str) -> Compiled {
        let question = Value::hash([
            ("ask", Value::string("compile")),
            ("text", Value::string(text)),
        ]);
        let answer = self.ask(&question).expect("an answer");
        if let Some(error) = answer.get("error") {
            let number = |key: &str| match error.get(key) {
                Some(Value::Integer(number)) => u32::try_from(number).ok(),
                _ => None,
            };
            return Compiled::Error(Refused {
                message: error
                    .get("message")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                line: number("line"),
                column: number("column"),
            });
        }
        Compiled::Catalog {
            resources: answer.get("resources").expect("resources").clone(),
            json: answer
                .get("json")
                .and_then(Value::as_str)
                .expect("JSON")
                .to_owned(),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // At the end of its input it removes its files and ends.
        self.input = None;
        let _ = self.child.wait();
    }
}
