//! A resource that does what a script says.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::meta::Meta;
use crate::recorded::{
    CheckStep, CheckWord, Command, First, OnCancel, Sent, Then, Trait, Vertex, WatchScript,
};
use crate::resource::{
    Check, Checked, Context, Ended, Failure, Group, Offered, Resource, Sends, Source, Traits, Uid,
    Wanted, WatchStep,
};
use crate::value::Value;

/// What Watch can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchCommand {
    /// Send so many events, one after another.
    Events(u32),
    /// Anything else.
    Command(Command),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WatchStage {
    First,
    /// So many events are left to send; then it goes on.
    Burst(u32, bool),
    Then(Option<u64>),
    Commands,
    Slow(u64),
}

/// A scripted resource.
#[derive(Debug)]
pub struct Scripted {
    script: Rc<Vertex>,
    kind: String,
    wrong: bool,
    validated: usize,
    checked: u64,
    succeeded: usize,
    batches: usize,
    fields: BTreeMap<&'static str, Value>,
    told: VecDeque<WatchCommand>,
    watches: u64,
    watch: WatchStage,
    watch_from: Option<u64>,
    check: Option<Check>,
    check_from: Option<u64>,
}

impl Scripted {
    /// A fresh resource of this script.
    pub fn new(script: Rc<Vertex>) -> Scripted {
        let kind = if script.kind == "EMPTY" {
            String::new()
        } else {
            script.kind.clone()
        };
        Scripted {
            kind,
            wrong: script.wrong,
            validated: 0,
            checked: 0,
            succeeded: 0,
            batches: 0,
            fields: BTreeMap::from([
                ("in", Value::Text(String::new())),
                ("in2", Value::Text(String::new())),
                ("num", Value::Number(0)),
                ("ptr", Value::Pointer(None)),
            ]),
            told: VecDeque::new(),
            watches: 0,
            watch: WatchStage::First,
            watch_from: None,
            check: None,
            check_from: None,
            script,
        }
    }

    /// Sets the outside state wrong.
    pub fn set_wrong(&mut self) {
        self.wrong = true;
    }

    /// Tells Watch something; it hears it when it waits.
    pub fn tell(&mut self, told: WatchCommand) {
        self.told.push_back(told);
    }

    fn watch_script(&self) -> WatchScript {
        let place = usize::try_from(self.watches)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        let scripts = &self.script.watch;
        scripts
            .get(place)
            .or(scripts.last())
            .cloned()
            .unwrap_or_default()
    }

    /// What Watch does when its context ended.
    fn cancelled(&mut self, script: &WatchScript, now: u64) -> Option<WatchStep> {
        let number = self.watches;
        let end = match script.on_cancel {
            OnCancel::Context => Err(Failure::Error(Ended::Cancelled.error().to_owned())),
            OnCancel::Nil => Ok(()),
            OnCancel::Error => Err(Failure::Error(format!("watch late error {number}"))),
            OnCancel::Slow => {
                self.watch = WatchStage::Slow(now + u64::from(script.slow_ms));
                return None;
            }
        };
        Some(WatchStep::End(end))
    }

    fn watch_result(&self, then: Then) -> Result<(), Failure> {
        let number = self.watches;
        match then {
            Then::Error => Err(Failure::Error(format!("watch failed {number}"))),
            Then::Panic => Err(Failure::Panic(format!("watch panic {number}"))),
            Then::Nil | Then::Wait => Ok(()),
        }
    }

    /// The result of CheckApply when its waits are over.
    fn result(&mut self, word: CheckWord, check: &Check) -> (bool, Option<Failure>) {
        let number = self.checked;
        let failed = || Some(Failure::Error(format!("check failed {number}")));
        match word {
            CheckWord::State if self.wrong => {
                self.wrong = !check.apply;
                (false, None)
            }
            CheckWord::State => {
                let refreshes = check.refresh && check.apply;
                (
                    !refreshes || self.script.on_refresh.as_deref() == Some("ok"),
                    None,
                )
            }
            CheckWord::Ok | CheckWord::Hang => (true, None),
            CheckWord::Changed => {
                self.wrong = self.wrong && !check.apply;
                (false, None)
            }
            CheckWord::Error => (false, failed()),
            CheckWord::TrueError => (true, failed()),
            CheckWord::Panic => (false, Some(Failure::Panic(format!("check panic {number}")))),
        }
    }

