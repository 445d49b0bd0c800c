//! Plays the messages of a plan that depend on earlier answers: the reference runtime evaluates
//! resources, with the session as its host.

mod caller;
mod questions;
#[cfg(test)]
mod tests;

use crate::deferred::{Deferred, Evaluation, Form, Is};
use caller::Caller;
use puppet_manifest::{Parameter, Resource as Declared};
use puppet_protocol::{Answer, absent, request};
use puppet_runtime::{
    Fault, Outcome as Became, Resource, Runtime, Settings, Status, Strict, Version,
};
use puppet_types::Value;
use stickler_session::{SessionError, Stage};
use stickler_transcript::{Fate, Outcome, Piece, Send};

/// Sends what a message stands for.
pub(crate) fn play(
    planned: &Send,
    deferred: &Deferred,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    match deferred {
        Deferred::Evaluate(evaluation) => return evaluate(planned, evaluation, stage),
        Deferred::Change { evaluation, form } => return change(planned, evaluation, *form, stage),
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
            .filter(|rows| rows.as_array().is_some_and(|rows| !rows.is_empty()))
            .and_then(|rows| with(stage, "provider", open, Value::hash([("resources", rows)]))),
        Deferred::Named {
            open,
            rows,
            namevars,
        } => said(stage, rows)
            .and_then(|rows| names(&rows, namevars))
            .and_then(|names| with(stage, "provider", open, Value::hash([("names", names)]))),
        Deferred::Look { open, evaluation } => {
            let params = looked_for(planned, evaluation, stage);
            params.and_then(|params| with(stage, "provider", open, params))
        }
        _ => None,
    };
    send(planned, params, stage)
}

/// Sends the planned message with these parameters, or notes that there is nothing to send.
fn send(
    planned: &Send,
    params: Option<Value>,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    match params {
        Some(params) => {
            let line = request::line(stage.number(), &planned.phase.name(), params);
            stage.send(&with_message(planned, line))
        }
        None => {
            stage.omit(&planned.key);
            Ok(true)
        }
    }
}

/// The planned message with these bytes.
fn with_message(planned: &Send, line: Vec<u8>) -> Send {
    let pause_us = planned.pieces.first().map_or(0, |piece| piece.pause_us);
    Send {
        pieces: vec![Piece {
            pause_us,
            data: line.into(),
        }],
        ..planned.clone()
    }
}

/// Parameters with the number of a provider or a transport, if the exchange with a key tells it.
fn with(stage: &dyn Stage, what: &str, key: &str, params: Value) -> Option<Value> {
    let number = Answer::read(stage.answer(key)?).value(what)?;
    let Value::Hash(members) = params else {
        return None;
    };
    let mut all = vec![(Value::symbol(what), number)];
    all.extend(members);
    Some(Value::Hash(all))
}

/// The value that the exchange with a key was answered with.
fn said(stage: &dyn Stage, key: &str) -> Option<Value> {
    Answer::read(stage.answer(key)?).value("value")
}

/// Can the types that an exchange loaded do without a target?
fn is_local(stage: &dyn Stage, loaded: &str) -> bool {
    let Some(answer) = stage.answer(loaded) else {
        return false;
    };
    let loaded = Answer::read(answer).value("types");
    let needs_target = |one: &Value| {
        let features = one.get("definition").and_then(|own| own.get("features"));
        let features = features.and_then(Value::as_array).unwrap_or_default();
        let mut names = features.iter().filter_map(Value::as_str);
        names.any(|name| name == "remote_resource")
    };
    let types = loaded.as_ref().and_then(Value::as_array);
    !types.unwrap_or_default().iter().any(needs_target)
}

/// The names of rows: the values of their namevar, or hashes of several.
fn names(rows: &Value, namevars: &[String]) -> Option<Value> {
    let named = |row: &Value| match namevars {
        [one] => row.get(one).cloned(),
        several => {
            let value = |name: &String| row.get(name).cloned().unwrap_or(Value::Undef);
            let members = several.iter().map(|name| (name.as_str(), value(name)));
            Some(Value::hash(members))
        }
    };
    let names = rows.as_array()?.iter().map(named);
    Some(Value::Array(names.collect::<Option<_>>()?))
}

/// The resource as a manifest would declare it.
fn declared(evaluation: &Evaluation) -> Declared {
    let parameters = evaluation.parameters.iter();
    let parameters =
        parameters.map(|(name, value)| (name.clone(), Parameter::Value(value.0.clone())));
    Declared {
        kind: evaluation.kind.clone(),
        title: evaluation.title.clone(),
        parameters: parameters.collect(),
        tags: Vec::new(),
        place: None,
        path: Vec::new(),
        container: None,
        exported: false,
        is_virtual: false,
    }
}

/// How the runtime evaluates: what only makes `strict` Puppet refuse a resource is judged by rules, but an
/// attribute that is set at creation alone is never changed.
fn settings(evaluation: &Evaluation, strict: Strict) -> Settings {
    let version = Version::ALL
        .into_iter()
        .find(|version| version.name() == evaluation.version);
    Settings {
        version: version.unwrap_or_default(),
        strict,
        noop: evaluation.noop,
        on_device: evaluation.on_device,
        munges: false,
        trusting: true,
        init_only: Some(Strict::Error),
        previews: true,
    }
}

