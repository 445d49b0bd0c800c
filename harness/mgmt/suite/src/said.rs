//! The content of a call for people.

use mgmt_protocol::{Call, Session, phase};
use stickler_reading::words::shown;
use stickler_suite::{LINE, Said};

/// Shows a request as method, resource and parameters, and an answer as what the method returned.
pub(crate) fn said(session: &Session, call: &Call) -> Said {
    let case = session.case();
    if [phase::INITIALIZE, phase::COUNTS].contains(&call.phase) && call.returns() {
        return Said::default();
    }
    let line = |text: String| shown(text.as_bytes(), case, LINE);
    let told = call.told.iter().filter_map(|told| {
        let text = told.text("text").or_else(|| told.text("call"))?;
        Some(line(format!("{}: {text}", told.method)))
    });
    let mut answered: Vec<String> = told.collect();
    // How long it took differs from run to run.
    answered.push(line(mgmt_protocol::answered_without(call, &["ms"])));
    Said {
        asked: vec![line(mgmt_protocol::asked(call))],
        answered,
    }
}
