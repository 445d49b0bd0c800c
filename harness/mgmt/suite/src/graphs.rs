//! Graphs in sessions: a case runs in a fresh sandbox, and what happened is compared with what it says.

use crate::Mgmt;
use crate::staged::Lent;
use crate::wire::HostWire;
use mgmt_graph::{
    GraphCase, GraphEvent, GraphHost, Happened, Run, RunOptions as Choices, Shared, Ungiven, Went,
    give,
};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use stickler_session::sandbox::Host as Sandbox;
use stickler_session::{RunOptions, SessionError, Stepwise};
use stickler_suite::config::Config;
use stickler_suite::{Bench, Dialect as _, SCRATCH, Setting, scratch_dir};
use stickler_transcript::{Bytes, Case, Change, ChangeKind, Event, FileType, Step, Transcript};

/// Runs cases of one package.
pub struct GraphCases<'c> {
    /// The sandbox.
    pub host: &'c Sandbox,
    /// The description of the package.
    pub config: &'c Config,
    /// The command line of its host.
    pub argv: &'c [Bytes],
    /// Set when the user ends the run.
    pub stop: &'c AtomicBool,
}

/// The folder in which cases run.
pub fn case_folder() -> String {
    scratch_dir(0)
}

/// How a case ran.
#[derive(Debug)]
pub enum Ran {
    /// To its end.
    Whole(Box<Happened>),
    /// Its graph names what the package does not have: why.
    Ungiven(Ungiven),
}

impl GraphCases<'_> {
    /// Runs a case.
    ///
    /// # Errors
    /// If the sandbox fails, or if the user ends the run.
    pub fn run(&self, id: &str, case: &GraphCase) -> Result<Ran, SessionError> {
        let bench = Bench {
            dialect: &Mgmt,
            host: self.host,
            config: self.config,
            argv: self.argv,
        };
        let known = Mgmt.unknown();
        let setting = bench.setting(&known);
        let planned = planned(&setting, id, case);
        let options = RunOptions {
            stop: Some(self.stop),
            ..RunOptions::default()
        };
        let mut session = Stepwise::open(self.host, planned, &HostWire, &options)?;
        let mut stage = session.stage();
        let lent = Lent::new(&mut stage);
        let mut happened = Happened::default();
        let ungiven = drive(&lent, case, self.stop, &mut happened);
        lent.end()?;
        drop(stage);
        let transcript = session.close()?;
        if let Err(ungiven) = ungiven {
            return Ok(Ran::Ungiven(ungiven));
        }
        happened.files = files(&transcript, case);
        Ok(Ran::Whole(Box::new(happened)))
    }
}

/// The session of a case: its files, and a host.
fn planned(setting: &Setting<'_>, id: &str, graph: &GraphCase) -> Case {
    let mut case = setting.case(id);
    for (name, content) in &graph.files {
        let path = format!("{}/{name}", scratch_dir(0));
        case.plant(&path, content.clone().into_bytes(), 0o644);
    }
    case.step(Step::Observe {
        point: "start".to_owned(),
    });
    case.start(0);
    case.build()
}

/// Runs the graphs of a case.
fn drive(
    session: &Lent<'_>,
    case: &GraphCase,
    stop: &AtomicBool,
    happened: &mut Happened,
) -> Result<(), Ungiven> {
    let host =
        GraphHost::open(session.clone(), &format!("{SCRATCH}/var"), None).map_err(Ungiven::Lost)?;
    let first = give(&host, &case.graph, None)?;
    let second = case.second.as_ref();
    let second = second.map(|graph| give(&host, graph, None)).transpose()?;
    let listing = &mut happened.listing;
    let mut tell = |told: &GraphEvent| listing.hear(told);
    let choices = Choices {
        quiet: Duration::from_millis(100),
        limit: Duration::from_secs(60),
        arming: Duration::from_secs(5),
    };
    let mut run = Run::new(Shared::clone(&host), choices, stop, &mut tell);
    let mut went = run.give(first);
    if let (Ok(Went::Converged), Some(second)) = (&went, second) {
        went = run.give(second);
    }
    run.finish();
    match went {
        Ok(Went::Restless) => listing.is_bad("the graph does not converge".to_owned()),
        Err(lost) => {
            let first = lost.0.lines().next().unwrap_or_default();
            listing.is_bad(format!("lost: {first}"));
        }
        Ok(_) => {}
    }
    Ok(())
}

/// The files below the folder of the case at the end.
fn files(transcript: &Transcript, case: &GraphCase) -> BTreeMap<String, Vec<u8>> {
    let before = case.files.iter();
    let before = before.map(|(name, text)| (name.clone(), text.clone().into_bytes()));
    let mut files: BTreeMap<String, Vec<u8>> = before.collect();
    let root = format!("{}/", scratch_dir(0));
    let effects = transcript.events.iter().filter_map(|event| match event {
        Event::Effects { changes, .. } => Some(changes),
        _ => None,
    });
    for Change {
        path, kind, after, ..
    } in effects.flatten()
    {
        let path = path.lossy();
        let Some(name) = path.strip_prefix(&root) else {
            continue;
        };
        match after {
            _ if *kind == ChangeKind::Deleted => {
                files.remove(name);
            }
            Some(entry) if entry.kind == FileType::File => {
                let content = entry.content.as_ref().map(|content| content.to_vec());
                let large = || format!("({} bytes)", entry.size).into_bytes();
                files.insert(name.to_owned(), content.unwrap_or_else(large));
            }
            _ => {}
        }
    }
    files
}
