//! Modules made up by tests, and conversations with the host.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// A Puppet module in a temporary folder.
pub struct Module {
    folder: TempDir,
}

impl Module {
    pub fn new() -> Module {
        let folder = tempfile::tempdir().expect("a folder");
        Module { folder }
    }

    /// The module's `lib`.
    pub fn lib(&self) -> PathBuf {
        self.folder.path().join("lib")
    }

    /// Adds a file below `lib/puppet`.
    pub fn file(self, name: &str, text: &str) -> Module {
        let path = self.lib().join("puppet").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    /// Adds a file with facts.
    pub fn fact(self, name: &str, text: &str) -> Module {
        self.file(&format!("../facter/{name}.rb"), text)
    }

    /// Adds a type with a namevar, `ensure`, and more attributes.
    pub fn kind(self, name: &str, more: &str) -> Module {
        let text = format!(
            "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(\n  name: '{name}', desc: 'x',\n  \
             attributes: {{\n    ensure: {{ type: 'Enum[present, absent]', desc: 'x' }},\n    \
             name: {{ type: 'String', desc: 'x', behaviour: :namevar }},\n    {more}\n  }}\n)\n"
        );
        self.file(&format!("type/{name}.rb"), &text)
    }

    /// Adds the provider of a type; `body` is what the class holds.
    pub fn provider(self, name: &str, body: &str) -> Module {
        self.provider_below(name, "", body)
    }

    /// Adds a provider that inherits from SimpleProvider.
    pub fn simple(self, name: &str, body: &str) -> Module {
        self.provider_below(name, " < Puppet::ResourceApi::SimpleProvider", body)
    }

    fn provider_below(self, name: &str, above: &str, body: &str) -> Module {
        let constant = camel(name);
        let text = format!(
            "require 'puppet/resource_api/simple_provider'\n\
             class Puppet::Provider::{constant}::{constant}{above}\n{body}\nend\n"
        );
        self.file(&format!("provider/{name}/{name}.rb"), &text)
    }

    /// A host for this module.
    pub fn host(&self) -> Host {
        self.host_with(&json!({}))
    }

    /// A host with other parameters of `initialize`.
    pub fn host_with(&self, params: &Value) -> Host {
        let mut host = Host::start(&self.lib());
        let mut all = json!({"protocol": 1, "runtime": "1.8.16", "path": [self.lib()]});
        for (key, value) in params.as_object().expect("an object") {
            all[key] = value.clone();
        }
        host.call("initialize", &all);
        host
    }
}

/// `a_b` as `AB`.
pub fn camel(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

/// A folder of `fixtures/providers`.
pub fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/providers");
    folder.join(name).canonicalize().expect("the fixture")
}

/// A running host.
pub struct Host {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    number: u64,
    /// The events of the last call.
    pub logs: Vec<Value>,
    /// What the host asked before it connected, since the start.
    pub asked: Vec<Value>,
    /// What it gets as an answer.
    pub refused: Value,
    // Removed at the end.
    _files: TempDir,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Host {
    /// Starts a host that speaks on stdin and stdout.
    pub fn start(folder: &Path) -> Host {
        Host::start_by(folder, "exec ruby --disable-gems \"$0\"")
    }

    /// Starts a host by a shell command, in which `$0` is the entry.
    pub fn start_by(folder: &Path, command: &str) -> Host {
        Host::start_in(folder, command, &[])
    }

    /// Starts a host by a shell command, with more variables.
    pub fn start_in(folder: &Path, command: &str, variables: &[(&str, &Path)]) -> Host {
        let files = tempfile::tempdir().expect("a folder");
        let entry = puppet_host::HOST.install(files.path()).expect("the host");
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .arg(entry)
            .current_dir(folder)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", folder)
            .env("LANG", "C.UTF-8")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ruby, which ci/setup installs");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        Host {
            child,
            to,
            from,
            number: 0,
            logs: Vec::new(),
            asked: Vec::new(),
            refused: Value::Null,
            _files: files,
        }
    }

    /// Sends a line, and reads the next one.
    pub fn exchange(&mut self, line: &[u8]) -> String {
        let to = self.to.as_mut().expect("an open channel");
        to.write_all(line).expect("a written request");
        self.read()
    }

    pub fn read(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("a line in UTF-8");
        line
    }

    /// The whole answer to a request: notifications before it go to `logs`.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        let mut line = self.exchange(format!("{request}\n").as_bytes());
        self.logs.clear();
        loop {
            let message: Value = serde_json::from_str(&line).expect("a message");
            assert_eq!(message["jsonrpc"], "2.0");
            if message.get("id").is_some() {
                assert_eq!(message["id"], self.number);
                return message;
            }
            if message["method"] == "connecting" {
                let params = json!({"refused": self.refused});
                let reply = json!({"jsonrpc": "2.0", "method": "connecting", "params": params});
                self.asked.push(message["params"].clone());
                line = self.exchange(format!("{reply}\n").as_bytes());
                continue;
            }
            assert_eq!(message["method"], "log");
            self.logs.push(message["params"].clone());
            line = self.read();
        }
    }

    /// The result of a request that succeeds.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// The error of a request that fails.
    pub fn fail(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_some(), "{answer}");
        answer["error"].clone()
    }

    /// Loads a type, and opens its provider.
    pub fn open(&mut self, name: &str) -> Value {
        self.call("load", &json!({"type": name}));
        self.call("open", &json!({"type": name}))["provider"].clone()
    }

    /// How much memory the host uses, in kilobytes.
    pub fn resident(&self) -> u64 {
        let text =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("a size");
        let number = line.trim().trim_end_matches("kB").trim();
        number.parse().expect("a number")
    }

    /// Ends the host by closing its channel; its exit code.
    pub fn end(mut self) -> Option<i32> {
        self.to = None;
        self.child.wait().expect("an exit").code()
    }
}
