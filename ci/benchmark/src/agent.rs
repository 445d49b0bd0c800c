//! The reference agent against cf-agent and against bare exchanges of the same
//! bytes: whole runs of programs, from start to exit.

use crate::bare::{Peer, pinned};
use crate::median::median;
use crate::suite;
use anyhow::{Context, Result, ensure};
use cfengine_policy::{Sources, parse};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

/// Answers at once, in Python.
const PYTHON: &str = r#"import sys
read, write = sys.stdin.readline, sys.stdout.write
while read().strip():
    pass
write("python 1.0 v1 json_based\n\n")
sys.stdout.flush()
while True:
    line = read()
    if not line:
        break
    read()
    if '"validate_promise"' in line:
        write('{"operation":"validate_promise","result":"valid"}\n\n')
    else:
        write('{"operation":"evaluate_promise","result":"kept"}\n\n')
    sys.stdout.flush()
    if '"terminate"' in line:
        break
"#;

/// Prints all figures of the agent.
pub fn all(folder: &Path, echo: &Path) -> Result<()> {
    let bench = Bench::new(folder)?;
    native(&bench, echo)?;
    python(&bench)?;
    growth(&bench, echo)?;
    empty(&bench)?;
    parsing()
}

struct Bench {
    folder: PathBuf,
    work: PathBuf,
    stickler: PathBuf,
}

impl Bench {
    fn new(folder: &Path) -> Result<Self> {
        let work = folder.join("work");
        for name in ["inputs", "ppkeys", "modules", "state", "bin"] {
            fs::create_dir_all(work.join(name))?;
        }
        for name in ["", "ppkeys"] {
            fs::set_permissions(work.join(name), fs::Permissions::from_mode(0o700))?;
        }
        symlink("/usr/bin/cf-promises", work.join("bin/cf-promises"))?;
        Ok(Self {
            folder: folder.to_owned(),
            work,
            stickler: suite::binary()?,
        })
    }

    /// A policy with so many promises on a module.
    fn policy(&self, module: &Path, interpreter: Option<&str>, promises: usize) -> Result<PathBuf> {
        let mut text = format!(
            "promise agent bench\n{{\n  path => \"{}\";\n",
            module.display()
        );
        if let Some(interpreter) = interpreter {
            writeln!(text, "  interpreter => \"{interpreter}\";")?;
        }
        text.push_str("}\nbundle agent main\n{\n  bench:\n");
        for at in 0..promises {
            writeln!(text, "    \"/tmp/bench/{at}\" message => \"hello\";")?;
        }
        text.push_str("}\n");
        let path = self.folder.join(format!("{promises}.cf"));
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(path)
    }

    fn command(&self, program: &Path, arguments: &[&str], policy: &Path) -> Command {
        let mut command = self.with_locks(program, arguments, policy);
        command.arg("-K");
        command
    }

    /// As agents run by default: they remember when promises were kept.
    fn with_locks(&self, program: &Path, arguments: &[&str], policy: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg("-f")
            .arg(policy)
            .env("CFENGINE_TEST_OVERRIDE_WORKDIR", &self.work)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    fn stickler(&self, policy: &Path) -> Command {
        self.command(&self.stickler, &["agent"], policy)
    }
}

impl Bench {
    /// Forgets what agents remember of earlier runs.
    fn forget(&self) -> Result<()> {
        let state = self.work.join("state");
        fs::remove_dir_all(&state)?;
        fs::create_dir(&state)?;
        Ok(())
    }
}

/// How long a program runs, from start to exit.
fn time(mut command: Command) -> Result<Duration> {
    let began = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("running {command:?}"))?;
    let took = began.elapsed();
    ensure!(status.success(), "{command:?} failed");
    Ok(took)
}

/// Two things in turn, so that whatever slows the machine down slows both.
fn in_turn(
    mut first: impl FnMut() -> Result<Duration>,
    mut second: impl FnMut() -> Result<Duration>,
) -> Result<(Duration, Duration)> {
    let rounds = (0..2 * ROUNDS).map(|_| Ok((first()?, second()?)));
    let (first, second) = rounds.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok((median(first), median(second)))
}

fn several(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let times = (0..ROUNDS).map(|_| measure()).collect::<Result<Vec<_>>>()?;
    Ok(median(times))
}

/// How the program is asked for that does nothing but bare exchanges.
pub const BARE: &str = "bare";

/// That program: what the agent sends for so many promises, without the agent.
fn bare(command: &[&Path], policy: &Path, promises: usize) -> Result<Command> {
    let mut program = Command::new(std::env::current_exe()?);
    program.args([BARE, &promises.to_string()]);
    program.arg(policy).args(command);
    Ok(program)
}

/// What it does, given its arguments.
pub fn exchange_bare(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut next = || arguments.next().context("an argument is missing");
    let (promises, policy, program) = (next()?.parse()?, next()?, next()?);
    let request = |operation: &str, at: usize| {
        format!(
            "{{\"attributes\":{{\"message\":\"hello\"}},\"filename\":\"{}\",\"line_number\":{},\"log_level\":\"notice\",\"operation\":\"{operation}\",\"promise_type\":\"bench\",\"promiser\":\"/tmp/bench/{at}\"}}\n\n",
            policy,
            at + 8
        )
    };
    let requests: Vec<String> = (0..promises)
        .flat_map(|at| {
            [
                request("validate_promise", at),
                request("evaluate_promise", at),
            ]
        })
        .collect();
    pinned(None, || {
        let mut peer = Peer::start(Command::new(program).args(arguments))?;
        for request in &requests {
            peer.exchange(request.as_bytes())?;
        }
        peer.end()
    })
}

