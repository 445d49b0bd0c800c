//! The reference agent against recordings of four releases of cf-agent.
//!
//! `fixtures/recorded/releases/situations.jsonl` holds a situation a line: a policy, what its modules answer, and
//! what each release did, under the oldest release that did so. `hostile.jsonl` has those with hostile modules.
//! `messages.jsonl` names cf-agent's messages.

mod differences;
mod module;

use cfengine_agent::{Ended, Format, Mode, Options, Severity, SimulationReport, run};
use cfengine_conform::{Exit, HOSTILE, Line, MESSAGES, Messages, SITUATIONS, Situation, Want};
use cfengine_protocol::release::{Compat, RELEASES, Release};
use differences::Differences;
use module::Modules;
use regex::Regex;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use stickler_conform::lines;

/// The folder of policy and modules; nothing is read there.
const FOLDER: &str = "/situation";

/// Where the reference agent does something else, and why. By the beginning of the situation's name.
const KNOWN: [(&str, &str); 7] = [
    (
        "request/iteration-foreign",
        "lists of other bundles in promisers",
    ),
    (
        "request-line/iteration-foreign",
        "lists of other bundles in promisers",
    ),
    ("response/json-depth-50000", "deep nesting"),
    ("response/validate-json-true", "a crash"),
    ("response/log-entries-null", "a crash"),
    ("response/classes-string", "a crash"),
    ("response/classes-null", "a crash"),
];

/// An agent's output, in memory.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("the output").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the reference agent does in a situation, and what it prints.
fn done(situation: &Situation, release: &'static Release, messages: &Messages) -> (Want, String) {
    let modules = Arc::new(Modules::of(&situation.modules));
    let output = Output::default();
    let workdir = tempfile::tempdir().expect("a folder");
    let mut options = Options {
        text: Some(situation.policy(FOLDER).into_bytes()),
        workdir: workdir.path().to_path_buf(),
        no_lock: true,
        level: Severity::Info,
        show_classes: Some(situation.classes.clone()),
        compat: Compat::Deployed(release),
        module_host: Some(modules.clone()),
        format: Format::Text,
        ..Options::new(format!("{FOLDER}/x.cf"))
    };
    if let Some(arguments) = &situation.args {
        options.level = Severity::Notice;
        for argument in arguments {
            match argument.as_str() {
                "-I" => options.level = Severity::Info,
                "-K" => options.no_lock = true,
                "-v" => options.level = Severity::Verbose,
                "-n" => options.mode = Mode::DryRun,
                "--simulate=manifest" => options.mode = Mode::Simulate(SimulationReport::Manifest),
                "--simulate=manifest-full" => {
                    options.mode = Mode::Simulate(SimulationReport::ManifestFull);
                }
                "--simulate=diff" => options.mode = Mode::Simulate(SimulationReport::Diff),
                other => match other.strip_prefix("--log-level=").and_then(Severity::named) {
                    Some(level) => options.level = level,
                    None => panic!("{other}"),
                },
            }
        }
    }
    let ended = run(options, Box::new(output.clone()));
    let printed = output.0.lock().expect("the output").clone();
    let printed = String::from_utf8_lossy(&printed).replace(FOLDER, "@DIR@");
    let mut want = messages.read(&printed);
    match ended {
        Ended::Exit(code) => want.exit = Some(Exit::Code(code)),
        Ended::Policy(_) => {
            let refused = Want {
                refused: true,
                ..Want::default()
            };
            return (refused, printed);
        }
        other => panic!("{}: {other:?}", situation.name),
    }
    want.asked = modules.asked(FOLDER);
    want.shorten();
    (want, printed)
}

/// What the reference agent says where cf-agent ends so.
fn fate(exit: Option<&Exit>) -> Option<&'static str> {
    match exit {
        Some(Exit::Other(word)) if word.starts_with("signal") => Some("would crash"),
        Some(Exit::Other(_)) => Some("would wait for ever"),
        _ => None,
    }
}

/// How the agent's behaviour differs from a recorded one, in words.
fn difference(situation: &Situation, own: &Want, recorded: &Want) -> Option<String> {
    if own.refused || recorded.refused {
        let differs = own.refused != recorded.refused;
        return differs
            .then(|| format!("refused: {}, recorded: {}", own.refused, recorded.refused));
    }
    if recorded.accepted {
        return None;
    }
    let number = r#"("line_number":|line_number=)[0-9]+"#;
    let lines = Regex::new(if situation.reflowed { number } else { "^$" }).expect("a pattern");
    let mut wrong = Vec::new();
    let mut compare = |what: &str, own: String, recorded: String| {
        if own != recorded {
            wrong.push(format!("{what}: {own}, recorded: {recorded}"));
        }
    };
    let shown = |value: &dyn std::fmt::Debug| format!("{value:?}");
    compare("exit", shown(&own.exit), shown(&recorded.exit));
    compare("classes", shown(&own.classes), shown(&recorded.classes));
    compare("reports", shown(&own.reports), shown(&recorded.reports));
    let sorted = |says: &[(String, String)]| {
        let mut says: Vec<_> = says.iter().filter(|(_, name)| *name != "aborted").collect();
        says.sort();
        format!("{says:?}")
    };
    if situation.varies.is_none() {
        compare("says", sorted(&own.says), sorted(&recorded.says));
    }
    for log in &recorded.logs {
        compare(
            "log",
            shown(&own.logs.iter().find(|own| *own == log)),
            shown(&Some(log)),
        );
    }
    for (module, asked) in &recorded.asked {
        let none = Vec::new();
        let own = own.asked.get(module).unwrap_or(&none);
        for at in 0..own.len().max(asked.len()) {
            let read = |asked: &[String]| Some(lines.replace(asked.get(at)?, "").into_owned());
            compare("asked", shown(&read(own)), shown(&read(asked)));
        }
    }
    (!wrong.is_empty()).then(|| wrong.join("\n    "))
}

