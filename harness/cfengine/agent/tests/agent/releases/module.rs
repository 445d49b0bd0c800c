//! Plays the modules of a situation.

use cfengine_agent::{Behind, ModuleHost};
use cfengine_conform::{Action, Noted, Script, What};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The modules, and what they got.
#[derive(Debug)]
pub struct Modules {
    scripts: BTreeMap<String, Script>,
    processes: Mutex<Vec<Process>>,
}

#[derive(Debug, Default)]
struct Process {
    module: String,
    got: Vec<Vec<u8>>,
    /// How many requests for each operation it got.
    asked: BTreeMap<String, usize>,
    greeted: bool,
    ended: bool,
    /// It has closed its standard output: it reads on.
    mute: bool,
    /// It has closed its standard input: it ends as soon as it reads.
    deaf: bool,
}

impl Modules {
    pub fn of(scripts: &BTreeMap<String, Script>) -> Self {
        let scripts = scripts
            .iter()
            .map(|(name, script)| (name.clone(), script.clone()));
        Self {
            scripts: scripts.collect(),
            processes: Mutex::default(),
        }
    }

    /// What each module got, as scripted modules note it.
    pub fn noted(&self) -> BTreeMap<String, Vec<Noted>> {
        let mut all: BTreeMap<String, Vec<Noted>> = BTreeMap::new();
        for (number, process) in (0..).zip(self.processes.lock().expect("processes").iter()) {
            let noted = all.entry(process.module.clone()).or_default();
            let got = process.got.iter().cloned().map(What::Request);
            noted.extend([What::Start].into_iter().chain(got).map(|what| Noted {
                t: 0,
                process: number,
                what,
            }));
        }
        all
    }
}

impl Process {
    /// Plays an answer.
    fn act(&mut self, actions: &[Action], operation: &str, out: &mut Vec<u8>) {
        for action in actions {
            match action {
                Action::Close { close } if close == "stdout" => self.mute = true,
                Action::Close { .. } => self.deaf = true,
                action if action.ends() => {
                    self.ended = true;
                    return;
                }
                _ if self.mute => {}
                action => out.extend(bytes(action, operation)),
            }
        }
    }

    fn take(&mut self, message: &[u8], script: &Script, out: &mut Vec<u8>) {
        if self.deaf {
            self.ended = true;
            return;
        }
        if !self.greeted {
            self.greeted = true;
            self.act(&script.header, "", out);
            return;
        }
        self.got.push(message.to_vec());
        let operation = operation(message, script.json);
        let count = self.asked.entry(operation.clone()).or_default();
        *count += 1;
        let said = String::from_utf8_lossy(message);
        let answer = script.answers.iter().find(|answer| {
            answer.op.as_ref().is_none_or(|op| *op == operation)
                && answer.n.is_none_or(|n| n == *count)
                && said.contains(&answer.has)
        });
        if let Some(answer) = answer {
            self.act(&answer.send, &operation, out);
            return;
        }
        let result = match &operation[..] {
            "validate_promise" => "valid",
            "evaluate_promise" => "kept",
            "terminate" => "success",
            _ => "error",
        };
        let answer = if script.json {
            format!("{{\"operation\":\"{operation}\",\"result\":\"{result}\"}}\n\n")
        } else {
            format!("operation={operation}\nresult={result}\n\n")
        };
        if self.mute {
            // It dies of its first word.
            self.ended = true;
            return;
        }
        out.extend(answer.into_bytes());
        self.ended = operation == "terminate";
    }
}

/// The messages that a module reads, without the empty lines that end them.
fn messages(bytes: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(2).position(|two| two == b"\n\n") {
        messages.push(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    messages
}

impl ModuleHost for Modules {
    fn start(&self, module: &str) -> Option<usize> {
        let name = module.rsplit('/').next()?.trim_end_matches(".py");
        self.scripts.get(name)?;
        let mut processes = self.processes.lock().expect("processes");
        processes.push(Process {
            module: name.to_owned(),
            ..Process::default()
        });
        Some(processes.len() - 1)
    }

    fn exchange(&self, number: usize, message: &[u8]) -> (Vec<u8>, Behind) {
        let mut processes = self.processes.lock().expect("processes");
        let process = &mut processes[number];
        let script = &self.scripts[&process.module];
        let mut out = Vec::new();
        for message in messages(message) {
            if !process.ended {
                process.take(message, script, &mut out);
            }
        }
        let behind = match process.ended || process.mute {
            true => Behind::End,
            false => Behind::Nothing,
        };
        (out, behind)
    }

    fn finish(&self, _: usize) -> bool {
        true
    }
}

/// What an action sends.
fn bytes(action: &Action, operation: &str) -> Vec<u8> {
    match action {
        Action::Text(text) => text.replace("%OP%", operation).into_bytes(),
        Action::Hex { hex } => {
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
            (0..hex.len()).step_by(2).map(byte).collect()
        }
        Action::Repeat {
            repeat: (text, count),
        } => text.repeat(*count).into_bytes(),
        Action::Close { .. } | Action::Other(_) => Vec::new(),
    }
}

fn operation(message: &[u8], json: bool) -> String {
    let said = String::from_utf8_lossy(message);
    let (before, after) = if json {
        ("\"operation\":\"", '"')
    } else {
        ("operation=", '\n')
    };
    let found = said.split(before).nth(1);
    found
        .and_then(|rest| rest.split(after).next())
        .unwrap_or_default()
        .to_owned()
}
