//! Functions of numbers, dates and digests.

mod eval;

use super::strings::hex;
use super::{Done, arg, class, string};
use crate::context::{Agent, Reference, Variable};
use crate::machine;
use crate::number;
use crate::stop::Stop;
use crate::value::{Kind, Value};
use cfengine_policy::text;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::rc::Rc;

/// `eval(expression, mode, options)`
pub(super) fn eval(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let is_class = arg(arguments, 1) == "class";
    let expression = arg(arguments, 0);
    match eval::evaluate(expression) {
        Ok(number) if is_class => class(!eval::is_zero(number)),
        Ok(number) => string(number::shown(number)),
        Err(eval::Broken::Remainder) => {
            let message = format!(
                "eval error: a remainder by zero (input '{expression}'): cf-agent 3.21.0 would crash here"
            );
            // cf-agent's check before a run would crash too, so it rejects the policy.
            if agent.checking {
                return Err(Stop::Policy(message));
            }
            agent.complain(message);
            Ok(None)
        }
        Err(eval::Broken::Syntax) if is_class => class(false),
        Err(eval::Broken::Syntax) => {
            let message =
                format!("eval error: expression could not be parsed (input '{expression}')");
            agent.say(crate::log::Severity::Info, message);
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
    let time = agent.int_or_none(arg(arguments, 2));
    let zone = if arg(arguments, 0) == "gmtime" {
        TimeZone::UTC
    } else {
        machine::zone()
    };
    let Ok(time) = jiff::Timestamp::from_second(time) else {
        return Ok(None);
    };
    let template = conversions(arg(arguments, 1), arg(arguments, 0) == "gmtime");
    let shown = jiff::fmt::strtime::format(&template, &time.to_zoned(zone));
    match shown {
        Ok(shown) if !shown.is_empty() => string(shown),
        _ => Ok(None),
    }
}

/// The `strftime` conversions that are one character after `%`.
const CONVERSIONS: &str = "aAbBCdDeFgGhHIjklmMnpPRsStTuUVwWyYzZ%";

/// Replaces the conversions that depend on the locale by their meaning in the locale `C`. Unknown
/// conversions become text, padded to the width that they give.
fn conversions(template: &str, gmtime: bool) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let flags = rest[1..].trim_start_matches(['_', '-', '0', '^', '#', '+']);
        let letter = flags.trim_start_matches(|c: char| c.is_ascii_digit());
        let (flags, width) = (
            &rest[1..rest.len() - flags.len()],
            &flags[..flags.len() - letter.len()],
        );
        let letter = letter.trim_start_matches(['E', 'O']);
        let Some(conversion) = letter.chars().next() else {
            out.push_str("%%");
            out.push_str(&rest[1..]);
            return out;
        };
        let end = rest.len() - letter.len() + conversion.len_utf8();
        match conversion {
            'c' => out.push_str("%a %b %e %H:%M:%S %Y"),
            'x' => out.push_str("%m/%d/%y"),
            'X' => out.push_str("%H:%M:%S"),
            'r' => out.push_str("%I:%M:%S %p"),
            'Z' if gmtime => out.push_str("GMT"),
            known if CONVERSIONS.contains(known) => {
                out.push('%');
                out.push_str(flags);
                out.push_str(width);
                out.push(known);
            }
            _ => {
                let missing = width.parse().unwrap_or(0_usize).saturating_sub(end);
                out.push_str(&" ".repeat(missing.min(4095)));
                out.push('%');
                out.push_str(&rest[..end]);
            }
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// `ago`, `accumulated`, `on`, `laterthan`: the arguments are years, months, days, hours, minutes
/// and seconds.
pub(super) fn date(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let texts = arguments.iter().filter_map(Value::scalar);
    let parts: Vec<i64> = texts.map(|text| agent.int_or_none(text)).collect();
    let [years, months, days, hours, minutes, seconds] = parts[..] else {
        return Ok(None);
    };
    let clock = hours * 3600 + minutes * 60 + seconds;
    if name == "accumulated" {
        return string((((years * 365) + months * 30 + days) * 86_400 + clock).to_string());
    }
    // Months and days count from zero, except in `laterthan`. A value out of range carries over
    // into the next larger unit.
    if name == "ago" {
        let now = jiff::Timestamp::now().to_zoned(machine::zone());
        let own = |number: i8| i64::from(number);
        let time = moment(
            i64::from(now.year()) - years,
            own(now.month()) - 1 - months,
            own(now.day()) - 1 - days,
            (own(now.hour()) - hours) * 3600
                + (own(now.minute()) - minutes) * 60
                + (own(now.second()) - seconds),
        );
        return string(time.filter(|time| *time >= 0).unwrap_or(0).to_string());
    }
    let first = i64::from(name == "laterthan");
    let time = moment(years, months - first, days - first, clock);
    if time.is_none() {
        agent.say(crate::log::Severity::Info, "Illegal time value");
    }
    let time = time.unwrap_or(-1);
    match name {
        "laterthan" => class(machine::now() > time),
        _ => string(time.to_string()),
    }
}

/// Seconds since 1970. Months and days count from zero and may have any size.
fn moment(years: i64, months: i64, days: i64, seconds: i64) -> Option<i64> {
    let year = i16::try_from(years + months.div_euclid(12)).ok()?;
    let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
    let start = DateTime::new(year, month, 1, 0, 0, 0, 0).ok()?;
    let span = jiff::Span::new().try_days(days).ok()?;
    let span = span.try_seconds(seconds).ok()?;
    let zoned = start.checked_add(span).ok()?.to_zoned(machine::zone());
    Some(zoned.ok()?.timestamp().as_second())
}

/// A digest in hexadecimal digits; `None` if the algorithm is unknown.
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
    let (what, algorithm) = (arg(arguments, 0), arg(arguments, 1));
    let own = if name == "hash" {
        digest(&text::encode(what), algorithm)
    } else {
        match agent.read_bytes(what) {
            Ok(bytes) => digest(&bytes, algorithm),
            // Opening a directory works, but nothing can be read from it.
            Err(_) if std::fs::metadata(&*agent.at(what)).is_ok_and(|meta| meta.is_dir()) => {
                digest(b"", algorithm)
            }
            Err(error) => {
                let reason = machine::reason(&error);
                let message = format!("Cannot open file for hashing '{what}'. (fopen: {reason})");
                agent.say(crate::log::Severity::Info, message);
                // cf-agent gives a digest of zeros if it read nothing.
                digest(b"", algorithm).map(|digest| "0".repeat(digest.len()))
            }
        }
    };
    match own {
        Some(own) if name == "hashmatch" => {
            let expected = arg(arguments, 2);
            agent.verbose(|| {
                let kind = if algorithm == "md5" { "MD5" } else { "SHA" };
                format!("File '{what}' hashes to '{kind}={own}', compare to '{expected}'")
            });
            class(own == expected)
        }
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

/// `regextract(pattern, text, array)`: the groups become array elements, by name if they have one.
pub(super) fn regextract(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let groups = agent
        .patterns
        .named_groups(arg(arguments, 0), arg(arguments, 1));
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
            promise: None,
        };
        agent.put(&reference, variable)?;
    }
    class(true)
}
