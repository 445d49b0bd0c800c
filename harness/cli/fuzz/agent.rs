//! `stickler fuzz --agent`: a campaign on an agent.

mod campaign;
mod ended;
mod follow;
mod judging;
mod page;
mod view;

use super::settings::{any_seed, limits};
use crate::args::{Coverage, FuzzArgs};
use crate::check::selected;
use crate::outputs::Output;
use crate::{date, parsed, reproducer};
use campaign::{Campaign, Settings};
use judging::Judging;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use stickler_face::args::ReportArgs;
use stickler_face::conform::Conforming;
use stickler_face::{Dialects, Done, Failure, Interrupt, subject};
use stickler_judge::Exit;
use stickler_suite::config::Config;
use view::View;

/// The options of `fuzz` that go with an agent.
const ALLOWED: [&str; 18] = [
    "agent",
    "command",
    "coverage",
    "dialect",
    "sandbox",
    "time",
    "cases",
    "until_finding",
    "folder",
    "reproducers",
    "seed",
    "jobs",
    "format",
    "report",
    "verbose",
    "strict",
    "select",
    "ignore",
];

/// Whether a campaign may colour its report.
const COLOR: &str = "color";

/// How many situations are played for each CPU: in most of them, somebody waits.
const EACH: usize = 3;

/// Runs the campaign.
pub fn run(dialects: &Dialects, args: &FuzzArgs, interrupt: &Interrupt) -> Done {
    let chosen = match &args.subject.dialect {
        Some(name) => dialects.named(name)?,
        None => dialects.named(dialects.usual().vocabulary().dialect)?,
    };
    let face = chosen.face;
    refuse(args)?;
    let limits = limits(args)?;
    let jobs = match args.jobs {
        None => EACH * parsed::jobs(None)?,
        given => parsed::jobs(given)?,
    };
    let asked = ReportArgs {
        select: args.select.clone(),
        ignore: args.ignore.clone(),
        ..ReportArgs::default()
    };
    let all = face.dialect().rules_for_agents();
    let rules = match all.is_empty() {
        true => all,
        false => selected(&asked, &all)?,
    };
    let command: Vec<OsString> = args.subject.command.iter().map(OsString::from).collect();
    let coverage = follow::opened(args)?;
    let mut config = Config::default();
    let shown = coverage.iter().map(|coverage| coverage.folder().to_owned());
    config.sandbox.expose.extend(shown);
    let shares = coverage
        .as_ref()
        .is_some_and(|coverage| coverage.kind().shares_segments());
    let host = subject::host_with(face.dialect(), &args.sandbox, &config, shares)?;
    let cancel = Arc::new(AtomicBool::new(false));
    let maker = face.situations(&Conforming {
        command: &command,
        host: &host,
        more: &[],
        only: None,
        stop: Arc::clone(&cancel),
    });
    let maker = maker.ok_or_else(|| {
        let subjects = face.vocabulary().subjects;
        Failure::usage(format!(
            "--agent: there are no situations to make up for agents of {subjects}"
        ))
    })??;
    let name = reproducer::file_name(&maker.agent().replace(' ', "-"));
    let usual = || Path::new(reproducer::FOLDER).join("fuzz").join(&name);
    let own = args.folder.clone().unwrap_or_else(usual);
    let findings = args.reproducers.clone();
    let findings = findings.unwrap_or_else(|| own.join(super::folder::FINDINGS));
    let mut output = args.report.as_deref().map(Output::page).transpose()?;
    let seed = args.seed.unwrap_or_else(any_seed);
    let view = View::new(args, &name, &findings);
    let began = date::now();
    let mut facts = vec![
        face.vocabulary().dialect.to_owned(),
        format!("compared with the reference agent as {}", maker.release()),
        subject::sandbox(&host.tier().to_string()),
    ];
    if let Some(coverage) = &coverage {
        let kind = coverage.kind();
        facts.push(format!("follows {} {}", kind.name(), kind.units()));
    }
    view.title(&maker.agent(), &facts, seed);
    let judging = Judging {
        maker: &*maker,
        dialect: face.dialect(),
        rules: &rules,
        // Whoever selects rules wants no others.
        compares: args.select.is_empty(),
        release: maker.release(),
    };
    let follow = follow::Follow::new(coverage.as_ref());
    let ended = Campaign::new(
        &*maker,
        &judging,
        &follow,
        &view,
        Settings {
            seed,
            jobs,
            limits,
            strict: args.strict,
            stop: interrupt.stop(),
            cancel: &cancel,
        },
    )
    .run()?;
    let wants = !matches!(args.coverage, Coverage::Auto | Coverage::Off);
    if wants && ended.status.branches == Some(0) && ended.status.cases > 0 {
        return Err(Failure {
            exit: Exit::NothingExercised,
            message: "the agent reported no branches, although --coverage requires them".to_owned(),
        });
    }
    let exit = ended.exit(args.strict);
    view.ended(&ended, exit)?;
    if let Some(output) = &mut output {
        let about = page::About {
            subject: maker.agent(),
            command: args.subject.command.join(" "),
            facts,
            began,
            seed,
        };
        output.write(&page::page(face, args, about, &ended, exit)?)?;
        output.tell();
    }
    drop(maker);
    drop(host);
    interrupt.obey();
    Ok(exit)
}

/// Refuses what has no meaning for an agent.
fn refuse(args: &FuzzArgs) -> Result<(), Failure> {
    for id in args.subject.given.ids() {
        if !ALLOWED.contains(&id) && id != COLOR {
            return Err(Failure::usage(match id {
                "module" => "--agent: write the agent after `--`; it takes no module".to_owned(),
                id => format!(
                    "--agent: --{} is for modules, not for agents",
                    id.replace('_', "-")
                ),
            }));
        }
    }
    if args.yields {
        return Err(Failure::usage(
            "--agent: --yields is for modules, not for agents",
        ));
    }
    if args.module.is_some() {
        return Err(Failure::usage(
            "--agent: write the agent after `--`; it takes no module",
        ));
    }
    if args.subject.command.is_empty() {
        return Err(Failure::usage(
            "--agent: name the agent after `--`: stickler fuzz --agent -- AGENT",
        ));
    }
    Ok(())
}
