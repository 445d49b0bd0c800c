//! Plays the messages of a plan that depend on earlier answers: the reference runtime evaluates
//! resources, with the session as its host.

mod declared;
mod in_session;
mod known;
mod message;
mod questions;
mod refreshed;
#[cfg(test)]
mod tests;

use crate::deferred::{Deferred, Evaluation, Form};
use declared::{declared, settings};
use in_session::InSession;
use known::Known;
use message::{is_local, names, picked, said, send, with};
use puppet_protocol::purpose;
use puppet_runtime::{Fault, ResourceOutcome, Runtime, Status, Strict};
use puppet_types::{Definition, Value};
use stickler_session::{SessionError, Stage};
use stickler_transcript::{Fate, ItemOutcome, Send};

/// Sends what a message stands for.
pub(crate) fn play(
    planned: &Send,
    deferred: &Deferred,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    match deferred {
        Deferred::Evaluate(evaluation) => return evaluate(planned, evaluation, stage),
        Deferred::Generate(evaluation) => return generate(planned, evaluation, stage),
        Deferred::Change { evaluation, form } => return change(planned, evaluation, form, stage),
        Deferred::Together(evaluations) => return together(planned, evaluations, stage),
        Deferred::Ask {
            evaluation,
            property,
            about,
        } => return questions::ask(planned, evaluation, property, about, stage),
        _ => {}
    }
    let params = match deferred {
        Deferred::Open { kind, loaded } => {
            is_local(stage, loaded).then(|| Value::hash([("type", Value::string(kind.as_str()))]))
        }
        Deferred::Transport { by } => with(stage, "transport", by, Value::hash([])),
        Deferred::Call { open, params } => with(stage, "provider", open, params.0.clone()),
        Deferred::Canonicalize { open, rows } => said(stage, rows)
            // A row that is no hash is RA201's business.
            .filter(|rows| rows.as_array().is_some_and(|rows| !rows.is_empty()))
            .filter(|rows| {
                let mut rows = rows.as_array().unwrap_or_default().iter();
                rows.all(|row| row.as_hash().is_some())
            })
            .and_then(|rows| with(stage, "provider", open, Value::hash([("resources", rows)]))),
        Deferred::Named {
            open,
            rows,
            namevars,
            pick,
        } => said(stage, rows)
            .and_then(|rows| picked(names(&rows, namevars)?, pick))
            .and_then(|names| with(stage, "provider", open, Value::hash([("names", names)]))),
        Deferred::Look {
            open,
            evaluation,
            all,
            named,
        } => {
            let asking = Evaluation {
                key: purpose::LOOK.part(evaluation.key.as_str()),
                open: open.clone(),
                ..evaluation.clone()
            };
            if *all || *named || was_set(evaluation, stage) {
                let mut caller = InSession::new(planned, &asking, stage);
                let params = looked_for(&mut caller, &asking, *all);
                if caller.has_ended() {
                    return caller.end();
                }
                let told = params.and_then(|(params, definition)| {
                    Some((with(stage, "provider", open, params)?, definition?))
                });
                return match told {
                    None => send(planned, None, stage),
                    Some((params, definition)) => Ok(send(planned, Some(params.clone()), stage)?
                        && (*all
                            || *named
                            || refreshed::ask(planned, evaluation, &definition, &params, stage)?)),
                };
            } else {
                None
            }
        }
        _ => None,
    };
    send(planned, params, stage)
}

fn evaluate(
    planned: &Send,
    evaluation: &Evaluation,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut caller = InSession::new(planned, evaluation, stage);
    let became = Runtime::new(
        &mut caller,
        settings(evaluation, Strict::Warning),
        &mut |_| {},
    )
    .apply_alone(&declared(evaluation));
    let (failed, is_sent) = (caller.has_failed, caller.is_sent);
    if caller.has_ended() {
        return caller.end();
    }
    if !is_sent {
        stage.omit(&planned.key);
    }
    if let Some(outcome) = concluded(planned, evaluation, &became, failed) {
        stage.conclude(outcome);
    }
    Ok(true)
}

/// So many calls show that there is no end.
const ENDLESS: usize = 100;

fn generate(
    planned: &Send,
    evaluation: &Evaluation,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut caller = InSession::new(planned, evaluation, stage);
    // What the answers are worth is for rules to say.
    let _ = Runtime::new(
        &mut caller,
        settings(evaluation, Strict::Warning),
        &mut |_| {},
    )
    .generate_alone(&declared(evaluation), ENDLESS);
    if caller.has_ended() {
        return caller.end();
    }
    stage.omit(&planned.key);
    Ok(true)
}

