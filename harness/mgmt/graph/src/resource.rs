//! A resource in a host, as the engine runs it. `CheckApply` is called at once and to its end; `Watch` runs in the
//! host, and tells what happens.

use crate::host::{Fault, Notice, Shared};
use mgmt_engine::{
    Check, Checked, Context, Failure, Group, Meta, Offered, Resource, Sends, Source, Traits, Uid,
    Value, Wanted, WatchStep,
};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use stickler_rpc::Caller;

/// How long Watch may take to end, in milliseconds.
const ENDING_MS: u64 = 5_000;

/// How long the word of an ended Watch may take.
const WORD: Duration = Duration::from_millis(500);

/// How many lists of UIDs a resource may want edges with.
const BATCHES: usize = 200;

/// A resource in a host.
#[derive(Debug)]
pub struct HostResource<C> {
    host: Shared<C>,
    label: String,
    kind: String,
    name: String,
    meta: Meta,
    traits: Traits,
    receives: BTreeMap<String, Source>,
    /// The labels of senders, as the host was told them.
    senders: BTreeMap<String, String>,
    /// Whether it is reversed when it is gone.
    reverses: bool,
    /// The resource that reverses this one.
    reversal: Option<String>,
    checked: Option<Checked>,
    /// Whether the engine saw that the call took time.
    waited: bool,
    /// How many lists of UIDs it gave.
    batches: usize,
}

/// What is known of a resource when it is made.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub label: String,
    pub kind: String,
    pub name: String,
    pub meta: Meta,
    pub traits: Traits,
    pub receives: BTreeMap<String, Source>,
    pub reverses: bool,
}

impl<C: Caller> HostResource<C> {
    /// A resource that the host has made.
    pub(crate) fn new(host: Shared<C>, known: Known) -> Self {
        HostResource {
            host,
            label: known.label,
            kind: known.kind,
            name: known.name,
            meta: known.meta,
            traits: known.traits,
            receives: known.receives,
            senders: BTreeMap::new(),
            reverses: known.reverses,
            reversal: None,
            checked: None,
            waited: false,
            batches: 0,
        }
    }

    /// Its label in the host.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The resource that takes its place when it is gone, if it is to be reversed.
    pub(crate) fn reversed(&self) -> Option<HostResource<C>> {
        let known = Known {
            label: self.reversal.clone()?,
            kind: self.kind.clone(),
            name: self.name.clone(),
            meta: self.meta.clone(),
            traits: self.traits,
            receives: BTreeMap::new(),
            reverses: false,
        };
        Some(HostResource::new(Shared::clone(&self.host), known))
    }

    fn call(&self, method: &str, params: &Json) -> Result<Json, String> {
        self.host.borrow_mut().method(method, params)
    }

    /// Calls a method that has no parameters.
    fn simple(&self, method: &str) -> Result<Json, String> {
        self.call(method, &json!({ "resource": self.label }))
    }

    /// Tells the host who sends what.
    pub(crate) fn tell_senders(&self) -> Result<(), String> {
        if self.receives.is_empty() {
            return Ok(());
        }
        let fields = self.receives.iter().map(|(field, source)| {
            let (kind, name) = parts(&source.from);
            let from = self.senders.get(field);
            let told = json!({ "from": from, "kind": kind, "name": name, "key": source.key });
            (field.clone(), told)
        });
        let fields: Map<String, Json> = fields.collect();
        let params = json!({ "resource": self.label, "fields": fields });
        self.call("receives", &params).map(|_| ())
    }

    /// What it sent last, as a member of a group.
    fn last_sent(&self) -> Option<Sends> {
        if !self.traits.send {
            return None;
        }
        sends(self.simple("sent").ok()?.get("sent")?)
    }

