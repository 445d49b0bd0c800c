//! What a default run of the suite takes: time, and the harness's memory.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EXAMPLES: &str = r#"
[[example]]
name = "a greeting"
promiser = "{dir}/greeting"
attributes = { message = "Hello, world", mode = "0640" }
expect = ["repaired", "kept"]

[[example]]
name = "a message of the day"
promiser = "{dir}/motd"
attributes = { message = "Grüße, 世界" }
expect = ["repaired", "kept"]
"#;

/// Checks a sound native module, a sound one in Python, and one that answers
/// nothing at all.
pub fn all(folder: &Path) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fixtures = root.join("fixtures/mutants").canonicalize()?;
    let native = folder.join("native");
    let done = Command::new("cc")
        .args(["-O2", "-o"])
        .arg(&native)
        .arg(fixtures.join("native.c"))
        .status()
        .context("running cc")?;
    ensure!(done.success(), "cc failed");
    let silent = folder.join("silent");
    std::fs::write(&silent, "while read line; do :; done\n")?;
    for (name, path, interpreter, goal) in [
        ("native module", native, None, "1 s, 64 MiB"),
        (
            "Python module",
            fixtures.join("base.py"),
            Some("python3"),
            "5 s, 64 MiB",
        ),
        ("answers nothing", silent, Some("sh"), "60 s, 64 MiB"),
    ] {
        let (took, peak) = check(&folder.join(name), &path, interpreter)?;
        println!(
            "{name:<19} {:.2} s, {} MiB   (2 examples, 2 jobs; goal: at most {goal})",
            took.as_secs_f64(),
            peak >> 10
        );
    }
    Ok(())
}

/// Returns the time that a check took, and the harness's peak memory in KiB.
fn check(folder: &Path, path: &Path, interpreter: Option<&str>) -> Result<(Duration, u64)> {
    std::fs::create_dir(folder)?;
    let interpreter = interpreter.map_or_else(String::new, |it| format!("interpreter = {it:?}\n"));
    let subject = format!("[subject]\npath = {path:?}\npromise_type = \"file_content\"\n");
    std::fs::write(
        folder.join("stickler.toml"),
        [&subject, &interpreter, EXAMPLES].concat(),
    )?;
    let began = Instant::now();
    let mut child = Command::new(binary()?)
        .args(["check", "--jobs", "2", "--time", "none"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak.max(high_water(&status).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok((began.elapsed(), peak))
}

/// The most memory that a process had so far, in KiB.
pub fn high_water(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The `stickler` beside this program.
pub fn binary() -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let binary = here.with_file_name("stickler");
    ensure!(binary.exists(), "{} is not there", binary.display());
    Ok(binary)
}
