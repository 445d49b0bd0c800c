//! The shortest excerpt of a session that shows a finding.

use crate::brief::brief;
use crate::message::Answer;
use crate::phase;
use crate::relation;
use crate::rows;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_json::Json;
use stickler_judge::{Arrow, Claim, ExcerptLine, Finding, View, effects, serves_comparisons};
use stickler_reading::AnyReading;
use stickler_reading::words::{cut, named, visible};
use stickler_transcript::Case;

/// The longest line of evidence, in characters.
const LINE: usize = 160;

impl View for Session {
    fn reading(&self) -> &dyn AnyReading {
        &**self
    }

    fn claims(&self) -> Vec<Claim> {
        rows::claims(self)
    }

    /// Sessions with another runtime or another Ruby show what differs there. RA805 and RA806 judge that. So are those
    /// with names that some systems take for one, and with parameters that may mean anything.
    fn is_only_compared(&self) -> bool {
        let mut groups = self.case().groups.iter();
        let is_compared = groups.any(|member| {
            let compared = [
                relation::NEIGHBOURS,
                relation::PARAMETERS,
                relation::RUNTIME,
            ];
            compared.contains(&member.relation) && !member.role.is_reference()
        });
        is_compared || serves_comparisons(self.case())
    }

    /// What a call has met that is missing here leaves its marks on all that come later. Definitions are what
    /// they are all the same.
    fn lack(&self, exchange: usize) -> Option<String> {
        let calls = self.exchanges.iter();
        let is_load =
            |call: &Call| [phase::LOAD, phase::OPEN, phase::DESCRIBE].contains(&call.phase);
        let mut here = calls.clone().filter(|call| call.number == exchange);
        let mut before = calls.filter(|call| call.number <= exchange);
        let met = |call: &Call| call.events.iter().find_map(|event| event.lack.clone());
        here.any(|call| !is_load(call))
            .then(|| before.find_map(met))?
    }

    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine> {
        let places = std::iter::once(&finding.place).chain(&finding.also);
        let here = places.filter(|place| place.session == session);
        let numbers: Vec<usize> = here.filter_map(|place| place.exchange).collect();
        let calls = self.exchanges.iter();
        let shown = calls.filter(|call| numbers.contains(&call.number));
        let named = named(&finding.message);
        shown
            .flat_map(|call| lines(call, self.case(), &named))
            .collect()
    }
}

/// The lines of a call. Long values keep what has one of these names.
fn lines(call: &Call, case: &Case, named: &[&str]) -> Vec<ExcerptLine> {
    let line = |arrow, text| ExcerptLine::of(call, arrow, text);
    let mut lines = vec![line(Arrow::Sent, shown(&request(call, named)))];
    // Why a block failed is not part of the answer, unless that is what was raised.
    let is_raised = call
        .answer
        .as_ref()
        .is_some_and(|one| one.failure().is_some());
    let failed = call.events.iter().filter_map(|event| {
        let failure = event.error.as_ref().filter(|_| !is_raised)?;
        let why = format!("{}{}", failure.in_words(), failure.place());
        Some(shown(&format!("{} failed: {why}", event.name)))
    });
    lines.extend(failed.map(|text| line(Arrow::Received, text)));
    let answer = match &call.answer {
        Some(Answer::Result(result)) => shown(&result_in_words(result, named)),
        Some(Answer::Failed(failure)) => {
            shown(&format!("raised {}{}", failure.in_words(), failure.place()))
        }
        Some(Answer::Refused(_, why)) => shown(&format!("the host refused this: {why}")),
        Some(Answer::Broken(_)) | None => match call.message {
            Some(end) => cut(&visible(call.output[..end].trim_ascii()), LINE),
            None => call.ended.in_words("the host"),
        },
    };
    lines.push(line(Arrow::Received, answer));
    lines.extend(effects(call, case, call.phase == phase::SET));
    lines
}

fn shown(text: &str) -> String {
    cut(&visible(text.as_bytes()), LINE)
}

/// The method and its parameters, as Ruby writes them.
fn request(call: &Call, named: &[&str]) -> String {
    let params = call.params.clone();
    let params = params.and_then(|params| Value::from_json(params, 0).ok());
    let members = params.as_ref().and_then(Value::as_hash);
    let members = members.unwrap_or_default().iter();
    let members = members.map(|(key, value)| (key.to_text(), value));
    let members = members.filter(|(key, _)| !["provider", "transport"].contains(&&key[..]));
    let members: Vec<String> = members
        .map(|(key, value)| format!("{key}: {}", brief(value, named)))
        .collect();
    format!("{} {}", call.phase.name(), members.join(", "))
}

/// What a method returned, and which of its arguments it changed.
fn result_in_words(result: &Json, named: &[&str]) -> String {
    let Ok(result) = Value::from_json(result.clone(), 0) else {
        return "returned an unreadable value".to_owned();
    };
    let Some(value) = result.get("value") else {
        return format!("returned {}", brief(&result, named));
    };
    let members = result.as_hash().unwrap_or_default().iter();
    let changed = members.filter_map(|(key, after)| {
        let key = key.to_text();
        let argument = key.strip_suffix("_after").filter(|_| after != value)?;
        Some(format!("; `{argument}` is now {}", brief(after, named)))
    });
    format!(
        "returned {}{}",
        brief(value, named),
        changed.collect::<String>()
    )
}