fn native(bench: &Bench, echo: &Path) -> Result<()> {
    const PROMISES: usize = 10_000;
    let policy = bench.policy(echo, None, PROMISES)?;
    let (own, bare) = in_turn(
        || time(bench.stickler(&policy)),
        || time(bare(&[echo], &policy, PROMISES)?),
    )?;
    println!(
        "10,000 promises     stickler {:.0} ms   bare {:.0} ms   ratio {:.2}   (goal: at most 1.5)",
        ms(own),
        ms(bare),
        own.as_secs_f64() / bare.as_secs_f64()
    );
    against(
        "against cf-agent -K",
        own,
        bench.command(Path::new("cf-agent"), &[], &policy),
    );
    // Both begin with no locks.
    bench.forget()?;
    let own = time(bench.with_locks(&bench.stickler, &["agent"], &policy))?;
    against(
        "the same with locks",
        own,
        bench.with_locks(Path::new("cf-agent"), &[], &policy),
    );
    bench.forget()
}

fn against(name: &str, own: Duration, real: Command) {
    match time(real) {
        Ok(real) => println!(
            "{name}  {:.0} ms against {:.0} ms   {:.0} times as fast   (goal: at least 40)",
            ms(own),
            ms(real),
            real.as_secs_f64() / own.as_secs_f64()
        ),
        Err(error) => println!("{name}  not measured: {error:#}"),
    }
}

fn python(bench: &Bench) -> Result<()> {
    const PROMISES: usize = 1_000;
    let module = bench.folder.join("module.py");
    fs::write(&module, PYTHON)?;
    fs::set_permissions(&module, fs::Permissions::from_mode(0o755))?;
    let interpreter = "/usr/bin/python3";
    let policy = bench.policy(&module, Some(interpreter), PROMISES)?;
    let (own, bare) = in_turn(
        || time(bench.stickler(&policy)),
        || time(bare(&[Path::new(interpreter), &module], &policy, PROMISES)?),
    )?;
    println!(
        "1,000 in Python     stickler {:.0} ms   bare {:.0} ms   ratio {:.2}   (goal: at most 1.3)",
        ms(own),
        ms(bare),
        own.as_secs_f64() / bare.as_secs_f64()
    );
    Ok(())
}

fn growth(bench: &Bench, echo: &Path) -> Result<()> {
    for promises in [1_000, 100_000] {
        let policy = bench.policy(echo, None, promises)?;
        let took = several(|| time(bench.stickler(&policy)))?;
        let peak = peak(bench.stickler(&policy))?;
        println!(
            "{promises:>7} promises    {:.1} µs each   peak {peak} MiB   (goal: the same cost, at most 256 MiB)",
            took.as_secs_f64() * 1e6 / promises as f64
        );
    }
    Ok(())
}

/// The most memory that a program had, in MiB.
fn peak(mut command: Command) -> Result<u64> {
    let mut child = command.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak.max(suite::high_water(&status).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(peak.div_ceil(1024))
}

fn empty(bench: &Bench) -> Result<()> {
    let policy = bench.folder.join("empty.cf");
    fs::write(&policy, "bundle agent main\n{\n}\n")?;
    fs::set_permissions(&policy, fs::Permissions::from_mode(0o600))?;
    let own = several(|| time(bench.stickler(&policy)))?;
    let real = several(|| time(bench.command(Path::new("cf-agent"), &[], &policy)));
    let real = real.map_or("not measured".into(), |real| format!("{:.0} ms", ms(real)));
    println!(
        "an empty policy     stickler {:.1} ms   cf-agent {real}   (goal: at most 10 ms)",
        ms(own)
    );
    Ok(())
}

/// Promises as people write them.
fn parsing() -> Result<()> {
    const PROMISES: usize = 100_000;
    let mut text = String::from("bundle agent main\n{\n  files:\n");
    for at in 0..PROMISES {
        write!(
            text,
            "    linux.!debian::\n      \"/etc/thing/{at}\" -> {{ \"owner\" }}\n        create => \"true\",\n        perms => mog(\"644\", \"root\", \"$(group)\"),  # a comment\n        if => fileexists(\"/etc/thing\");\n"
        )?;
    }
    text.push_str("}\n");
    let bytes = text.into_bytes();
    let took = several(|| {
        let mut sources = Sources::default();
        let file = sources.add("benchmark.cf", bytes.clone());
        let began = Instant::now();
        let parsed = parse(&sources, file, Default::default());
        let took = began.elapsed();
        ensure!(parsed.is_ok(), "the policy is not read");
        Ok(took)
    })?;
    println!(
        "parsing             {:.0} MB/s   (goal: at least 50)",
        bytes.len() as f64 / 1e6 / took.as_secs_f64()
    );
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