    /// Ends Watch, and waits for its word.
    fn end_watch(&self) -> WatchStep {
        let params = json!({ "resource": self.label, "ms": ENDING_MS });
        let answer = self.call_with_error("cancel", &params);
        let Ok(answer) = answer else {
            return WatchStep::End(Ok(()));
        };
        if answer.get("ended") != Some(&Json::Bool(true)) {
            let mut host = self.host.borrow_mut();
            let text = format!("Watch did not end within {ENDING_MS} ms after its context ended");
            host.blame(&self.label, text);
            return WatchStep::End(Ok(()));
        }
        let until = Instant::now() + WORD;
        let mut host = self.host.borrow_mut();
        loop {
            match host.heard(&self.label) {
                Some(Notice::Ended(result)) => return WatchStep::End(result),
                Some(Notice::Event) => {}
                None if Instant::now() >= until || host.lost().is_some() => break,
                None => host.listen(until),
            }
        }
        let error = answer.get("error").and_then(Json::as_str);
        WatchStep::End(error.map_or(Ok(()), |error| Err(Failure::Error(error.to_owned()))))
    }

    /// Like `call`, where a Go error is part of the result.
    fn call_with_error(&self, method: &str, params: &Json) -> Result<Json, Fault> {
        self.host.borrow_mut().ask(method, params)
    }
}

/// Kind and name of `kind[name]`.
fn parts(key: &str) -> (&str, &str) {
    let name = key.strip_suffix(']').and_then(|key| key.split_once('['));
    name.unwrap_or((key, ""))
}

fn sends(sent: &Json) -> Option<Sends> {
    if sent.is_null() {
        return None;
    }
    // The receiver takes them in the host; here they are only shown.
    Some(Sends {
        plain: Value::Other(String::new(), sent.clone()),
        keys: BTreeMap::new(),
    })
}

impl<C: Caller> Resource for HostResource<C> {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn meta(&self) -> Meta {
        self.meta.clone()
    }

    fn traits(&self) -> Traits {
        self.traits
    }

    fn validate(&mut self) -> Result<(), String> {
        self.simple("validate").map(|_| ())
    }

    fn init(&mut self) -> Result<(), String> {
        self.simple("init")?;
        if !self.reverses {
            return Ok(());
        }
        let label = self.host.borrow_mut().label();
        let params = json!({ "resource": label, "from": self.label });
        let answer = self.call("reversed", &params);
        let answer = answer
            .map_err(|error| format!("could not reverse: {}[{}]: {error}", self.kind, self.name))?;
        if answer.get("reversed") == Some(&Json::Bool(true)) {
            self.reversal = Some(label);
        }
        Ok(())
    }

    fn cleanup(&mut self) -> Result<(), String> {
        self.simple("cleanup").map(|_| ())
    }

    fn cmp(&mut self, other: &Self) -> Result<(), String> {
        let params = json!({ "resource": self.label, "other": other.label });
        self.call("cmp", &params).map(|_| ())
    }

    fn begin_watch(&mut self, _number: u64) {
        let begun = self.simple("watch");
        if let Err(error) = begun {
            let mut host = self.host.borrow_mut();
            host.notice(&self.label, Notice::Ended(Err(Failure::Error(error))));
        }
    }

    fn poll_watch(&mut self, context: &mut Context<'_>) -> WatchStep {
        if context.event == Some(Offered::Accepted) {
            // If nobody waits for it any more, Watch has ended, and says so.
            let _ = self.simple("ack");
        }
        if context.ended.is_some() {
            return self.end_watch();
        }
        match self.host.borrow_mut().heard(&self.label) {
            None => WatchStep::Wait,
            Some(Notice::Event) => WatchStep::Event,
            Some(Notice::Ended(result)) => WatchStep::End(result),
        }
    }

    fn begin_check(&mut self, check: Check) {
        let mut params = json!({
            "resource": self.label,
            "apply": check.apply,
            "refresh": check.refresh,
        });
        if !self.receives.is_empty() {
            params["changed"] = Json::from(check.changed);
        }
        if self.meta.timeout_ms > 0 {
            params["timeout_ms"] = Json::from(self.meta.timeout_ms);
        }
        self.waited = false;
        let failed = |failure| Checked {
            ok: false,
            failure: Some(failure),
            sent: None,
        };
        self.checked = Some(match self.call_with_error("checkapply", &params) {
            Ok(answer) => Checked {
                ok: answer.get("ok") == Some(&Json::Bool(true)),
                failure: answer
                    .get("error")
                    .and_then(Json::as_str)
                    .map(|error| Failure::Error(error.to_owned())),
                sent: answer.get("sent").and_then(sends),
            },
            Err(Fault::Panic(panic)) => failed(Failure::Panic(panic)),
            Err(fault) => failed(Failure::Error(fault.in_words("CheckApply"))),
        });
    }

