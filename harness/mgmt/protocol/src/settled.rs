//! Calls of `CheckApply` that follow one another while nothing outside changes.

use crate::phase;
use crate::purpose::SETTLED;
use crate::recorded::{is_busy, may_have_changed};
use crate::resources::{Resource, walk};
use crate::session::{Call, Session};
use stickler_json::Json;
use stickler_judge::Finding;
use stickler_transcript::{Name, Relation, Variation};

/// A call after an apply that succeeded, of a resource that asks for the same.
pub(crate) struct Checked<'s> {
    /// The call.
    pub(crate) call: &'s Call,
    /// The apply.
    pub(crate) success: &'s Call,
    /// Is it about the same object?
    pub(crate) is_same: bool,
    /// Does an apply beside it, of a resource that asks for the same, find the state right?
    pub(crate) is_proven: bool,
    /// Has that apply, or one before it in the same world, changed something? Else nothing says that it is right to find
    /// the state right.
    pub(crate) is_made: bool,
}

/// Visits these calls. Nothing outside has changed in between, as far as the session tells.
pub(crate) fn after_success<'s>(session: &'s Session, mut visit: impl FnMut(Checked<'s>)) {
    if is_disturbed(session) {
        return;
    }
    let mut last: Option<(&'s Call, Resource)> = None;
    let mut made: Vec<(&'s Call, Resource)> = Vec::new();
    let applied = applied(session);
    for (at, (call, own)) in applied.iter().enumerate() {
        let (call, own) = (*call, own.clone());
        if let Some((success, asked)) = &last
            && asked.is_alike(&own)
            && !is_told_of_changes(call)
            && !is_cut_short(call)
            && !may_have_changed(session, success, call)
            && world(session, success) == world(session, call)
            && !changes_again(session, call)
        {
            visit(Checked {
                call,
                success,
                is_same: success.process == call.process && success.resource() == call.resource(),
                is_made: made.iter().any(|(one, asked)| {
                    asked.is_alike(&own) && !may_have_changed(session, one, call)
                }),
                is_proven: {
                    let is_same =
                        success.process == call.process && success.resource() == call.resource();
                    let mut next = applied[at + 1..].iter();
                    let next = next.find(|(one, _)| one.has("apply"));
                    let next = next.and_then(|(next, other)| {
                        found_right(session, (call, &own), (next, other))
                    });
                    next.unwrap_or(is_same && success.ok() == Some(true))
                },
            });
        }
        if call.has("apply") {
            let is_plain = !is_cut_short(call)
                && !is_told_of_changes(call)
                // A control says nothing of what comes after it.
                && call.key.turn_of(SETTLED).is_none();
            if call.succeeds() && call.ok() == Some(false) {
                made.push((call, own.clone()));
            }
            last = (call.succeeds() && is_plain).then_some((call, own));
        }
    }
}

/// Does the next apply find the state right? `None` if it tells nothing of what a call before it found.
fn found_right(
    session: &Session,
    (call, own): (&Call, &Resource),
    (next, other): (&Call, &Resource),
) -> Option<bool> {
    let is_comparable = own.is_alike(other)
        && !is_told_of_changes(next)
        && !is_cut_short(next)
        && !may_have_changed(session, call, next)
        && world(session, call) == world(session, next);
    is_comparable.then(|| next.succeeds() && next.ok() == Some(true))
}

/// Each check with `apply` false, and the apply that follows it, of resources that ask for the same.
pub(crate) fn checks_before_applies(session: &Session) -> Vec<(&Call, &Call)> {
    if is_disturbed(session) {
        return Vec::new();
    }
    let applied = applied(session);
    let pairs = applied.windows(2).filter_map(|pair| match pair {
        [(dry, one), (apply, other)] => {
            let fits = !dry.has("apply") && apply.has("apply") && one.is_alike(other);
            // What has ended may have taken its work away.
            let mut cleanups = session.calls(phase::CLEANUP);
            let between = dry.number..apply.number;
            let ended = cleanups.any(|call| between.contains(&call.number));
            (fits && !ended && !may_have_changed(session, dry, apply)).then_some((*dry, *apply))
        }
        _ => None,
    });
    pairs.collect()
}

/// The item for which a file that the example only reads was changed, if the call is about one.
fn world<'s>(session: &'s Session, call: &Call) -> Option<&'s Name> {
    let item = session.item(call)?;
    (item.variation == Some(Variation::Drifted)).then_some(&item.label)
}

/// All calls of `CheckApply`, with what their resources ask for.
fn applied(session: &Session) -> Vec<(&Call, Resource)> {
    let mut owners: Vec<Option<Resource>> = Vec::new();
    walk(session, |resources, call| {
        owners.push(resources.of(call, "resource").cloned());
    });
    let calls = session.exchanges.iter().zip(owners);
    let calls = calls.filter(|(call, _)| call.phase == phase::CHECKAPPLY);
    calls.filter_map(|(call, own)| Some((call, own?))).collect()
}

/// Did a resource succeed in an apply before this call?
pub(crate) fn has_applied(session: &Session, call: &Call) -> bool {
    let before = session
        .calls(phase::CHECKAPPLY)
        .take_while(|one| one.number < call.number);
    before
        .into_iter()
        .any(|one| one.has("apply") && one.succeeds())
}

/// Is a refresh pending, or has a value been received, so that there may be something to do?
pub(crate) fn is_told_of_changes(call: &Call) -> bool {
    let changed = call
        .params
        .as_ref()
        .and_then(|params| params.get("changed"));
    call.has("refresh") || matches!(changed, Some(Json::Array(fields)) if !fields.is_empty())
}

/// May its context end meanwhile, or is it interrupted?
pub(crate) fn is_cut_short(call: &Call) -> bool {
    let params = call.params.as_ref();
    let mut limits = ["cancel_ms", "timeout_ms", "interrupt_ms"].iter();
    limits.any(|limit| params.is_some_and(|params| params.get(limit).is_some()))
}

/// Does the author declare that a second call has something to do, too?
pub(crate) fn changes_again(session: &Session, call: &Call) -> bool {
    // The engine's calls do not say which item they are about: there is one.
    let item = session.item(call).or(session.case().items.first());
    let expect = item.map(|item| item.expect.as_slice()).unwrap_or_default();
    let second = expect.get(1).or(expect.last());
    second.is_some_and(|word| word != "ok") || is_busy(session, call)
}

/// What keeps the resource from its work, or makes it harder. Other rules compare these sessions.
const DISTURBED: [Relation; 4] = [
    Relation::COMMANDS,
    Relation::ENVIRONMENT,
    Relation::KILL,
    Relation::WRITE,
];

/// Does the harness do that in a session?
pub(crate) fn is_disturbed(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    session.refuses_writes()
        || groups.any(|member| DISTURBED.contains(&member.relation) && !member.role.is_reference())
}

/// Did an apply change no file, although it says that it changed something?
pub(crate) fn did_nothing(apply: &Call) -> bool {
    apply.ok() == Some(false) && matches!(&apply.effects, Some(effects) if effects.is_empty())
}

/// An apply that changes nothing, and never says that all is right, is told by its second call (MR107).
pub(crate) fn told_by_its_second_call(apply: &Call, finding: Finding) -> Finding {
    match &apply.effects {
        Some(effects) if !effects.is_empty() => finding,
        _ => finding.follows("MR107"),
    }
}
