//! The shortest excerpt of a session that shows a finding.

use crate::message::Answer;
use crate::session::{Call, Session};
use crate::visit;
use stickler_json::Json;
use stickler_judge::{Arrow, Claim, ExcerptLine, Finding, View, effects};
use stickler_reading::AnyReading;
use stickler_reading::words::{cut, visible};
use stickler_transcript::{Case, Fate};

/// The longest line of evidence, in characters.
const LINE: usize = 160;

impl View for Session {
    fn reading(&self) -> &dyn AnyReading {
        &**self
    }

    fn claims(&self) -> Vec<Claim> {
        visit::claims(self)
    }

    /// What only mgmt gives leaves its marks on all that comes later.
    fn lack(&self, exchange: usize) -> Option<String> {
        let mut before = self.exchanges.iter().filter(|call| call.number <= exchange);
        let needs = before.find_map(Call::needs)?;
        Some(format!(
            "a resource uses `{needs}` of `Init`, which only mgmt has; `[subject] init` can name a function that gives it"
        ))
    }

    fn forecasts(&self) -> Vec<Claim> {
        visit::forecasts(self)
    }

    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine> {
        let places = std::iter::once(&finding.place).chain(&finding.also);
        let here = places.filter(|place| place.session == session);
        let numbers: Vec<usize> = here.filter_map(|place| place.exchange).collect();
        let calls = self.exchanges.iter();
        let shown = calls.filter(|call| numbers.contains(&call.number));
        shown.flat_map(|call| lines(call, self.case())).collect()
    }
}

fn lines(call: &Call, case: &Case) -> Vec<ExcerptLine> {
    let line =
        |arrow, text: String| ExcerptLine::of(call, arrow, cut(&visible(text.as_bytes()), LINE));
    let mut lines = vec![
        line(Arrow::Sent, asked(call)),
        line(Arrow::Received, answered(call)),
    ];
    let expected = visit::fate(call) == Some(Fate::Changed);
    lines.extend(effects(call, case, expected));
    lines
}

/// The method, the resource and the other parameters.
pub fn asked(call: &Call) -> String {
    let mut text = call.phase.name().into_owned();
    let members = call.params.as_ref().and_then(Json::as_object);
    for member in members.unwrap_or_default() {
        let key = String::from_utf8_lossy(member.key.as_bytes());
        match (&*key, &member.value) {
            ("resource", Json::String(label)) => {
                text.push(' ');
                text.push_str(label.as_str().unwrap_or_default());
            }
            (_, value) => text.push_str(&format!(" {key}={}", shown(value))),
        }
    }
    text
}

/// What a method returned, or how it ended.
pub fn answered(call: &Call) -> String {
    answered_without(call, &[])
}

/// The same without some members of the result, such as times.
pub fn answered_without(call: &Call, left_out: &[&str]) -> String {
    match &call.answer {
        Some(Answer::Result(result)) => match result.as_object() {
            Some([]) => "done".to_owned(),
            Some(members) => {
                let members = members.iter().filter_map(|member| {
                    let key = String::from_utf8_lossy(member.key.as_bytes());
                    let is_shown = !left_out.contains(&&*key);
                    is_shown.then(|| format!("{key}={}", shown(&member.value)))
                });
                members.collect::<Vec<_>>().join(" ")
            }
            None => shown(result),
        },
        Some(Answer::Failed(panic)) => panic.in_words(),
        Some(Answer::Refused(_, why)) => format!("the host refused this: {why}"),
        Some(Answer::Broken(why)) => (*why).to_owned(),
        None => call.ended.in_words("the host"),
    }
}

fn shown(json: &Json) -> String {
    match json {
        Json::Null => "nil".to_owned(),
        Json::Bool(truth) => truth.to_string(),
        Json::Number(number) => number.clone(),
        Json::String(text) => format!("\"{}\"", String::from_utf8_lossy(text.as_bytes())),
        Json::Array(items) => {
            let items = items.iter().map(shown);
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) => {
            let members = members.iter().map(|member| {
                let key = String::from_utf8_lossy(member.key.as_bytes());
                format!("{key}: {}", shown(&member.value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}