    /// What the next success sends.
    fn send(&mut self, success: bool) -> Option<Sends> {
        if !success && !self.script.send_on_error {
            return None;
        }
        let place = self.succeeded;
        self.succeeded += 1;
        if !self.traits().send {
            return None;
        }
        let sends = &self.script.sends;
        let sent = sends.get(place).or(sends.last())?.clone()?;
        // The struct has all keys; those that the value does not fill are empty.
        let (plain, text, number) = match sent {
            Sent::Number(number) => (Value::Number(number), None, number),
            Sent::Text(text) => (Value::Text(text.clone()), Some(text), 0),
        };
        let second = text
            .as_ref()
            .map_or_else(String::new, |text| format!("{text}2"));
        let keys = BTreeMap::from([
            ("num".to_owned(), Value::Number(number)),
            (
                "out".to_owned(),
                Value::Text(text.clone().unwrap_or_default()),
            ),
            ("out2".to_owned(), Value::Text(second)),
            ("ptr".to_owned(), Value::Pointer(text)),
        ]);
        Some(Sends { plain, keys })
    }
}

impl Resource for Scripted {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn name(&self) -> &str {
        &self.script.name
    }

    fn meta(&self) -> Meta {
        let meta = &self.script.meta;
        Meta {
            noop: meta.noop,
            retry: meta.retry,
            retry_reset: meta.retryreset,
            delay_ms: meta.delay_ms.into(),
            timeout_ms: meta.timeout_ms.into(),
            poll_s: meta.poll_s.into(),
            limit: meta.limit,
            burst: meta.burst.into(),
            reset: meta.reset,
            sema: meta.sema.clone(),
            rewatch: meta.rewatch,
            dollar: meta.dollar,
            hidden: meta.hidden,
            autogroup_disabled: meta.autogroup_disabled,
            autoedge_disabled: meta.autoedge_disabled,
        }
    }

    fn traits(&self) -> Traits {
        let has = |one: Trait| self.script.traits.contains(&one);
        Traits {
            refresh: has(Trait::Refresh),
            send: has(Trait::Send),
            recv: has(Trait::Recv),
            group: has(Trait::Group),
            edge: has(Trait::Edge),
        }
    }

    fn validate(&mut self) -> Result<(), String> {
        let answer = self.script.validate.get(self.validated);
        self.validated += 1;
        match answer.map(String::as_str) {
            Some("error") => Err(format!("validate failed {}", self.validated)),
            _ => Ok(()),
        }
    }

    fn init(&mut self) -> Result<(), String> {
        match self.script.init.as_deref() {
            Some("error") => Err("init failed".to_owned()),
            _ => Ok(()),
        }
    }

    fn cleanup(&mut self) -> Result<(), String> {
        match self.script.cleanup.as_deref() {
            Some("error") => Err("cleanup failed".to_owned()),
            _ => Ok(()),
        }
    }

    fn cmp(&mut self, other: &Scripted) -> Result<(), String> {
        if self.script.cmp != other.script.cmp {
            return Err("cmp differs".to_owned());
        }
        if self.traits().recv {
            for (key, value) in &self.fields {
                if other.fields.get(key) != Some(value) {
                    return Err(format!("field {key} differs"));
                }
            }
        }
        Ok(())
    }

    fn begin_watch(&mut self, number: u64) {
        self.watches = number;
        self.watch = WatchStage::First;
        self.watch_from = None;
        self.told.clear();
    }

    fn poll_watch(&mut self, context: &mut Context<'_>) -> WatchStep {
        let script = self.watch_script();
        let now = context.now;
        if context.event.take() == Some(Offered::Cancelled)
            && let Some(step) = self.cancelled(&script, now)
        {
            return step;
        }
        loop {
            match self.watch {
                WatchStage::Burst(0, true) => self.watch = WatchStage::Then(None),
                WatchStage::Burst(0, false) => self.watch = WatchStage::Commands,
                WatchStage::Burst(left, scripted) => {
                    self.watch = WatchStage::Burst(left - 1, scripted);
                    return WatchStep::Event;
                }
                WatchStage::First => match script.first {
                    First::Now => {
                        self.watch = WatchStage::Burst(script.events.saturating_add(1), true);
                    }
                    First::Command => self.watch = WatchStage::Commands,
                    First::Never => self.watch = WatchStage::Then(None),
                    First::After => {
                        let from = *self.watch_from.get_or_insert(now);
                        let due = from + u64::from(script.after_ms);
                        if now >= due {
                            self.watch = WatchStage::Burst(script.events.saturating_add(1), true);
                        } else if context.ended.is_some() {
                            if let Some(step) = self.cancelled(&script, now) {
                                return step;
                            }
                        } else {
                            context.wake_at(due);
                            return WatchStep::Wait;
                        }
                    }
                },
                WatchStage::Then(_) if script.then == Then::Wait => {
                    self.watch = WatchStage::Commands;
                }
                WatchStage::Then(None) => {
                    self.watch = WatchStage::Then(Some(now + u64::from(script.then_ms)));
                }
                WatchStage::Then(Some(due)) => {
                    if now >= due {
                        return WatchStep::End(self.watch_result(script.then));
                    }
                    if context.ended.is_none() {
                        context.wake_at(due);
                        return WatchStep::Wait;
                    }
                    if let Some(step) = self.cancelled(&script, now) {
                        return step;
                    }
                }
                WatchStage::Commands => {
                    if context.ended.is_some() {
                        if let Some(step) = self.cancelled(&script, now) {
                            return step;
                        }
                        continue;
                    }
                    match self.told.pop_front() {
                        None => return WatchStep::Wait,
                        Some(WatchCommand::Events(count)) => {
                            self.watch = WatchStage::Burst(count, false);
                        }
                        Some(WatchCommand::Command(Command::First)) => {
                            self.watch = WatchStage::Burst(script.events.saturating_add(1), true);
                        }
                        Some(WatchCommand::Command(command)) => {
                            let then = match command {
                                Command::Error => Then::Error,
                                Command::Panic => Then::Panic,
                                Command::Nil | Command::First => Then::Nil,
                            };
                            return WatchStep::End(self.watch_result(then));
                        }
                    }
                }
                WatchStage::Slow(due) => {
                    if now >= due {
                        let error = Ended::Cancelled.error().to_owned();
                        return WatchStep::End(Err(Failure::Error(error)));
                    }
                    context.wake_at(due);
                    return WatchStep::Wait;
                }
            }
        }
    }