    fn poll_check(
        &mut self,
        context: &mut Context<'_>,
        group: &mut dyn Group<Self>,
    ) -> Option<Checked> {
        // The engine looks at its clock before it asks again: then it knows of a deadline.
        if !std::mem::replace(&mut self.waited, true) {
            context.wake_at(context.now);
            return None;
        }
        group.each(&mut |member| member.last_sent());
        self.checked.take()
    }

    fn receives(&self) -> BTreeMap<String, Source> {
        self.receives.clone()
    }

    fn field(&self, key: &str) -> Option<Value> {
        let params = json!({ "resource": self.label, "field": key });
        let answer = self.call("value", &params).ok()?;
        let name = answer.get("type").and_then(Json::as_str)?;
        Some(Value::Other(name.to_owned(), answer.get("value")?.clone()))
    }

    fn receive(
        &mut self,
        key: &str,
        _source: &Source,
        sender: &str,
    ) -> Option<Result<bool, String>> {
        let known = self.senders.get(key).map(String::as_str);
        if known != Some(sender) {
            self.senders.insert(key.to_owned(), sender.to_owned());
            if let Err(error) = self.tell_senders() {
                return Some(Err(error));
            }
        }
        let params = json!({ "resource": self.label, "field": key });
        let answer = self.call("receive", &params);
        Some(answer.map(|answer| answer.get("changed") == Some(&Json::Bool(true))))
    }

    fn uids(&mut self) -> Vec<Uid> {
        let Ok(answer) = self.simple("uids") else {
            return Vec::new();
        };
        // UIDs that match have the same number.
        let ids = answer.get("ids").and_then(Json::as_array).into_iter();
        ids.flatten().map(|id| Uid(id.to_string())).collect()
    }

    fn auto_edges(&mut self) -> Result<bool, String> {
        let answer = self.simple("autoedges")?;
        Ok(answer.get("edges") == Some(&Json::Bool(true)))
    }

    fn next_uids(&mut self) -> Option<Vec<Wanted>> {
        self.batches += 1;
        if self.batches > BATCHES {
            let text = format!("AutoEdges did not end after {BATCHES} lists of UIDs");
            self.host.borrow_mut().blame(&self.label, text);
            return None;
        }
        let answer = self.simple("nextuids").ok()?;
        let list = answer.get("uids")?.as_array()?;
        // Go's nil and an empty list look alike here; after both, nothing more is found.
        if list.is_empty() {
            return None;
        }
        let wanted = list.iter().map(|uid| {
            let id = uid.get("id").map_or_else(String::new, Json::to_string);
            Wanted {
                uid: Uid(id),
                reversed: uid.get("reversed") == Some(&Json::Bool(true)),
            }
        });
        Some(wanted.collect())
    }

    fn test_uids(&mut self, found: &[bool]) -> bool {
        let params = json!({ "resource": self.label, "found": found });
        let answer = self.call("testuids", &params);
        answer.is_ok_and(|answer| answer.get("more") == Some(&Json::Bool(true)))
    }

    fn group_cmp(&mut self, other: &Self) -> Result<(), String> {
        let params = json!({ "resource": self.label, "other": other.label });
        self.call("groupcmp", &params).map(|_| ())
    }

    fn group(&mut self, member: &Self) -> Result<(), String> {
        let params = json!({ "resource": self.label, "member": member.label });
        self.call("group", &params).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_key_has_a_kind_and_a_name_that_may_have_brackets() {
        assert_eq!(("file", "/a[1]"), parts("file[/a[1]]"));
    }
}
