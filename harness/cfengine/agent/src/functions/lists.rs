//! Functions of lists.

use super::collect::primitives;
use super::{Done, arg, class, is_true, list, order, string};
use crate::context::Agent;
use crate::data::Data;
use crate::log::Severity;
use crate::number;
use crate::stop::Stop;
use crate::value::{Text, Value};
use cfengine_policy::text;
use std::collections::HashSet;

/// The most bytes in a part that `string_split` cuts off.
const LONGEST_PART: usize = 1023;

fn texts_of(agent: &mut Agent, name: &str, argument: &Value) -> Option<Vec<Text>> {
    let data = agent.collect_container(name, argument)?;
    Some(primitives(&data))
}

pub(super) fn join(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(texts) = texts_of(agent, name, &arguments[1]) else {
        return Ok(None);
    };
    string(texts.join(arg(arguments, 0)))
}

/// `splitstring(text, pattern, most)`: the text after the last part is dropped.
pub(super) fn splitstring(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let most = agent.entries(arg(arguments, 2));
    list(agent.cut(arg(arguments, 0), arg(arguments, 1), most, true)?)
}

/// `string_split(text, pattern, most)`: the last item is the rest of the text.
pub(super) fn string_split(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let most = agent.int(arg(arguments, 2)).unwrap_or(0);
    if most < 1 {
        agent.verbose(|| {
            format!(
                "Function '{name}' called with invalid maxent argument: '{most}' (should be > 0)."
            )
        });
        return Ok(None);
    }
    if !agent.compiles(arg(arguments, 1)) {
        return Ok(None);
    }
    let bytes = text::encode(arg(arguments, 0));
    let mut rest = &*bytes;
    let mut parts = Vec::new();
    for _ in 1..most {
        let Some((start, end)) = agent.patterns.find(arg(arguments, 1), rest) else {
            break;
        };
        agent.tick()?;
        if start > LONGEST_PART {
            let message = format!(
                "Segment in string_split() is {start} bytes and will be truncated to {LONGEST_PART} bytes"
            );
            agent.say(Severity::Warning, message);
        }
        parts.push(text::decode(&rest[..start.min(LONGEST_PART)]).into_owned());
        rest = &rest[end..];
    }
    parts.push(text::decode(rest).into_owned());
    list(parts)
}

pub(super) fn nth(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(data) = agent.collect(name, &arguments[0], false) else {
        return Ok(None);
    };
    if !data.is_container() {
        agent.verbose(|| {
            let shown = arguments[0].show(false);
            format!("Function 'nth', argument '{shown}' was not a data container or list")
        });
        return Ok(None);
    }
    let key = arg(arguments, 1);
    let found = match &data {
        Data::Object(members) => members.get(key).cloned(),
        Data::Array(items) => match agent.int(key) {
            Some(at) if at < 0 => {
                let at = items.len().checked_sub(at.unsigned_abs() as usize);
                at.and_then(|at| items.get(at)).cloned()
            }
            Some(at) => items.get(at as usize).cloned(),
            None => None,
        },
        _ => None,
    };
    match found.and_then(|found| found.primitive()) {
        Some(text) => string(text),
        None => Ok(None),
    }
}

pub(super) fn sublist(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(texts) = texts_of(agent, name, &arguments[0]) else {
        return Ok(None);
    };
    let most = agent.int(arg(arguments, 2)).unwrap_or(0);
    let most = usize::try_from(most).unwrap_or(0).min(texts.len());
    list(if arg(arguments, 1) == "head" {
        texts[..most].to_vec()
    } else {
        texts[texts.len() - most..].to_vec()
    })
}

pub(super) fn reverse(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    match texts_of(agent, name, &arguments[0]) {
        Some(texts) => list(texts.into_iter().rev()),
        None => Ok(None),
    }
}

/// `unique`, `difference`, `intersection`
pub(super) fn sets(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(texts) = texts_of(agent, name, &arguments[0]) else {
        return Ok(None);
    };
    let other: HashSet<Text> = match arguments.get(1) {
        Some(second) => match texts_of(agent, name, second) {
            Some(texts) => texts.into_iter().collect(),
            None => return Ok(None),
        },
        None => HashSet::new(),
    };
    let mut seen = HashSet::new();
    let wanted = |text: &Text| match name {
        "difference" => !other.contains(text),
        "intersection" => other.contains(text),
        _ => true,
    };
    let kept = texts.into_iter().filter(wanted);
    list(kept.filter(|text| seen.insert(text.clone())))
}

pub(super) fn sort(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(mut texts) = texts_of(agent, name, &arguments[0]) else {
        return Ok(None);
    };
    let how = match arguments.get(1) {
        Some(_) => arg(arguments, 1),
        None => "lex",
    };
    order::sort(&mut texts, order::named(how));
    list(texts)
}

