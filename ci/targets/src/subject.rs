//! The module that is fuzzed: what the variable names, the module beside the program, or one that
//! ships with Stickler.

use cfengine_suite::{PromiseModules, VOCABULARY};
use std::path::{Path, PathBuf};
use stickler_fuzz::{Coverage, CoverageKind, Guide, sources};
use stickler_session::sandbox::{Host, HostOptions, Tier};
use stickler_suite::config::{Config, Subject, from_file};
use stickler_suite::{Dialect, Preparing, RunSettings};
use stickler_transcript::Bytes;

/// Names a `stickler.toml`, its folder, or a command line.
const VARIABLE: &str = "STICKLER_FUZZ_SUBJECT";
/// A folder beside the program, with a module and its `stickler.toml`.
const BESIDE: &str = "session_subject";
/// A sound module.
const SHIPPED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/modules/greeting_py"
);

/// Where the module is described, or its command line.
fn named() -> Result<Config, String> {
    let words = match std::env::var(VARIABLE) {
        Ok(words) if !words.trim().is_empty() => words,
        _ => {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let beside = program.with_file_name(BESIDE);
            let folder = if beside.is_dir() {
                beside
            } else {
                SHIPPED.into()
            };
            folder.display().to_string()
        }
    };
    let mut file = PathBuf::from(&words);
    if file.is_dir() {
        file.push("stickler.toml");
    }
    if file.extension().is_some_and(|end| end == "toml") {
        return from_file(&file, &VOCABULARY).map_err(|error| error.to_string());
    }
    Ok(Config {
        dir: ".".into(),
        subject: Subject {
            command: words.split_whitespace().map(str::to_owned).collect(),
            ..Subject::default()
        },
        ..Config::default()
    })
}

/// The module's command line, with the path of its program.
fn argv(config: &Config) -> Result<Vec<Bytes>, String> {
    let command = PromiseModules::default().prepare(config, &Preparing::quietly());
    let mut argv = command.map_err(|error| error.to_string())?;
    let first = argv.first_mut().ok_or("the command is empty")?;
    let program = first.lossy().into_owned();
    let found = if program.contains('/') {
        Some(config.dir.join(&program))
    } else {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&path).map(|folder| folder.join(&program));
        folders.find(|path| path.is_file())
    };
    let found = found.filter(|path| path.is_file());
    let found = found.ok_or_else(|| format!("{program}: no such program"))?;
    let found = std::path::absolute(found).map_err(|error| error.to_string())?;
    *first = found.display().to_string().as_str().into();
    Ok(argv)
}

/// Everything that sessions with the module need, and a line about it.
///
/// # Errors
///
/// Why there can be no sessions with it.
pub fn guide() -> Result<(Guide, String), String> {
    let config = named()?;
    let argv = argv(&config)?;
    let coverage = CoverageKind::of_command(&argv).map(|kind| Coverage::open(kind, false));
    let coverage = coverage
        .transpose()
        .map_err(|error| format!("no coverage: {error}"))?;
    let mut expose = config.sandbox.expose.clone();
    expose.extend(coverage.iter().map(|coverage| coverage.folder().to_owned()));
    let options = HostOptions {
        network: config.sandbox.network,
        expose,
        shares_segments: coverage
            .as_ref()
            .is_some_and(|coverage| coverage.kind().shares_segments()),
        ..HostOptions::default()
    };
    let tier = config.sandbox.tier.as_deref();
    let tier = tier
        .map(|tier| {
            tier.parse::<Tier>()
                .map_err(|_| format!("no sandbox {tier}"))
        })
        .transpose()?;
    let host = Host::probe(tier, options).map_err(|error| error.to_string())?;
    let follows = match &coverage {
        Some(coverage) => coverage.kind().name(),
        None => "answers alone",
    };
    let name = argv
        .last()
        .map_or_else(String::new, |word| word.lossy().into_owned());
    let name = Path::new(&name).display();
    let about = format!("{name}, sandbox {}, follows {follows}", host.tier());
    let guide = Guide {
        dialect: Box::new(PromiseModules::default()),
        sources: sources(&config),
        host,
        config,
        argv,
        settings: RunSettings::default(),
        coverage,
    };
    Ok((guide, about))
}
