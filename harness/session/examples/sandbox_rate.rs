//! How many fresh sandboxes a second: start, run a program to its end, drop.
//!
//! `cargo run --release -p stickler-session --example sandbox_rate [TIER] [PROGRAM] [MiB]`, where
//! MiB of touched memory make the harness as heavy as a busy one. Without a program a tiny static
//! one is compiled with `cc`, or else /bin/true runs. A program that ends in `.py` runs warm.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stickler_session::sandbox::{Command, Host, HostOptions, Sandbox, Spec, Tier};

const SECONDS: u64 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let tier: Option<Tier> = arguments.next().map(|name| name.parse()).transpose()?;
    let built = tempfile::tempdir_in("/tmp")?;
    let program = arguments
        .next()
        .map_or_else(|| tiny(built.path()), PathBuf::from);
    let weight: usize = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let ballast = vec![1_u8; weight << 20];
    let host = Host::probe(tier, HostOptions::default())?;
    println!("tier {}, program {}", host.tier(), program.display());
    if let Some(reason) = host.fallback_reason() {
        println!("fallback: {reason}");
    }
    for threads in [1, 2] {
        let before = cpu_seconds();
        let (runs, seconds) = rate(&host, &program, threads)?;
        let cpu = (cpu_seconds() - before) / runs * 1e6;
        println!(
            "{threads} thread(s): {:.0} sandboxes/s, {cpu:.0} µs of CPU each",
            runs / seconds
        );
    }
    std::hint::black_box(ballast);
    Ok(())
}

/// Processor time of this process and of all that it waited for, in seconds.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let times = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split(' ')
        .skip(12)
        .take(4);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / rustix::param::clock_ticks_per_second() as f64
}

fn tiny(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let (source, program) = (folder.join("tiny.c"), folder.join("tiny"));
    let code = "int main(void) { return 0; }\n";
    let open = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755));
    let made = open
        .and_then(|()| std::fs::write(&source, code))
        .and_then(|()| {
            let mut cc = std::process::Command::new("cc");
            cc.args(["-O2", "-static", "-o"])
                .arg(&program)
                .arg(&source)
                .status()
        });
    match made {
        Ok(status) if status.success() => program,
        _ => PathBuf::from("/bin/true"),
    }
}

fn rate(
    host: &Host,
    program: &Path,
    threads: usize,
) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let end = begin + Duration::from_secs(SECONDS);
    let runs: Result<Vec<usize>, String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(move || {
                    let mut runs = 0;
                    while Instant::now() < end {
                        once(host, program).map_err(|error| error.to_string())?;
                        runs += 1;
                    }
                    Ok(runs)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| Err("a worker panicked".to_owned()))
            })
            .collect()
    });
    let runs = runs?.into_iter().sum::<usize>() as f64;
    Ok((runs, begin.elapsed().as_secs_f64()))
}

fn once(host: &Host, program: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let is_python = program.extension().is_some_and(|ending| ending == "py");
    let mut command = match is_python {
        true => Command::new([Path::new("/usr/bin/python3"), program]),
        false => Command::new([program]),
    };
    command.warm = is_python;
    let spec = Spec {
        commands: vec![command],
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(host, &spec)?;
    // Only what has pipes is warm.
    let ((stdin, _in), (_out, stdout), (_err, stderr)) =
        (std::io::pipe()?, std::io::pipe()?, std::io::pipe()?);
    sandbox.spawn(0, stdin.into(), stdout.into(), stderr.into())?;
    loop {
        if sandbox.next_exit().is_some() {
            return Ok(());
        }
        if sandbox.is_gone() {
            return Err("the sandbox is gone".into());
        }
        let mut fds = [rustix::event::PollFd::from_borrowed_fd(
            sandbox.control_fd(),
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut fds, None)?;
    }
}
