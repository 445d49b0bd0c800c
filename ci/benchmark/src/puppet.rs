//! Puppet's Resource API: the runtime beside the real Puppet, the host, a check.

use crate::suite::binary;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TYPE: &str = "require 'puppet/resource_api'
Puppet::ResourceApi.register_type(
  name: 'bench_item', desc: 'Items.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    v: { type: 'Optional[Integer]', desc: 'V' },
    text: { type: 'Optional[String]', desc: 'T' },
  },
)
";

const PROVIDER: &str = "class Puppet::Provider::BenchItem::BenchItem
  def get(_context)
    count = ENV.fetch('ITEMS').to_i
    @rows ||= Array.new(count) { |i| { name: \"i#{i}\", ensure: 'present', v: i, text: 'some text' } }
  end

  def set(_context, changes)
    changes.each_key { |name| @rows.reject! { |row| row[:name] == name } }
  end
end
";

/// How often each command runs; the fastest run counts.
const ROUNDS: usize = 3;

/// Applies, lists and checks.
pub fn all(folder: &Path) -> Result<()> {
    let module = folder.join("modules/bench");
    for (name, text) in [
        ("type/bench_item.rb", TYPE),
        ("provider/bench_item/bench_item.rb", PROVIDER),
    ] {
        let path = module.join("lib/puppet").join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, text)?;
    }
    for (count, goal) in [(1, 15), (1000, 20)] {
        let manifest = folder.join(format!("{count}.pp"));
        let one = |i| format!("bench_item {{ 'i{i}': v => {i}, text => 'some text' }}\n");
        fs::write(&manifest, (0..count).map(one).collect::<String>())?;
        let ours = best(count, || {
            let mut command = own(&module);
            command.arg("apply").arg(&manifest);
            Ok(command)
        })?;
        let theirs = best(count, || Ok(peer(folder, "apply", &[manifest.as_os_str()])))?;
        tell(&format!("apply, {count} in sync"), ours, theirs, goal);
    }
    let ours = best(100, || {
        let mut command = own(&module);
        command.args(["resource", "bench_item"]);
        Ok(command)
    })?;
    let theirs = best(100, || {
        Ok(peer(folder, "resource", &["bench_item".as_ref()]))
    })?;
    tell("resource, 100 rows", ours, theirs, 8);
    check()
}

fn own(module: &Path) -> Command {
    let mut command = Command::new(binary().unwrap_or_default());
    command.current_dir(module);
    command
}

fn peer(folder: &Path, what: &str, words: &[&std::ffi::OsStr]) -> Command {
    let mut command = Command::new("puppet");
    command
        .arg(what)
        .arg("--modulepath")
        .arg(folder.join("modules"));
    for (option, name) in [("--confdir", "conf"), ("--vardir", "var")] {
        command.arg(option).arg(folder.join(name));
    }
    command.args(words);
    command
}

/// The time of the fastest run.
fn best(items: usize, command: impl Fn() -> Result<Command>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut command = command()?;
        command
            .env("ITEMS", items.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let began = Instant::now();
        let status = command
            .status()
            .with_context(|| format!("running {command:?}"))?;
        ensure!(status.success(), "{command:?}: {status}");
        best = best.min(began.elapsed());
    }
    Ok(best)
}

fn tell(what: &str, ours: Duration, theirs: Duration, goal: usize) {
    println!(
        "{what:<19} {:.3} s, Puppet {:.2} s: {:.0} times faster   (goal: {goal})",
        ours.as_secs_f64(),
        theirs.as_secs_f64(),
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
}

/// Checks a module whose type has seven attributes and three examples.
fn check() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let module = root.join("fixtures/providers/daily_job").canonicalize()?;
    let report = tempfile::NamedTempFile::new()?;
    let began = Instant::now();
    let mut child = own(&module)
        .args(["check", "--time", "none", "--jobs", "2", "--format", "json"])
        .stdout(report.reopen()?)
        .stderr(Stdio::null())
        .spawn()?;
    let stat = format!("/proc/{}/stat", child.id());
    let mut busy = Duration::ZERO;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        busy = own_time(&stat).unwrap_or(busy);
        std::thread::sleep(Duration::from_millis(5));
    };
    let took = began.elapsed();
    ensure!(status.success(), "the sound module fails: {status}");
    let text = fs::read_to_string(report.path())?;
    let summary: serde_json::Value = serde_json::from_str(text.lines().last().unwrap_or_default())?;
    let sessions = summary["sessions"]
        .as_u64()
        .context("a number of sessions")?;
    println!(
        "{:<19} {:.2} s, {:.1} ms of a CPU a session beside the host   (2 jobs; goal: at most 3 s, 15 ms)",
        "check of a type",
        took.as_secs_f64(),
        busy.as_secs_f64() * 1e3 / sessions as f64
    );
    Ok(())
}

/// The time of a CPU that a process itself has used, without its children.
fn own_time(stat: &str) -> Option<Duration> {
    let text = fs::read_to_string(stat).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    // A tick is a hundredth of a second.
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}
