//! Messages a second of campaigns with one worker, beside a bare pipe to the same module.

use crate::bare::{Peer, pinned};
use crate::fuzz::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// For how long messages are counted.
const COUNTED: &str = "10s";
const BARE: Duration = Duration::from_secs(2);

/// Prints a line for each way to run a module.
pub fn all(folder: &Path) -> Result<()> {
    let native = Subject::native(folder, "none", false)?;
    let told = Subject::native(folder, "none", true)?;
    let python = Subject::python(folder, None)?;
    let bash = Subject::bash(folder)?;
    rate(&native, ("native", "off", 50_000))?;
    rate(&told, ("native", "native", 25_000))?;
    rate(&python, ("Python", "off", 6_000))?;
    rate(&python, ("Python", "python", 2_500))?;
    rate(&bash, ("bash", "off", 500))?;
    rate(&bash, ("bash", "bash", 500))?;
    ruby(folder)?;
    fresh(&python)
}

/// A campaign beside a bare pipe, whose messages are one example's, validated and evaluated by turns.
fn rate(subject: &Subject, (name, coverage, goal): (&str, &str, u32)) -> Result<()> {
    let bare = bare(subject)?;
    let rate = campaign(subject, coverage)?;
    let how = match coverage {
        "off" => "",
        _ => "with coverage",
    };
    println!(
        "fuzz {name:<7} {how:<13} {rate:>8.0} messages a second   bare pipe {bare:>8.0}   ratio {:>6.1}   (one worker; goal: at least {goal})",
        bare / rate
    );
    Ok(())
}

/// How many messages a second a campaign sends.
fn campaign(subject: &Subject, coverage: &str) -> Result<f64> {
    let arguments = [
        "--for",
        COUNTED,
        "--jobs",
        "1",
        "--seed",
        "1",
        "--coverage",
        coverage,
    ];
    let lines = subject.fresh(&arguments)?;
    let summary = lines.last().context("no summary")?;
    let rate = summary["requests_per_second"].as_f64();
    rate.filter(|rate| *rate > 0.0)
        .context("the campaign sent nothing")
}

/// How many messages a second the module answers to a program that does nothing else, on one CPU.
fn bare(subject: &Subject) -> Result<f64> {
    let text = std::fs::read_to_string(subject.folder.join("stickler.toml"))?;
    let config: toml::Table = text.parse()?;
    let described = &config["subject"];
    let words = described["command"].as_array().context("a command")?;
    let words: Vec<&str> = words.iter().filter_map(toml::Value::as_str).collect();
    let (program, arguments) = words.split_first().context("a program")?;
    let promise_type = described["promise_type"].as_str().context("a type")?;
    let promiser = subject.folder.join("greeting");
    pinned(None, || {
        let mut command = Command::new(program);
        let mut peer = Peer::start(command.args(arguments))?;
        let [validate, evaluate] = ["validate_promise", "evaluate_promise"].map(|operation| {
            message(
                peer.speaks_json(),
                operation,
                promise_type,
                &promiser.display().to_string(),
            )
        });
        let began = Instant::now();
        let mut count = 0.0;
        while began.elapsed() < BARE {
            peer.exchange(validate.as_bytes())?;
            peer.exchange(evaluate.as_bytes())?;
            count += 2.0;
        }
        let rate = count / began.elapsed().as_secs_f64();
        peer.end()?;
        Ok(rate)
    })
}

/// A message about the example of these subjects.
fn message(speaks_json: bool, operation: &str, promise_type: &str, promiser: &str) -> String {
    if speaks_json {
        let message = serde_json::json!({
            "attributes": { "message": "hello", "mode": "0644" },
            "filename": "/var/cfengine/inputs/promises.cf",
            "line_number": 12,
            "log_level": "info",
            "operation": operation,
            "promise_type": promise_type,
            "promiser": promiser,
        });
        return format!("{message}\n\n");
    }
    format!(
        "operation={operation}\nlog_level=info\npromise_type={promise_type}\npromiser={promiser}\nattribute_message=hello\nattribute_mode=0644\n\n"
    )
}

/// Calls of a provider in Ruby.
fn ruby(folder: &Path) -> Result<()> {
    let place = folder.join("feature_flag");
    let from = crate::fuzz::fixtures()?.join("providers/feature_flag");
    let copied = Command::new("cp").arg("-r").arg(from).arg(&place).status();
    ensure!(copied.context("running cp")?.success(), "cp failed");
    let subject = Subject { folder: place };
    let rate = campaign(&subject, "auto")?;
    println!(
        "fuzz Ruby    provider      {rate:>8.0} calls a second   (one worker, with lines; goal: at least 8000)"
    );
    Ok(())
}

/// Sessions of the last campaign's corpus, each in a new process.
fn fresh(subject: &Subject) -> Result<()> {
    let mut command = subject.campaign(&["--replay-only", "--jobs", "1"])?;
    let output = command.stderr(Stdio::inherit()).output()?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let last = lines.lines().last().context("no summary")?;
    let summary: Value = serde_json::from_str(last)?;
    let number = |name: &str| summary[name].as_f64().unwrap_or(0.0);
    let rate = number("processes") / number("seconds").max(1e-3);
    println!(
        "fuzz Python  fresh         {rate:>8.0} processes a second   (one worker, {} sessions; goal: at least 300)",
        number("cases")
    );
    Ok(())
}
