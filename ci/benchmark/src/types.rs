//! Reading and checking Puppet data types, side by side with Puppet's own code.

use anyhow::{Context, Result, ensure};
use puppet_types::{Value, parse};
use std::process::Command;
use std::time::Instant;

/// Types as definitions have them, and a value for each.
const TYPES: [(&str, &str); 8] = [
    ("Enum[present, absent]", "\"present\""),
    ("Optional[String[1, 255]]", "\"a name\""),
    ("Integer[0, 65535]", "8080"),
    ("Boolean", "true"),
    (r"Pattern[/\A[0-9a-f]{8}\Z/, /\A0x\h+\Z/]", "\"0badcafe\""),
    ("Array[String]", r#"["a","b","c"]"#),
    ("Variant[Integer, Enum[auto, none]]", "\"none\""),
    (
        "Struct[{host => String, Optional[port] => Integer}]",
        r#"{"$h":[["host","x"],["port",22]]}"#,
    ),
];
const ROUNDS: usize = 20_000;
const PUPPETS_ROUNDS: usize = 400;

const SCRIPT: &str = r##"
require 'json'
require 'puppet'
types, rounds = JSON.parse(ARGV[0]), ARGV[1].to_i
parser = Puppet::Pops::Types::TypeParser.singleton
time = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
known = types.map { |text, value| [parser.parse(text), value] }
begun = time.call
rounds.times { types.each { |text, value| parser.parse(text).instance?(value) || abort(text) } }
read = time.call
(rounds * 20).times { known.each { |type, value| type.instance?(value) } }
puts (read - begun) / rounds / types.size, (time.call - read) / (rounds * 20) / types.size
"##;

/// Prints how often a second a type is read and tried, and a known type is tried.
pub fn all() -> Result<()> {
    let mut known = Vec::new();
    for (text, value) in TYPES {
        known.push((text, parse(text)?, Value::parse(value.as_bytes())?));
    }
    let begun = Instant::now();
    for _ in 0..ROUNDS / 20 {
        for (text, _, value) in &known {
            ensure!(parse(text)?.matches(value).is_yes(), "{text}");
        }
    }
    let count = (ROUNDS / 20 * known.len()) as f64;
    let read = begun.elapsed().as_secs_f64() / count;
    let begun = Instant::now();
    let mut found = 0;
    for _ in 0..ROUNDS {
        for (_, own, value) in &known {
            found += usize::from(own.matches(value).is_yes());
        }
    }
    ensure!(found == ROUNDS * known.len(), "a value is not of its type");
    let tried = begun.elapsed().as_secs_f64() / found as f64;
    let (puppets_read, puppets_tried) = puppet()?;
    for (what, own, theirs) in [
        ("types read and tried", read, puppets_read),
        ("known types tried", tried, puppets_tried),
    ] {
        println!(
            "{what}: {:.0} a second; Puppet {:.0}: {:.0} times as many",
            1.0 / own,
            1.0 / theirs,
            theirs / own
        );
    }
    Ok(())
}

/// Puppet's seconds for one type.
fn puppet() -> Result<(f64, f64)> {
    // Ruby's own JSON has no pairs: the hash is written as an object.
    let plain = |value: &str| {
        value.replace(
            r#"{"$h":[["host","x"],["port",22]]}"#,
            r#"{"host":"x","port":22}"#,
        )
    };
    let types: Vec<serde_json::Value> = TYPES
        .iter()
        .map(|(text, value)| {
            Ok(serde_json::json!([
                text,
                serde_json::from_str::<serde_json::Value>(&plain(value))?
            ]))
        })
        .collect::<Result<_>>()?;
    let types = serde_json::Value::from(types).to_string();
    let output = Command::new("ruby")
        .args(["-W0", "-e", SCRIPT, &types, &PUPPETS_ROUNDS.to_string()])
        .output()
        .context("ruby: run ci/setup")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout)?;
    let mut numbers = text.lines().map(str::parse::<f64>);
    let mut next = || {
        numbers
            .next()
            .context("a figure of Puppet")?
            .context("a figure of Puppet")
    };
    Ok((next()?, next()?))
}