fn situations(text: &str) -> Vec<Situation> {
    let lines: Vec<Line> = lines("situations", text).expect("the situations");
    lines.into_iter().map(|line| line.situation).collect()
}

#[test]
fn each_difference_is_recorded_and_each_recorded_difference_is_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/recorded/releases");
    let differences = Differences::load(&folder.join("differences.toml"));
    let situations = situations(SITUATIONS);
    for difference in &differences.difference {
        let since: Vec<&str> = difference.does.keys().map(String::as_str).collect();
        for name in &difference.recorded {
            let situation = situations.iter().find(|situation| situation.name == *name);
            let situation = situation.unwrap_or_else(|| panic!("{name} is not recorded"));
            for release in &RELEASES {
                let told = since.contains(&release.version);
                assert!(
                    situation.varies.is_some() || situation.changes_with(release) == told,
                    "{name}: {} changes, {:?}",
                    release.version,
                    difference.situation
                );
            }
        }
    }
    let told = |name: &String| {
        let mut all = differences.difference.iter();
        all.any(|difference| difference.recorded.contains(name))
    };
    let differing = situations
        .iter()
        .filter(|one| one.differs())
        .map(|one| &one.name);
    let untold: Vec<&String> = differing.filter(|name| !told(name)).collect();
    assert!(untold.is_empty(), "no difference tells of {untold:?}");
}

#[test]
fn the_reference_agent_reproduces_the_recordings_of_each_release() {
    let messages = Messages::read_names(MESSAGES).expect("the messages");
    let situations = situations(SITUATIONS);
    assert!(situations.len() > 400, "{}", situations.len());
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> = KNOWN.iter().map(|(name, _)| (*name, 0)).collect();
    for situation in &situations {
        for release in &RELEASES {
            // What does not change with a release is seen with the newest one.
            if !situation.changes_with(release) && release != Release::newest() {
                continue;
            }
            let Some(recorded) = situation.of(release) else {
                continue;
            };
            let (own, _) = done(situation, release, &messages);
            let Some(difference) = difference(situation, &own, recorded) else {
                continue;
            };
            match KNOWN
                .iter()
                .find(|(name, _)| situation.name.starts_with(name))
            {
                Some((name, _)) => *known.entry(name).or_default() += 1,
                None => wrong.push(format!(
                    "{} {}\n    {difference}",
                    situation.name, release.version
                )),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let stale: Vec<_> = known.iter().filter(|(_, count)| **count == 0).collect();
    assert!(stale.is_empty(), "these agree now: {stale:?}");
}

/// Where the reference agent does something else than 3.21.0 with hostile modules, and why. By the beginning of the
/// situation's name.
const KNOWN_HOSTILE: [(&str, &str); 3] = [
    ("hostile/evaluate-log-15", "what is in cf-agent's memory"),
    ("hostile/nested-objects-10000", "deep nesting"),
    ("hostile/log-64-mib", "cf-agent cuts the message"),
];

#[test]
fn the_reference_agent_does_what_was_recorded_with_hostile_modules() {
    let messages = Messages::read_names(MESSAGES).expect("the messages");
    let situations = situations(HOSTILE);
    assert!(situations.len() > 150, "{}", situations.len());
    let release = Release::named("3.21.0").expect("the release");
    let mut wrong = Vec::new();
    let mut known: BTreeMap<&str, usize> =
        KNOWN_HOSTILE.iter().map(|(name, _)| (*name, 0)).collect();
    for situation in &situations {
        let recorded = situation.of(release).expect("a recording");
        let (own, printed) = done(situation, release, &messages);
        // Where cf-agent ends so, the reference agent says so and continues.
        let difference = match fate(recorded.exit.as_ref()) {
            Some(said) if printed.contains(said) => None,
            Some(said) => Some(format!("does not say: {said}\n{printed:.2000}")),
            None => difference(situation, &own, recorded),
        };
        let Some(difference) = difference else {
            continue;
        };
        let mut accepted = KNOWN_HOSTILE.iter();
        match accepted.find(|(name, _)| situation.name.starts_with(name)) {
            Some((name, _)) => *known.entry(name).or_default() += 1,
            None => wrong.push(format!("{}\n    {difference:.3000}", situation.name)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let stale: Vec<_> = known.iter().filter(|(_, count)| **count == 0).collect();
    assert!(stale.is_empty(), "these agree now: {stale:?}");
}