    fn begin_check(&mut self, check: Check) {
        self.checked += 1;
        self.check = Some(check);
        self.check_from = None;
    }

    fn poll_check(
        &mut self,
        context: &mut Context<'_>,
        group: &mut dyn Group<Scripted>,
    ) -> Option<Checked> {
        let check = self.check.clone().unwrap_or_default();
        let place = usize::try_from(self.checked)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        let (word, ms, gate, ignores) = match self.script.check.get(place) {
            None => (CheckWord::State, 0, None, false),
            Some(CheckStep::Word(word)) => (*word, 0, None, false),
            Some(CheckStep::Waits {
                r,
                ms,
                gate,
                ignore_ctx,
            }) => (*r, *ms, gate.clone(), *ignore_ctx),
        };
        let from = *self.check_from.get_or_insert(context.now);
        let due = from + u64::from(ms);
        let mut waits = word == CheckWord::Hang;
        if context.now < due {
            context.wake_at(due);
            waits = true;
        } else if let Some(gate) = gate {
            waits |= !context.gate(&gate);
        }
        let (ok, failure) = match context.ended {
            Some(ended) if waits && !ignores => {
                (false, Some(Failure::Error(ended.error().to_owned())))
            }
            _ if waits => return None,
            _ => self.result(word, &check),
        };
        let success = failure.is_none();
        let sent = self.send(success);
        group.each(&mut |member| member.send(success));
        Some(Checked { ok, failure, sent })
    }

    fn receives(&self) -> BTreeMap<String, Source> {
        let source = |source: &crate::recorded::Source| Source {
            from: source.from.clone(),
            key: source.key.clone(),
        };
        self.script
            .recv
            .iter()
            .map(|(key, from)| (key.clone(), source(from)))
            .collect()
    }

    fn field(&self, key: &str) -> Option<Value> {
        self.fields.get(key).cloned()
    }

    fn set_field(&mut self, key: &str, value: Value) {
        if let Some(field) = self.fields.get_mut(key) {
            *field = value;
        }
    }

    fn uids(&mut self) -> Vec<Uid> {
        self.script
            .uids
            .iter()
            .map(|uid| Uid(uid.clone()))
            .collect()
    }

    fn auto_edges(&mut self) -> Result<bool, String> {
        if self.script.wants_error {
            return Err("autoedges failed".to_owned());
        }
        Ok(!self.script.wants.is_empty())
    }

    fn next_uids(&mut self) -> Option<Vec<Wanted>> {
        let batch = self.script.wants.get(self.batches)?;
        self.batches += 1;
        let wanted = batch.iter().map(|want| Wanted {
            uid: Uid(want.uid.clone()),
            reversed: want.reversed,
        });
        Some(wanted.collect())
    }

    fn test_uids(&mut self, found: &[bool]) -> bool {
        match self.script.wants_stop.as_deref() {
            Some("found") => !found.contains(&true),
            Some("last") => self.batches < self.script.wants.len(),
            _ => true,
        }
    }

    fn group_cmp(&mut self, other: &Scripted) -> Result<(), String> {
        if self.script.group.is_empty() || self.script.group != other.script.group {
            return Err("group differs".to_owned());
        }
        match &self.script.group_takes {
            Some(kinds) if !kinds.contains(&other.kind) => Err("kind not taken".to_owned()),
            _ => Ok(()),
        }
    }
}