/// What became of the resource; `None` if the host did not answer. `failed`: did a call fail?
fn concluded(
    planned: &Send,
    evaluation: &Evaluation,
    became: &Result<Status, Fault>,
    failed: bool,
) -> Option<ItemOutcome> {
    let is_refusal = |class: &str| matches!(class, "Puppet::Error" | "Puppet::ResourceError");
    // What Puppet itself raises, whatever the provider says, is a refusal.
    let failure = |class: Option<&str>| match !failed && class.is_some_and(is_refusal) {
        true => Fate::Refused,
        false => Fate::Failed,
    };
    let conclude = |fate, errors: Vec<&str>| ItemOutcome {
        errors: errors.into_iter().map(Into::into).collect(),
        warns: evaluation.noop,
        ..outcome(planned, &evaluation.kind, &evaluation.title, fate)
    };
    match became {
        Ok(status) if status.skipped.is_some() => Some(conclude(Fate::Skipped, Vec::new())),
        Ok(status) if status.failed => {
            let errors = status.events.iter();
            let errors = errors.filter(|event| event.status == ResourceOutcome::Failure);
            let errors = errors.map(|event| event.message.as_str()).collect();
            // What Puppet refuses once it has compared the state depends on that state.
            let raised = status.raised.as_ref().filter(|_| status.events.len() == 1);
            let class = raised.map(|raised| &*raised.class);
            Some(conclude(failure(class), errors))
        }
        Ok(status) if status.changed() || evaluation.noop && status.out_of_sync() => {
            Some(conclude(Fate::Changed, Vec::new()))
        }
        Ok(_) => Some(conclude(Fate::Unchanged, Vec::new())),
        Err(Fault::Raised(raised)) => Some(conclude(
            failure(Some(&raised.class)),
            vec![&raised.message],
        )),
        Err(Fault::Host(_) | Fault::NoType(_) | Fault::Unsupported(_)) => None,
    }
}

fn outcome(planned: &Send, kind: &str, identity: &str, fate: Fate) -> ItemOutcome {
    ItemOutcome {
        t: 0,
        kind: kind.into(),
        identity: identity.into(),
        place: planned.key.to_string(),
        outcome: fate,
        turn: 1,
        unresolved: false,
        warns: false,
        cause: None,
        errors: Vec::new(),
        defines: Vec::new(),
    }
}

/// Has an evaluation set anything? Otherwise it has just read the state.
fn was_set(evaluation: &Evaluation, stage: &dyn Stage) -> bool {
    let key = evaluation.key.clone().of(&evaluation.item);
    stage.answer(&key).is_some()
}

/// What `get` is asked for to find the resource of an evaluation: its name, if the type has a filter, unless
/// `all` are asked for. The resource is declared first: a provider may learn from that where to look.
fn looked_for(
    caller: &mut InSession<'_>,
    evaluation: &Evaluation,
    all: bool,
) -> Option<(Value, Option<Definition>)> {
    let sink = &mut |_| {};
    let mut runtime = Runtime::new(caller, settings(evaluation, Strict::Warning), sink);
    let resource = runtime.declared(&declared(evaluation)).ok();
    if all {
        let definition = resource.map(|resource| resource.definition().clone());
        return Some((Value::hash([]), definition));
    }
    let resource = resource?;
    let names = Value::Array(vec![resource.name()]);
    let is_filtered = resource.definition().has_feature("simple_get_filter");
    let names = is_filtered.then_some(("names", names));
    Some((Value::hash(names), Some(resource.definition().clone())))
}

fn change(
    planned: &Send,
    evaluation: &Evaluation,
    form: &Form,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut caller = InSession::new(planned, evaluation, stage);
    let known = Known::of(&mut caller, evaluation);
    if caller.has_ended() {
        return caller.end();
    }
    let params = known.and_then(|known| {
        let change = Value::Array(vec![known.resource.name(), known.change(form)?]);
        let mut members = vec![("changes", Value::Array(vec![change]))];
        if known.resource.definition().has_feature("supports_noop") {
            members.push(("noop", Value::Bool(evaluation.noop)));
        }
        with(stage, "provider", &evaluation.open, Value::hash(members))
    });
    send(planned, params, stage)
}

/// Each resource is evaluated up to its change; then all changes are made in one call.
fn together(
    planned: &Send,
    evaluations: &[Evaluation],
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut held = Vec::new();
    for evaluation in evaluations {
        let mut caller = InSession::new(planned, evaluation, stage).holding();
        // Why one is not to be changed counts for nothing here.
        let _ = Runtime::new(
            &mut caller,
            settings(evaluation, Strict::Warning),
            &mut |_| {},
        )
        .apply_alone(&declared(evaluation));
        if caller.has_ended() {
            return caller.end();
        }
        held.extend(caller.held);
    }
    let change = |params: &Value| params.get("changes")?.as_array()?.first().cloned();
    let changes: Vec<Value> = held.iter().filter_map(change).collect();
    let several = changes.len() > 1;
    let params = held.pop().filter(|_| several).map(|mut params| {
        if let Value::Hash(members) = &mut params
            && let Some((_, own)) = members
                .iter_mut()
                .find(|(key, _)| key.as_symbol() == Some("changes"))
        {
            *own = Value::Array(changes);
        }
        params
    });
    send(planned, params, stage)
}
