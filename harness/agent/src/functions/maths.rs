//! Functions of numbers, dates and digests.

mod eval;

use super::strings::hex;
use super::{Done, arg, class, string};
use crate::context::{Agent, Reference, Variable};
use crate::machine;
use crate::number;
use crate::value::{Kind, Value};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::rc::Rc;
use stickler_policy::text;

/// `eval(expression, mode, options)`
pub(super) fn eval(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let is_class = arg(arguments, 1) == "class";
    let nothing = arg(arguments, 0).is_empty();
    let result = if nothing {
        Ok(0.0)
    } else {
        eval::evaluate(arg(arguments, 0))
    };
    match result {
        Ok(number) if is_class => class(number != 0.0),
        Err(_) if is_class => class(false),
        Ok(number) => string(format!("{number:.6}")),
        Err(rest) => {
            let blank = arg(arguments, 0).trim().is_empty();
            let rest = if blank { arg(arguments, 0) } else { rest };
            let message = format!("eval error: expression could not be parsed (input '{rest}')");
            agent.say(crate::log::Level::Info, message);
            string("")
        }
    }
}

/// `irange` and `rrange`
pub(super) fn range(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    if name == "irange" {
        let (Some(a), Some(b)) = (agent.int(arg(arguments, 0)), agent.int(arg(arguments, 1)))
        else {
            return Ok(None);
        };
        return string(format!("{},{}", a.min(b), a.max(b)));
    }
    let (Some(a), Some(b)) = (
        number::real(arg(arguments, 0)),
        number::real(arg(arguments, 1)),
    ) else {
        return Ok(None);
    };
    string(format!("{:.6},{:.6}", a.min(b), a.max(b)))
}

pub(super) fn now(_: &mut Agent, _: &str, _: &[Value]) -> Done {
    string(machine::now().to_string())
}

/// `strftime(mode, format, time)`
pub(super) fn strftime(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let Some(time) = agent.int(arg(arguments, 2)) else {
        return Ok(None);
    };
    let zone = if arg(arguments, 0) == "gmtime" {
        TimeZone::UTC
    } else {
        TimeZone::system()
    };
    let Ok(time) = jiff::Timestamp::from_second(time) else {
        return Ok(None);
    };
    // As in the locale `C`.
    let template = arg(arguments, 1)
        .replace("%c", "%a %b %e %H:%M:%S %Y")
        .replace("%x", "%m/%d/%y")
        .replace("%X", "%H:%M:%S");
    let template = if arg(arguments, 0) == "gmtime" {
        template.replace("%Z", "GMT")
    } else {
        template
    };
    let shown = jiff::fmt::strtime::format(&template, &time.to_zoned(zone));
    match shown {
        Ok(shown) => string(shown),
        Err(_) => Ok(None),
    }
}

fn numbers(arguments: &[Value]) -> Option<Vec<i64>> {
    arguments
        .iter()
        .map(|value| number::int(value.scalar()?))
        .collect()
}

/// `ago`, `accumulated`, `on`, `laterthan`: years down to seconds.
pub(super) fn date(_: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(parts) = numbers(arguments).filter(|parts| parts.len() == 6) else {
        return Ok(None);
    };
    let [years, months, days, hours, minutes, seconds] = parts[..] else {
        return Ok(None);
    };
    let clock = hours * 3600 + minutes * 60 + seconds;
    if name == "accumulated" {
        return string((((years * 365) + months * 30 + days) * 86_400 + clock).to_string());
    }
    if name == "ago" {
        let now = jiff::Timestamp::now().to_zoned(TimeZone::system());
        let span = jiff::Span::new()
            .try_years(years)
            .and_then(|span| span.try_months(months))
            .and_then(|span| span.try_days(days))
            .and_then(|span| span.try_seconds(clock));
        return match span.and_then(|span| now.checked_sub(span)) {
            Ok(then) => string(then.timestamp().as_second().to_string()),
            Err(_) => Ok(None),
        };
    }
    let short = |number: i64| i8::try_from(number).ok();
    let time = (|| {
        let date = DateTime::new(
            i16::try_from(years).ok()?,
            short(months)?,
            short(days)?,
            short(hours)?,
            short(minutes)?,
            short(seconds)?,
            0,
        );
        let zoned = date.ok()?.to_zoned(TimeZone::system()).ok()?;
        Some(zoned.timestamp().as_second())
    })();
    match (time, name) {
        (Some(time), "laterthan") => class(machine::now() > time),
        (Some(time), _) => string(time.to_string()),
        (None, _) => Ok(None),
    }
}

/// A digest in hexadecimal digits; none where the algorithm is not known.
pub(crate) fn digest(bytes: &[u8], algorithm: &str) -> Option<String> {
    use md5::Md5;
    use sha1::Sha1;
    use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
    Some(match algorithm {
        "md5" => hex(&Md5::digest(bytes)),
        "sha1" => hex(&Sha1::digest(bytes)),
        "sha224" => hex(&Sha224::digest(bytes)),
        "sha256" => hex(&Sha256::digest(bytes)),
        "sha384" => hex(&Sha384::digest(bytes)),
        "sha512" => hex(&Sha512::digest(bytes)),
        _ => return None,
    })
}

/// `hash`, `file_hash`, `hashmatch`
pub(super) fn hash(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let algorithm = arg(arguments, 1);
    let bytes = if name == "hash" {
        text::encode(arg(arguments, 0)).into_owned()
    } else {
        match agent.read_bytes(arg(arguments, 0)) {
            Ok(bytes) => bytes,
            Err(_) if name == "hashmatch" => return class(false),
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!(
                    "Cannot open file for hashing '{}'. (fopen: {reason})",
                    arg(arguments, 0)
                );
                agent.say(crate::log::Level::Info, message);
                // The digest of nothing read is zeros.
                let length = digest(b"", algorithm).map_or(0, |digest| digest.len());
                return string("0".repeat(length));
            }
        }
    };
    match digest(&bytes, algorithm) {
        Some(own) if name == "hashmatch" => class(own == arg(arguments, 2)),
        Some(own) => string(own),
        None => {
            agent.complain("Could not determine function for file hashing (type=9)");
            string("")
        }
    }
}

pub(super) fn randomint(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (Some(a), Some(b)) = (agent.int(arg(arguments, 0)), agent.int(arg(arguments, 1))) else {
        return Ok(None);
    };
    let (low, high) = (a.min(b), a.max(b));
    string((low + ((high - low) as f64 * machine::chance()) as i64).to_string())
}

/// `regextract(pattern, text, array)`: the groups become an array.
pub(super) fn regextract(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let groups = agent.patterns.groups(arg(arguments, 0), arg(arguments, 1));
    let Some(groups) = groups else {
        return class(false);
    };
    for (name, text) in groups {
        let reference = agent.name_of(arg(arguments, 2));
        let reference = Reference {
            indices: vec![name.into()],
            ..reference
        };
        let variable = Variable {
            kind: Kind::String,
            value: Value::text(text),
            tags: Rc::new(vec!["source=function".into(), "function=regextract".into()]),
            comment: None,
        };
        agent.put(&reference, variable)?;
    }
    class(true)
}
