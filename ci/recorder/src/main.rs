//! Records what the programs that Stickler agrees with do: `ci/record` calls it.

use anyhow::bail;
use std::io::Write;
use std::path::{Path, PathBuf};
use stickler_recorder::{Recorded, cf_agent, mgmt, puppet};

const USAGE: &str = "usage: ci/record cf-agent PATH | ci/record puppet | ci/record mgmt CHECKOUT";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["cf-agent", path] => {
            let recorded = cf_agent::record(&fixture("releases"), Path::new(path))?;
            tell("cf-agent", &recorded)
        }
        ["puppet"] => {
            let recorded = puppet::record(&fixture("puppet"), Path::new("ruby"))?;
            tell("puppet", &recorded)
        }
        ["mgmt", checkout] => {
            let replayed = mgmt::record(&fixture("mgmt"), Path::new(checkout))?;
            tell("mgmt", &replayed.recorded)?;
            let mut out = std::io::stdout().lock();
            for differences in &replayed.differences {
                writeln!(out, "    {differences}")?;
            }
            let later = replayed.later.len();
            writeln!(out, "{later} agree only when they are played again")?;
            for name in &replayed.later {
                writeln!(out, "  {name}")?;
            }
            Ok(())
        }
        _ => bail!("{USAGE}"),
    }
}

fn tell(program: &str, recorded: &Recorded) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{program} {}: {} situations, {} recordings changed",
        recorded.version,
        recorded.played,
        recorded.changed.len()
    )?;
    for name in &recorded.changed {
        writeln!(out, "  {name}")?;
    }
    Ok(())
}

/// A folder of `fixtures/recorded/`.
fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("fixtures/recorded").join(name)
}