fn evaluate(
    planned: &Send,
    evaluation: &Evaluation,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut caller = Caller::new(planned, evaluation, stage);
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

/// What became of the resource; `None` if the host did not answer. `failed`: did a call fail?
fn concluded(
    planned: &Send,
    evaluation: &Evaluation,
    became: &Result<Status, Fault>,
    failed: bool,
) -> Option<Outcome> {
    let is_refusal = |class: &str| matches!(class, "Puppet::Error" | "Puppet::ResourceError");
    let conclude = |fate, errors: Vec<&str>, class: Option<&str>| Outcome {
        errors: errors.into_iter().map(Into::into).collect(),
        refused: !failed && class.is_some_and(is_refusal),
        warns: evaluation.noop,
        ..outcome(planned, &evaluation.kind, &evaluation.title, fate)
    };
    match became {
        Ok(status) if status.skipped.is_some() => Some(conclude(Fate::Skipped, Vec::new(), None)),
        Ok(status) if status.failed => {
            let errors = status.events.iter();
            let errors = errors.filter(|event| event.status == Became::Failure);
            let errors = errors.map(|event| event.message.as_str()).collect();
            let class = status.raised.as_ref().map(|raised| &*raised.class);
            Some(conclude(Fate::Failed, errors, class))
        }
        Ok(status) if status.changed() => Some(conclude(Fate::Changed, Vec::new(), None)),
        Ok(_) => Some(conclude(Fate::Unchanged, Vec::new(), None)),
        Err(Fault::Raised(raised)) => Some(conclude(
            Fate::Failed,
            vec![&raised.message],
            Some(&raised.class),
        )),
        Err(Fault::Host(_) | Fault::NoType(_) | Fault::Unsupported(_)) => None,
    }
}

fn outcome(planned: &Send, kind: &str, identity: &str, fate: Fate) -> Outcome {
    Outcome {
        t: 0,
        kind: kind.into(),
        identity: identity.into(),
        place: planned.key.to_string(),
        outcome: fate,
        turn: 1,
        unresolved: false,
        refused: false,
        warns: false,
        cause: None,
        errors: Vec::new(),
        defines: Vec::new(),
    }
}

/// What `get` is asked for to find the resource of an evaluation: its name, if the type has a filter.
fn looked_for(planned: &Send, evaluation: &Evaluation, stage: &mut dyn Stage) -> Option<Value> {
    let mut caller = Caller::new(planned, evaluation, stage).recalling();
    let sink = &mut |_| {};
    let mut runtime = Runtime::new(&mut caller, settings(evaluation, Strict::Warning), sink);
    let resource = runtime.declared(&declared(evaluation)).ok()?;
    let names = Value::Array(vec![resource.name()]);
    let is_filtered = resource.definition().has_feature("simple_get_filter");
    let names = is_filtered.then_some(("names", names));
    Some(Value::hash(names))
}

fn change(
    planned: &Send,
    evaluation: &Evaluation,
    form: Form,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut caller = Caller::new(planned, evaluation, stage);
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

/// A resource, its state and its target.
struct Known {
    resource: Resource,
    /// The row, if there is one.
    row: Option<Value>,
    target: Value,
}

impl Known {
    /// Asks for all of that. `None` if the provider fails, or Puppet refuses the resource.
    fn of(caller: &mut Caller<'_>, evaluation: &Evaluation) -> Option<Self> {
        let sink = &mut |_| {};
        let mut runtime = Runtime::new(caller, settings(evaluation, Strict::Off), sink);
        let mut resource = runtime.declared(&declared(evaluation)).ok()?;
        let current = runtime.current(&mut resource).ok()?;
        let target = runtime.target(&mut resource).ok()?;
        let row = resource.is_found().then_some(current);
        Some(Known {
            resource,
            row,
            target,
        })
    }

    /// A change of this form. `None` if it would not be true.
    fn change(&self, form: Form) -> Option<Value> {
        let mut members = Vec::new();
        match (form.is, &self.row) {
            (Is::Row, Some(row)) => members.push(("is", row.clone())),
            (Is::Nil, None) => members.push(("is", Value::Undef)),
            (Is::Missing, _) => {}
            (Is::Row, None) | (Is::Nil, Some(_)) => return None,
        }
        if form.should {
            members.push(("should", self.target.clone()));
        }
        Some(Value::hash(members))
    }

    /// The state of the resource if it has no row.
    fn absent(&self) -> Value {
        let is_ensurable = self.resource.definition().is_ensurable();
        absent(&self.resource.name(), is_ensurable)
    }
}

/// Each resource is evaluated up to its change; then all changes are made in one call.
fn together(
    planned: &Send,
    evaluations: &[Evaluation],
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let mut held = Vec::new();
    for evaluation in evaluations {
        let mut caller = Caller::new(planned, evaluation, stage).holding();
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
