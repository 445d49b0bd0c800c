//! Functions that return a class.

use super::{Done, arg, class, string};
use crate::context::Agent;
use crate::expand::NOWHERE;
use crate::log::Severity;
use crate::number;
use crate::scan;
use crate::stop::Stop;
use crate::value::Value;
use std::cmp::Ordering;

pub(super) fn and(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    for argument in arguments {
        let Some(text) = argument.scalar() else {
            return class(false);
        };
        if !agent.is_defined(text) {
            return class(false);
        }
    }
    class(true)
}

pub(super) fn or(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    for argument in arguments {
        if argument.scalar().is_some_and(|text| agent.is_defined(text)) {
            return class(true);
        }
    }
    class(false)
}

pub(super) fn not(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let holds = agent.is_defined(arg(arguments, 0));
    class(!holds)
}

pub(super) fn strcmp(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    class(arg(arguments, 0) == arg(arguments, 1))
}

pub(super) fn regcmp(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (pattern, text) = (arg(arguments, 0), arg(arguments, 1));
    agent.compiles(pattern);
    match agent.patterns.groups_fully(pattern, text) {
        Some(groups) => {
            agent.matched = groups
                .into_iter()
                .map(|(name, text)| (name.into(), text.into()))
                .collect();
            class(true)
        }
        None => class(false),
    }
}

pub(super) fn compare(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (left, right) = (arg(arguments, 0), arg(arguments, 1));
    let less = name == "islessthan";
    if !number::starts_real(left) || !number::starts_real(right) {
        // Operands that are no numbers are compared as texts.
        return class(if less { left < right } else { left > right });
    }
    let Some(a) = agent.real(left) else {
        return Ok(None);
    };
    let Some(b) = agent.real(right) else {
        return Ok(None);
    };
    class(if less { a < b } else { a > b })
}

pub(super) fn isvariable(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let text = arg(arguments, 0);
    if text.is_empty() {
        return class(false);
    }
    let reference = agent.reference(text, NOWHERE);
    let found = agent.find(&reference).is_some();
    class(found)
}

pub(super) fn classify(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let name = scan::canonify(arg(arguments, 0));
    let holds = agent.is_defined(&name);
    class(holds)
}

/// A function that exists only on another operating system: it fails.
pub(super) fn elsewhere(_: &mut Agent, _: &str, _: &[Value]) -> Done {
    Ok(None)
}

/// Whether a function is called even if some arguments are not known.
pub(super) fn may_be_unresolved(name: &str, arguments: &[Value]) -> bool {
    name == "ifelse" && arguments.len() == 3 && !matches!(arguments[0], Value::Call(_))
}

/// `ifelse(class, value, …, otherwise)`
pub(super) fn ifelse(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    if arguments.len().is_multiple_of(2) {
        let message = "in built-in FnCall ifelse: even number of arguments";
        return Err(Stop::Fatal(message.into()));
    }
    let mut chosen = &arguments[arguments.len() - 1];
    for pair in arguments.chunks_exact(2) {
        let holds = pair[0]
            .scalar()
            .is_some_and(|text| agent.is_defined(text) && !scan::has_variables(text));
        if holds {
            chosen = &pair[1];
            break;
        }
    }
    match chosen.scalar() {
        Some(text) => string(text.clone()),
        None => Err(agent.aborts("ifelse() chooses the value of a function that failed")),
    }
}

/// `cf_version_minimum("3.18")` and related functions.
pub(super) fn version(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let between = name == "cf_version_between";
    let mut order = |at: usize, which: &str| {
        let text = arg(arguments, at);
        let order = compared_with_own(text);
        if order.is_none() {
            let message =
                format!("{name}: Format of {which}version comparison string '{text}' is incorrect");
            agent.say(Severity::Error, message);
        }
        order
    };
    let Some(first) = order(0, if between { "lower " } else { "" }) else {
        return Ok(None);
    };
    class(match name {
        "cf_version_minimum" => first.is_ge(),
        "cf_version_after" => first.is_gt(),
        "cf_version_maximum" => first.is_le(),
        "cf_version_before" => first.is_lt(),
        "cf_version_at" => first.is_eq(),
        _ => match order(1, "upper ") {
            Some(second) => first.is_ge() && second.is_le(),
            None => return Ok(None),
        },
    })
}

/// Compares cf-agent's version with the version at the start of a text, by as many parts as the
/// text has.
fn compared_with_own(text: &str) -> Option<Ordering> {
    const OWN: [i64; 3] = [3, 21, 0];
    let mut parts = Vec::new();
    let mut rest = Some(text);
    while parts.len() < OWN.len()
        && let Some((part, behind)) = rest.and_then(number::leading)
    {
        parts.push(part);
        rest = behind.strip_prefix('.');
    }
    (!parts.is_empty()).then(|| OWN[..parts.len()].cmp(&parts[..]))
}
