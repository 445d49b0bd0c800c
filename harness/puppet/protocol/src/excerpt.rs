//! The shortest excerpt of a session that shows a finding.

use crate::rows;
use crate::session::{Call, Process, Session};
use stickler_judge::{Arrow, Claim, ExcerptLine, Finding, View};
use stickler_reading::words::{cut, visible};
use stickler_reading::{Ended, Reading};
use stickler_transcript::{ExitCause, Relation};

/// The longest line of evidence, in characters.
const LINE: usize = 160;

impl View for Session {
    type Exchange = Call;
    type Process = Process;

    fn reading(&self) -> &Reading<Call, Process> {
        self
    }

    fn claims(&self) -> Vec<Claim> {
        rows::claims(self)
    }

    /// Sessions with another runtime or another Ruby show what differs there. RA805 and RA806 judge that.
    fn is_only_compared(&self) -> bool {
        let mut groups = self.case().groups.iter();
        groups.any(|member| member.relation == Relation::Runtime && !member.role.is_reference())
    }

    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine> {
        let places = std::iter::once(&finding.place).chain(&finding.also);
        let here = places.filter(|place| place.session == session);
        let numbers: Vec<usize> = here.filter_map(|place| place.exchange).collect();
        let calls = self.exchanges.iter();
        let shown = calls.filter(|call| numbers.contains(&call.number));
        shown
            .flat_map(|call| lines(call, finding.quote.as_deref()))
            .collect()
    }
}

fn lines(call: &Call, quote: Option<&[u8]>) -> Vec<ExcerptLine> {
    let line = |arrow, text: String| ExcerptLine {
        exchange: Some(call.number),
        arrow,
        text,
        mark: None,
        note: None,
    };
    let sent = visible(without_frame(&call.sent));
    let mut lines = vec![line(Arrow::Sent, cut(&sent, LINE))];
    // Why a block failed is not part of the answer, unless that is what was raised.
    let is_raised = call
        .answer
        .as_ref()
        .is_some_and(|one| one.failure().is_some());
    let failed = call.events.iter().filter_map(|event| {
        let failure = event.error.as_ref().filter(|_| !is_raised)?;
        let why = format!("{}{}", failure.in_words(), failure.place());
        Some(cut(
            &visible(format!("{} failed: {why}", event.name).as_bytes()),
            LINE,
        ))
    });
    lines.extend(failed.map(|text| line(Arrow::Received, text)));
    let answer = call.message.map(|end| &call.output[..end]);
    match answer {
        Some(answer) => {
            let quoted = quote.and_then(|quote| {
                let at = memchr::memmem::find(answer, quote)?;
                let from = at.saturating_sub(40);
                Some(&answer[from..answer.len().min(at + quote.len() + 40)])
            });
            let text = visible(quoted.unwrap_or_else(|| without_frame(answer)));
            lines.push(line(Arrow::Received, cut(&text, LINE)));
        }
        None => lines.push(line(Arrow::Received, ended(call.ended).to_owned())),
    }
    lines
}

/// A message without what all of them begin with.
fn without_frame(message: &[u8]) -> &[u8] {
    let message = message.trim_ascii();
    let starts = [&b"\"method\":"[..], b"\"result\":", b"\"error\":"];
    let at = starts
        .into_iter()
        .filter_map(|start| memchr::memmem::find(message, start))
        .min();
    at.map_or(message, |at| &message[at..message.len().saturating_sub(1)])
}

fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Exited(ExitCause::Signal(_)) => "(no answer: a signal ended the host)",
        Ended::Exited(_) => "(no answer: the host ended)",
        Ended::Silent(_) => "(no answer in time)",
        Ended::Killed => "(killed)",
        _ => "(no answer)",
    }
}
