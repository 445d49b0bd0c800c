//! The two agents.

use crate::installed::{self, FOLDERS};
use cfengine_diff::{Agent, find};
use std::path::{Path, PathBuf};
use stickler_face::Failure;
use stickler_judge::Exit;

/// This program, as `stickler agent`, with the behaviour of the installed cf-agent, or of the one at a path.
pub fn reference(named: Option<&Path>) -> Result<Agent, Failure> {
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let compat = format!("--compat={}", installed::release(named).version);
    Ok(Agent {
        command: vec![program.into(), "agent".into(), compat.into()],
        promises: None,
    })
}

/// The installed cf-agent.
pub fn real(named: Option<&Path>) -> Result<Agent, Failure> {
    let folders = FOLDERS.map(Path::new);
    let missing = |name: &str| Failure {
        exit: Exit::NoSession,
        message: format!(
            "{name} is not installed: install Debian's package `cfengine3`, or compare with stored results: `--recorded FILE`"
        ),
    };
    let program = match named {
        Some(path) => std::path::absolute(path).map_err(anyhow::Error::from)?,
        None => find("cf-agent", &folders).ok_or_else(|| missing("cf-agent"))?,
    };
    let beside: Option<PathBuf> = program.parent().map(|folder| folder.join("cf-promises"));
    let promises = beside.filter(|path| path.exists());
    let promises = promises.or_else(|| find("cf-promises", &folders));
    Ok(Agent {
        command: vec![program.into(), "--color=never".into()],
        promises: Some(promises.ok_or_else(|| missing("cf-promises"))?),
    })
}
