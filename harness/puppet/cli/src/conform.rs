//! `stickler conform` for Puppet.

use puppet_conform::{Agent, Line, Situations, lines};
use stickler_conform::Table;
use stickler_face::Failure;
use stickler_face::conform::{Conforming, cannot_run, unusable};

/// The situations, and the agent that plays them.
pub fn table(asked: &Conforming<'_>) -> Result<Box<dyn Table>, Failure> {
    let mut more = Vec::new();
    for (name, text) in asked.more {
        more.extend(lines(name, text).map_err(|error| unusable(&error))?);
    }
    if let Some(option) = Agent::idle_option(asked.command) {
        return Err(Failure::usage(format!(
            "{}: options of the agent have no effect, since each situation has its own; leave it out, or add a \
             situation with `options` or `strict`",
            option.display()
        )));
    }
    if let Some(why) = Agent::unplayable(asked.host) {
        return Err(Failure::usage(why));
    }
    let agent = Agent::new(asked.command, asked.host).map_err(|error| cannot_run(&error))?;
    let table = match asked.only {
        None => Situations::own(agent),
        Some(only) => {
            let lines = only.iter().map(|value| Line::read(&value.to_string()));
            let lines: anyhow::Result<Vec<Line>> = lines.collect();
            lines.and_then(|lines| Situations::of(agent, lines))
        }
    };
    let mut table = table.map_err(|error| unusable(&error))?;
    table.extend(more);
    Ok(Box::new(table))
}