/// `filter(pattern, list, is_regex, invert, most)`
pub(super) fn filter(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let is_true = |at| is_true(arguments, at);
    let most = agent.int(arg(arguments, 4)).unwrap_or(number::INFINITE);
    let most = usize::try_from(most).unwrap_or(0);
    let pattern = arg(arguments, 0);
    if is_true(2) && !agent.compiles(pattern) {
        return Ok(None);
    }
    let data = agent.collect_container(name, &arguments[1]);
    let Some(data) = data else {
        return Ok(None);
    };
    let texts = agent.iterated(&data)?;
    let mut kept = Vec::new();
    for text in texts {
        if kept.len() >= most {
            break;
        }
        let found = if is_true(2) {
            agent.patterns.matches_fully(pattern, &text)
        } else {
            pattern == &*text
        };
        if found != is_true(3) {
            kept.push(text);
        }
    }
    list(kept)
}

/// `grep`, `every`, `some`, `none`, `regarray`, `reglist`
pub(super) fn matching(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (pattern, from) = match name {
        "regarray" | "reglist" => (arg(arguments, 1), &arguments[0]),
        _ => (arg(arguments, 0), &arguments[1]),
    };
    if !agent.compiles(pattern) {
        return Ok(None);
    }
    let Some(data) = agent.collect_container(name, from) else {
        return Ok(None);
    };
    let mut kept = agent.iterated(&data)?;
    let total = kept.len();
    kept.retain(|text| agent.patterns.matches_fully(pattern, text));
    match name {
        "grep" => list(kept),
        "every" => class(kept.len() == total && total > 0),
        "none" => class(kept.is_empty()),
        _ => class(!kept.is_empty()),
    }
}

pub(super) fn length(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    match agent.collect_container(name, &arguments[0]) {
        Some(data) => string(data.len().to_string()),
        None => Ok(None),
    }
}

/// `max` and `min`, by an order; `sum`, `product`, `mean`, `variance`.
pub(super) fn fold(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    // `collect` could return a text, but none of these functions accepts one.
    let Some(data) = agent.collect(name, &arguments[0], false) else {
        return Ok(None);
    };
    let texts = agent.iterated(&data)?;
    if matches!(name, "max" | "min") {
        let less = order::named(arg(arguments, 1));
        let found = texts.into_iter().reduce(|best, text| {
            let is_better = less(&best, &text) == (name == "max");
            if is_better { text } else { best }
        });
        return match found {
            Some(text) => string(text),
            None => Ok(None),
        };
    }
    // Text that is no number counts as zero. The variance uses Welford's method.
    let (mut count, mut sum, mut product) = (0.0, 0.0, 1.0);
    let (mut mean, mut squares) = (0.0, 0.0);
    for text in &texts {
        let x = number::leading_real(text).unwrap_or(0.0);
        count += 1.0;
        sum += x;
        product *= x;
        let delta = x - mean;
        mean += delta / count;
        squares += delta * (x - mean);
    }
    let result = match name {
        "sum" => sum,
        "product" => product,
        _ if texts.is_empty() => return Ok(None),
        "mean" => mean,
        _ if texts.len() > 1 => squares / (count - 1.0),
        _ => 0.0,
    };
    string(number::shown(result))
}

/// `expandrange("a[1-3]", 1)`
pub(super) fn expandrange(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let template = arg(arguments, 0);
    let (before, rest) = template.split_once('[').unwrap_or((template, ""));
    let step = number::leading(arg(arguments, 1)).map_or(0, |(step, _)| step);
    // An incomplete range is read as far as it goes.
    let first = number::leading(rest);
    let rest = first.and_then(|(_, rest)| rest.strip_prefix('-'));
    let last = rest.and_then(number::leading);
    let after = last.and_then(|(_, rest)| rest.strip_prefix(']'));
    let after = after.and_then(|after| after.lines().next()).unwrap_or("");
    let end = |found: Option<(i64, &str)>| found.map_or(number::NONE, |(end, _)| end);
    let (from, to) = (end(first), end(last));
    if step < 1 || from.abs_diff(to) < step.unsigned_abs() {
        let message = "EXPANDRANGE Step size cannot be less than 1 or greater than the interval";
        return Err(Stop::Fatal(message.into()));
    }
    if from == number::NONE || to == number::NONE {
        let message = "EXPANDRANGE malformed range expression";
        return Err(Stop::Fatal(message.into()));
    }
    let mut items = Vec::new();
    let mut at = from;
    while if from <= to { at <= to } else { at >= to } {
        items.push(format!("{before}{at}{after}"));
        agent.tick()?;
        if items.len() > 1_000_000 {
            return Err(Stop::Limit("expandrange() gives too many items".into()));
        }
        let next = at.checked_add(if from <= to { step } else { -step });
        let Some(next) = next else {
            break;
        };
        at = next;
    }
    list(items)
}
