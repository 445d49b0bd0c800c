//! Records what the programs that Stickler agrees with do: `ci/record` calls it.

use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use stickler_recorder::cf_agent;

const USAGE: &str = "ci/record cf-agent PATH";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = std::io::stdout().lock();
    match arguments.as_slice() {
        ["cf-agent", path] => {
            let recorded = cf_agent::record(&fixture("releases"), Path::new(path))?;
            writeln!(
                out,
                "cf-agent {}: {} situations, {} recordings changed",
                recorded.version,
                recorded.played,
                recorded.changed.len()
            )?;
            for name in &recorded.changed {
                writeln!(out, "  {name}")?;
            }
        }
        _ => bail!("{USAGE}"),
    }
    out.flush().context("standard output")
}

/// A folder of `fixtures/recorded/`.
fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("fixtures/recorded").join(name)
}
