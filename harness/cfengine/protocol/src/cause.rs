//! Why a request failed, as far as the module says: the type of an exception, or a message without
//! its values.

use crate::logs;
use crate::session::{Exchange, Session};
use crate::trace;
use crate::words::{cut, visible};

/// The longest cause, in characters.
const LONG: usize = 60;
/// The longest message that is shown, in characters.
const LONGEST: usize = 200;

/// The attribute that the suite changed, or the promiser, and the cause: findings that have both in
/// common show one defect.
pub(crate) fn of(session: &Session, exchange: &Exchange) -> String {
    let field = session
        .item(exchange)
        .and_then(|item| item.field.as_deref())
        .filter(|field| !field.is_empty())
        .map(|field| match field {
            "promiser" | "attributes" => field.to_owned(),
            name => format!("`{}`", cut(&visible(name.as_bytes()), 40)),
        });
    let parts = [field, said(exchange)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What a module says about a request that failed, with its values, as a clause.
pub fn why_failed(session: &Session, number: usize) -> Option<String> {
    let exchange = session.exchanges.iter().find(|one| one.number == number)?;
    let log = logs::find(exchange, &["critical", "error"]);
    let said = log.or_else(|| trace::message(&exchange.errors))?;
    Some(format!("it says \"{}\"", cut(&visible(said), LONGEST)))
}

/// What the trace on standard error or the critical log message says.
fn said(exchange: &Exchange) -> Option<String> {
    let log = logs::find(exchange, &["critical"]).or_else(|| logs::find(exchange, &["error"]));
    let trace = || trace::message(&exchange.errors);
    let known = [trace(), log].into_iter().flatten();
    let exception = known
        .map(String::from_utf8_lossy)
        .find_map(|text| exception(&text).map(str::to_owned));
    exception.or_else(|| {
        let text = general(&String::from_utf8_lossy(log.or_else(trace)?), exchange);
        let text = cut(&visible(text.as_bytes()), LONG);
        // In quotes, since the text may have colons of its own.
        (!text.is_empty()).then(|| format!("\"{text}\""))
    })
}

/// The first word of a text that is the type of an exception: `KeyError`, `json.JSONDecodeError`.
pub fn exception(text: &str) -> Option<&str> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || "_.:".contains(c));
    let mut words = text.split(part).map(|word| word.trim_matches([':', '.']));
    words.find(|word| {
        let name = word.rsplit(['.', ':']).next().unwrap_or(word);
        let is_type = ["Error", "Exception"].iter().any(|end| {
            let stem = name.strip_suffix(end);
            stem.is_some_and(|stem| !stem.is_empty())
        });
        is_type && name.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

/// A text whose values are replaced by dots: texts of the request, quoted texts and numbers.
fn general(text: &str, exchange: &Exchange) -> String {
    let request = exchange.request.as_ref();
    // The promise type is the same in all requests, and often a word of the message: "download".
    let kind = request.and_then(|request| request.promise_type.as_deref());
    let mut values: Vec<_> = logs::quotable(exchange)
        .into_iter()
        .filter(|value| Some(*value) != kind)
        .filter_map(|value| std::str::from_utf8(value).ok())
        .filter(|value| value.len() > 3)
        .collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    let mut text = text.to_owned();
    for value in values {
        text = text.replace(value, "…");
    }
    let mut whole = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let tail = &rest[c.len_utf8()..];
        // An apostrophe follows a letter.
        let opens = "'\"`".contains(c) && !whole.ends_with(char::is_alphanumeric);
        let close = tail.find(c).filter(|_| opens);
        if let Some(close) = close {
            whole += "…";
            rest = &tail[close + c.len_utf8()..];
        } else if c.is_ascii_digit() {
            whole += "…";
            rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        } else {
            whole.push(c);
            rest = tail;
        }
    }
    while whole.contains("……") {
        whole = whole.replace("……", "…");
    }
    whole
}
