//! mgmt resources: a check, the build of a host, calls of `CheckApply`, and large graphs in the reference engine.

use crate::median::median;
use crate::suite::binary;
use anyhow::{Context, Result, ensure};
use mgmt_host::Options;
use mgmt_protocol::{FRAMING, phase, request};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stickler_session::sandbox::{Host, HostOptions};
use stickler_session::{CpuLease, RunOptions, Wire};
use stickler_transcript::{
    Answer, Bytes, Case, Event, Framing, Key, Phase, Piece, Plan, PlannedCommand, Provenance, Send,
    Step,
};

/// The sound package of the fixtures, whose kind `other` does nothing.
const FIXTURE: &str = "fixtures/resources/note";

/// What makes a kind with eight fields of its kind `note`.
const EDITS: [(&str, &str); 4] = [
    (
        "\tLoud bool `lang:\"loud\" yaml:\"loud\"`\n",
        "\tLoud bool `lang:\"loud\" yaml:\"loud\"`\n\
         \t// Title is a line before all others.\n\
         \tTitle string `lang:\"title\" yaml:\"title\"`\n\
         \t// Footer are lines behind all others.\n\
         \tFooter []string `lang:\"footer\" yaml:\"footer\"`\n\
         \t// Indent is a number of blanks at the begin.\n\
         \tIndent uint8 `lang:\"indent\" yaml:\"indent\"`\n",
    ),
    (
        "\ttext := obj.Text + \"\\n\"\n",
        "\ttext := strings.Repeat(\" \", int(obj.Indent)) + obj.Title + obj.Text + \"\\n\" + strings.Join(obj.Footer, \";\")\n",
    ),
    (
        "\tif obj.Loud != res.Loud {",
        "\tif obj.Title != res.Title || obj.Indent != res.Indent {\n\t\treturn fmt.Errorf(\"the title differs\")\n\t}\n\
         \tif len(obj.Footer)+len(res.Footer) > 0 && !reflect.DeepEqual(obj.Footer, res.Footer) {\n\
         \t\treturn fmt.Errorf(\"the footer differs\")\n\t}\n\
         \tif obj.Loud != res.Loud {",
    ),
    (
        "\t\tLoud:   obj.Loud,\n",
        "\t\tLoud:   obj.Loud,\n\t\tTitle:  obj.Title,\n\t\tFooter: append([]string(nil), obj.Footer...),\n\t\tIndent: obj.Indent,\n",
    ),
];

const CONFIG: &str = r#"[subject]
dialect = "mgmt"
path = "."

[[example]]
label = "a new file"
kind = "note"
name = "{dir}/a"
fields = { text = "hello", lines = ["one", "two"], labels = { a = "b" }, title = "greetings", footer = ["bye"] }
drift = [["rm", "{dir}/a"], ["sh", "-c", "echo other >{dir}/a"]]
expect = ["changed", "ok"]

[[example]]
label = "a file that differs"
kind = "note"
name = "{dir}/a"
fields = { text = "other words", mode = 384, indent = 2, loud = true }
setup = [["sh", "-c", "echo old >{dir}/a; chmod 644 {dir}/a"]]
expect = ["changed", "ok"]
"#;

const ROUNDS: usize = 5;
const CALLS: usize = 20_000;

/// All figures.
pub fn all(folder: &Path) -> Result<()> {
    let package = folder.join("bench");
    write(&package)?;
    rebuild(&package)?;
    check(&package)?;
    calls(&package)?;
    graphs()
}

fn write(package: &Path) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fixture = root.join(FIXTURE).canonicalize()?;
    let read = |name: &str| fs::read_to_string(fixture.join(name));
    let mut note = read("note.go")?;
    for (from, to) in EDITS {
        ensure!(
            note.contains(from),
            "the package of the fixtures has no {from:?}"
        );
        note = note.replacen(from, to, 1);
    }
    // Its `replace` names a folder beside it.
    let beside = fixture.parent().context("the fixtures")?.display();
    let module = read("go.mod")?.replace("=> ../", &format!("=> {beside}/"));
    fs::create_dir(package)?;
    fs::write(package.join("note.go"), note)?;
    fs::write(package.join("other.go"), read("other.go")?)?;
    fs::write(package.join("go.mod"), module)?;
    fs::write(package.join("stickler.toml"), CONFIG)?;
    Ok(())
}

/// The build of a host after a change of the package, against `go build` of the package after another change.
fn rebuild(package: &Path) -> Result<()> {
    host(package)?;
    let (mut alone, mut hosts) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        change(package, 2 * round)?;
        let began = Instant::now();
        let status = Command::new("go")
            .args(["build", "."])
            .current_dir(package)
            .status()
            .context("running go")?;
        ensure!(status.success(), "go build: {status}");
        alone.push(began.elapsed());
        change(package, 2 * round + 1)?;
        let began = Instant::now();
        host(package)?;
        hosts.push(began.elapsed());
    }
    let (alone, hosts) = (median(alone), median(hosts));
    println!(
        "{:<19} go build {:.2} s   host {:.2} s   more {:.2} s   (after a change; goal: at most 1 s more)",
        "build of a host",
        alone.as_secs_f64(),
        hosts.as_secs_f64(),
        hosts.saturating_sub(alone).as_secs_f64()
    );
    Ok(())
}

fn host(package: &Path) -> Result<PathBuf> {
    Ok(mgmt_host::build(package, &Options::default(), &|_| {})?)
}

