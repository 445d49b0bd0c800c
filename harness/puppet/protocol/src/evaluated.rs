//! Which examples could not be evaluated, and why.

use crate::message::Answer;
use crate::rows::evaluations;
use crate::session::{Call, Session, why};
use stickler_judge::{AnySession, View as _};

/// Why an evaluation failed, as a clause: what its call or another one of the same resource did, or what the
/// runtime said.
pub fn why_failed(session: &Session, number: usize) -> Option<String> {
    let call = session.exchanges.iter().find(|one| one.number == number)?;
    let others = session.exchanges.iter();
    let mut others =
        others.filter(|other| other.item == call.item && other.process == call.process);
    let said = || Some(why(session.conclusion(&call.key)?));
    call.why_it_fails()
        .or_else(|| others.find_map(Call::why_it_fails))
        .or_else(said)
}

/// What this machine lacks to run the providers, as the first call of a usual session that met it says.
pub fn lacking(sessions: &[AnySession]) -> Option<String> {
    let usual = sessions.iter().filter(|session| session.is_usual());
    let mut calls = usual.flat_map(|session| &session.typed::<Session>().exchanges);
    calls.find_map(|call| call.answer.as_ref()?.failure()?.lack())
}

/// The author's examples that no session could evaluate as they are, with the reasons: a call before their
/// first evaluation failed.
pub fn unevaluated(sessions: &[AnySession]) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for session in sessions {
        let session: &Session = session.typed();
        let case = session.case();
        if !session.is_usual() {
            continue;
        }
        let evaluated = evaluations(session);
        let items = case
            .items
            .iter()
            .filter(|item| item.original && !item.invalid);
        for item in items {
            let label = Some(&item.label);
            let is_known = found.iter().any(|(example, _)| *example == item.example);
            if is_known
                || evaluated
                    .iter()
                    .any(|(_, call, _)| call.item.as_ref() == label)
            {
                continue;
            }
            let mut failed = session.exchanges.iter().filter_map(|call| {
                let failure = call.answer.as_ref().and_then(Answer::failure)?;
                Some(format!("`{}` raised {}", call.phase, failure.in_words()))
            });
            if let Some(why) = failed.next() {
                found.push((item.example.clone(), why));
            }
        }
    }
    found
}
