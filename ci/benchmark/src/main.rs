//! Measures what Stickler promises, side by side with what it is compared to,
//! and prints one line a figure.

#![expect(clippy::print_stdout, reason = "it prints figures")]

mod agent;
mod bare;
mod fuzz;
mod fuzzers;
mod median;
mod mgmt;
mod puppet;
mod rates;
mod suite;
mod types;
mod yields;

use anyhow::{Context, Result, bail, ensure};
use bare::{Peer, pinned};
use cfengine_protocol::phase;
use median::median;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use stickler_session::sandbox::{Host, HostOptions};
use stickler_session::{CpuLease, RunOptions, Wire};
use stickler_transcript::{
    Answer, Bytes, Case, Framing, Phase, Piece, Plan, PlannedCommand, Provenance, Send, Step,
};

const REQUEST: &str = "{\"attributes\":{\"message\":\"hello\"},\"filename\":\"/var/cfengine/inputs/promises.cf\",\"line_number\":12,\"log_level\":\"info\",\"operation\":\"evaluate_promise\",\"promise_type\":\"file_content\",\"promiser\":\"/tmp/stickler/dir/greeting\"}\n\n";
const EXCHANGES: usize = 20_000;
const ROUNDS: usize = 5;

/// What can be asked for, by name; without a name, everything. `fuzzers` and `yields` are asked for alone.
const FIGURES: [&str; 11] = [
    "sandboxes",
    "exchange",
    "agent",
    "check",
    "types",
    "puppet",
    "mgmt",
    "rates",
    "planted",
    "long",
    "killed",
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == agent::BARE).is_some() {
        return agent::exchange_bare(arguments);
    }
    let asked: Vec<String> = arguments.collect();
    let folder = tempfile::tempdir_in("/var/tmp")?;
    // These take long, and have options of their own.
    if let Some((first, rest)) = asked.split_first() {
        match &first[..] {
            "fuzzers" => return fuzzers::all(folder.path(), rest),
            "yields" => return yields::all(folder.path(), rest),
            _ => {}
        }
    }
    if let Some(unknown) = asked.iter().find(|name| !FIGURES.contains(&&***name)) {
        bail!(
            "there is no figure {unknown:?}; there are {}, fuzzers and yields",
            FIGURES.join(", ")
        );
    }
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let echo = compile(folder.path())?;
    // While the process is small: the first process in a sandbox is its fork.
    if wanted("sandboxes") {
        for threads in [1, 2] {
            starts(&echo, threads)?;
        }
    }
    if wanted("exchange") {
        exchange(&echo)?;
    }
    if wanted("agent") {
        agent::all(folder.path(), &echo)?;
    }
    if wanted("check") {
        suite::all(folder.path())?;
    }
    if wanted("types") {
        types::all()?;
    }
    if wanted("puppet") {
        puppet::all(folder.path())?;
    }
    if wanted("mgmt") {
        mgmt::all(folder.path())?;
    }
    if wanted("rates") {
        rates::all(folder.path())?;
    }
    if wanted("planted") {
        fuzz::planted(folder.path())?;
    }
    if wanted("long") {
        fuzz::long(folder.path())?;
    }
    if wanted("killed") {
        fuzz::killed(folder.path())?;
    }
    Ok(())
}

fn compile(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("echo.c");
    let program = folder.join("echo");
    std::fs::write(&source, include_str!("echo.c"))?;
    let done = Command::new("cc")
        .args(["-O2", "-static", "-o"])
        .arg(&program)
        .arg(&source)
        .status()
        .context("running cc")?;
    ensure!(done.success(), "cc failed");
    Ok(program)
}

/// An exchange through a session against a bare ping-pong of the same bytes, in
/// turns, on one CPU.
fn exchange(echo: &Path) -> Result<()> {
    let host = Host::probe(None, HostOptions::default())?;
    let lease = CpuLease::take().context("no free CPU")?;
    let (mut bare, mut session) = (Vec::new(), Vec::new());
    for _ in 0..3 * ROUNDS {
        bare.push(ping_pong(echo, lease.cpu())?);
        session.push(through_session(&host, echo, lease.cpu())?);
    }
    let (bare, session) = (median(bare), median(session));
    println!(
        "exchange            bare {:.2} µs   session {:.2} µs   ratio {:.2}   (goal: at most 1.3)",
        per(bare),
        per(session),
        session.as_secs_f64() / bare.as_secs_f64()
    );
    Ok(())
}

