//! Functions that come to a class.

use super::{Done, arg, class, string};
use crate::context::Agent;
use crate::number;
use crate::scan;
use crate::value::Value;

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
        // What are no numbers are compared as texts.
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
    let reference = crate::context::Reference::plain(text);
    let found = agent.find(&reference).is_some();
    class(found)
}

pub(super) fn classify(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let name = scan::canonify(arg(arguments, 0));
    let holds = agent.is_defined(&name);
    class(holds)
}

/// What only another system has: it fails.
pub(super) fn elsewhere(_: &mut Agent, _: &str, _: &[Value]) -> Done {
    Ok(None)
}

/// `ifelse(class, value, …, otherwise)`
pub(super) fn ifelse(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    if arguments.is_empty() || arguments.len().is_multiple_of(2) {
        return Ok(None);
    }
    for pair in arguments[..arguments.len() - 1].chunks(2) {
        let [condition, value] = pair else {
            continue;
        };
        let holds = condition
            .scalar()
            .is_some_and(|text| !scan::has_variables(text) && agent.is_defined(text));
        if holds && let Some(text) = value.scalar() {
            return string(text.clone());
        }
    }
    string(arg(arguments, arguments.len() - 1))
}

/// `cf_version_minimum("3.18")` and its like.
pub(super) fn version(_: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    const OWN: [u32; 3] = [3, 21, 0];
    let order = |text: &str| -> Option<std::cmp::Ordering> {
        let parts: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        let parts = parts.filter(|parts| !parts.is_empty() && parts.len() <= 3)?;
        Some(OWN[..parts.len()].cmp(&parts[..]))
    };
    let Some(first) = order(arg(arguments, 0)) else {
        return Ok(None);
    };
    class(match name {
        "cf_version_minimum" => first.is_ge(),
        "cf_version_after" => first.is_gt(),
        "cf_version_maximum" => first.is_le(),
        "cf_version_before" => first.is_lt(),
        "cf_version_at" => first.is_eq(),
        _ => match order(arg(arguments, 1)) {
            Some(second) => first.is_ge() && second.is_le(),
            None => return Ok(None),
        },
    })
}