/// Go has to compile what it has not seen.
fn change(package: &Path, number: usize) -> Result<()> {
    let unique = format!(
        "package note\n\nvar changed = \"{number} {}\"\n",
        std::process::id()
    );
    fs::write(package.join("changed.go"), unique)?;
    Ok(())
}

/// A whole check of a kind with eight fields, once its host is built.
fn check(package: &Path) -> Result<()> {
    let began = Instant::now();
    let output = Command::new(binary()?)
        .args(["check", "--kind", "note", "--jobs", "2", "--time", "none"])
        .current_dir(package)
        .stderr(Stdio::null())
        .output()?;
    let took = began.elapsed();
    ensure!(
        output.status.success(),
        "the sound kind fails:\n{}",
        String::from_utf8_lossy(&output.stdout)
    );
    println!(
        "{:<19} {:.2} s   (8 fields, 2 examples, 2 jobs, host built; goal: at most 10 s)",
        "check of a kind",
        took.as_secs_f64()
    );
    Ok(())
}

/// Calls of a `CheckApply` that does nothing, one after the other in one session.
fn calls(package: &Path) -> Result<()> {
    let program = host(package)?;
    let sandboxes = Host::probe(None, HostOptions::default())?;
    let lease = CpuLease::take().context("no free CPU")?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(session(&sandboxes, &program, lease.cpu())?);
    }
    let took = median(times);
    println!(
        "{:<19} {:.0} a second, {:.1} µs each   (one at a time, in a session; goal: at least 20000 a second)",
        "CheckApply",
        CALLS as f64 / took.as_secs_f64(),
        took.as_secs_f64() * 1e6 / CALLS as f64
    );
    Ok(())
}

struct HostWire;

impl Wire for HostWire {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, _: Phase, _: &[u8]) -> bool {
        true
    }
}

/// The time of the calls alone, by the transcript's own clock.
fn session(sandboxes: &Host, program: &Path, cpu: usize) -> Result<Duration> {
    let case = Case {
        id: "benchmark".into(),
        plan: Some(plan(program)),
        ..Case::default()
    };
    let mut options = RunOptions {
        cpu: Some(cpu),
        ..RunOptions::default()
    };
    options.limits.record = u64::MAX;
    let transcript = stickler_session::run(sandboxes, case, &HostWire, &options)?;
    let mut answers = Vec::new();
    for event in &transcript.events {
        if let Event::Out { data, .. } = event {
            answers.extend_from_slice(data);
        }
    }
    let answers = String::from_utf8_lossy(&answers);
    let right = answers.matches("\"ok\":true").count();
    ensure!(right == CALLS, "{right} of {CALLS} calls were answered");
    let times: Vec<u64> = transcript
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Request(input) => Some(input.t),
            Event::Closed { t, .. } => Some(*t),
            _ => None,
        })
        .collect();
    let (Some(first), Some(last)) = (times.get(OPENING), times.get(OPENING + CALLS)) else {
        anyhow::bail!("the session broke off");
    };
    Ok(Duration::from_micros(last - first))
}

/// So many requests come before the first call.
const OPENING: usize = 3;

fn plan(program: &Path) -> Plan {
    let send = |id: usize, phase: Phase, params: serde_json::Value| {
        Step::Send(Send {
            process: 0,
            phase,
            key: Key::parse(&format!("{}:{id}", phase.name())),
            item: Some("a".into()),
            provenance: Provenance::Agent,
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: Bytes::from(request::line(id, &phase.name(), &params)),
            }],
            answer: Answer::Now,
            deadline_us: 10_000_000,
            kill_after_us: None,
            at_write: None,
        })
    };
    let mut steps = vec![
        Step::Start {
            process: 0,
            command: 0,
        },
        send(
            1,
            phase::INITIALIZE,
            json!({ "protocol": 1, "var": "/tmp" }),
        ),
        send(
            2,
            phase::NEW,
            json!({ "resource": "a", "kind": "other", "name": "a" }),
        ),
        send(3, phase::INIT, json!({ "resource": "a" })),
    ];
    steps.extend((0..CALLS).map(|call| {
        let params = json!({ "resource": "a", "apply": true, "refresh": false });
        send(OPENING + 1 + call, phase::CHECKAPPLY, params)
    }));
    steps.push(Step::CloseInput { process: 0 });
    steps.push(Step::AwaitExit {
        process: 0,
        deadline_us: 10_000_000,
    });
    let env = [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/tmp"),
        ("STICKLER_RPC_FD", "3,4"),
    ];
    Plan {
        commands: vec![PlannedCommand {
            argv: vec![Bytes::from(program.display().to_string())],
            env: env
                .map(|(name, value)| (name.into(), value.into()))
                .to_vec(),
            cwd: "/".into(),
            umask: 0o022,
            unprivileged: false,
            channel: true,
        }],
        pinned: true,
        steps,
        ..Plan::default()
    }
}

/// Large graphs of scripted resources in the reference engine.
fn graphs() -> Result<()> {
    let example = binary()?.with_file_name("examples").join("large");
    let output = Command::new(&example)
        .output()
        .with_context(|| format!("running {}", example.display()))?;
    ensure!(output.status.success(), "{}", output.status);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        println!(
            "{:<19} {line}   (goal: at most 1 s for 10000, 12 s for 100000)",
            "reference engine"
        );
    }
    Ok(())
}