fn per(total: Duration) -> f64 {
    total.as_secs_f64() * 1e6 / EXCHANGES as f64
}

fn ping_pong(echo: &Path, cpu: usize) -> Result<Duration> {
    pinned(Some(cpu), || {
        let mut peer = Peer::start(&mut Command::new(echo))?;
        let began = Instant::now();
        for _ in 0..EXCHANGES {
            peer.exchange(REQUEST.as_bytes())?;
        }
        let took = began.elapsed();
        peer.end()?;
        Ok(took)
    })
}

struct PlainWire;

impl Wire for PlainWire {
    fn framing(&self) -> Framing {
        cfengine_protocol::FRAMING
    }

    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool {
        cfengine_protocol::accepts(phase, answer)
    }
}

fn plan(echo: &Path, exchanges: usize) -> Plan {
    let send = |phase, key: &str, data: &str| {
        Step::Send(Send {
            process: 0,
            phase,
            key: stickler_transcript::Key::parse(key),
            item: Some("e1".into()),
            provenance: Provenance::Agent,
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: data.into(),
            }],
            answer: Answer::Now,
            deadline_us: 2_000_000,
            kill_after_us: None,
            at_write: None,
        })
    };
    let mut steps = vec![
        Step::Start {
            process: 0,
            command: 0,
        },
        send(phase::HEADER, "header", "cf-agent 3.21.0 v1\n\n"),
    ];
    // The same bytes each time, as those of the bare exchanges are.
    steps.extend(std::iter::repeat_n(
        send(phase::EVALUATE, "e:e1", REQUEST),
        exchanges,
    ));
    steps.push(Step::CloseInput { process: 0 });
    steps.push(Step::AwaitExit {
        process: 0,
        deadline_us: 2_000_000,
    });
    Plan {
        commands: vec![PlannedCommand {
            argv: vec![Bytes::from(echo.display().to_string())],
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            umask: 0o022,
            unprivileged: false,
            channel: false,
        }],
        pinned: true,
        steps,
        ..Plan::default()
    }
}

/// Time of the exchanges alone, by the transcript's own clock.
fn through_session(host: &Host, echo: &Path, cpu: usize) -> Result<Duration> {
    let case = Case {
        id: "benchmark".into(),
        plan: Some(plan(echo, EXCHANGES)),
        ..Case::default()
    };
    let mut options = RunOptions {
        cpu: Some(cpu),
        ..RunOptions::default()
    };
    options.limits.record = u64::MAX;
    let transcript = stickler_session::run(host, case, &PlainWire, &options)?;
    let times: Vec<u64> = transcript
        .events
        .iter()
        .filter_map(|event| match event {
            stickler_transcript::Event::Request(input) => Some(input.t),
            stickler_transcript::Event::Closed { t, .. } => Some(*t),
            _ => None,
        })
        .collect();
    ensure!(times.len() >= EXCHANGES + 2, "the session broke off");
    Ok(Duration::from_micros(times[EXCHANGES + 1] - times[1]))
}

/// Fresh sandboxed processes, each started, asked for its header, and ended.
fn starts(echo: &Path, threads: usize) -> Result<()> {
    const EACH: usize = 1_000;
    let host = Host::probe(None, HostOptions::default())?;
    let rate = a_second(threads, EACH, || {
        let lease = CpuLease::take();
        let options = RunOptions {
            cpu: lease.as_ref().map(CpuLease::cpu),
            ..RunOptions::default()
        };
        for _ in 0..EACH {
            let case = Case {
                id: "benchmark".into(),
                plan: Some(plan(echo, 1)),
                ..Case::default()
            };
            stickler_session::run(&host, case, &PlainWire, &options)?;
        }
        Ok(())
    })?;
    let bare = a_second(threads, EACH, || {
        for _ in 0..EACH {
            let mut peer = Peer::start(&mut Command::new(echo))?;
            peer.exchange(REQUEST.as_bytes())?;
            peer.end()?;
        }
        Ok(())
    })?;
    println!(
        "fresh sandboxes     {rate:.0} a second with {threads} at a time, {} tier   (without a sandbox {bare:.0}; goal: at least 700)",
        host.tier()
    );
    Ok(())
}

/// How many things a second are done by threads that do so many each.
fn a_second(threads: usize, each: usize, work: impl Fn() -> Result<()> + Sync) -> Result<f64> {
    let began = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        for worker in workers {
            worker
                .join()
                .map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })?;
    Ok((threads * each) as f64 / began.elapsed().as_secs_f64())
}
