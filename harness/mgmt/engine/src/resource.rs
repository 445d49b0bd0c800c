//! What the engine asks of a resource.

use std::collections::BTreeMap;

use crate::meta::Meta;
use crate::value::Value;

/// The optional abilities of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// It can be told that a parent changed.
    pub refresh: bool,
    /// It sends values.
    pub send: bool,
    /// It receives values.
    pub recv: bool,
    /// It may join others of its kind in one vertex.
    pub group: bool,
    /// It has and wants automatic edges.
    pub edge: bool,
}

/// Where a received value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The sender, `kind[name]`.
    pub from: String,
    /// The key of its value.
    pub key: String,
}

/// Why a context ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Someone cancelled it.
    Cancelled,
    /// Its time ran out.
    Deadline,
}

impl Ended {
    /// The error of the context.
    pub fn error(self) -> &'static str {
        match self {
            Ended::Cancelled => "context canceled",
            Ended::Deadline => "context deadline exceeded",
        }
    }
}

/// What a call may know and ask while it runs. A call that is not done says here when to ask it
/// again; it is asked at once when its context ends.
#[derive(Debug)]
pub struct Context<'a> {
    /// Milliseconds on the virtual clock.
    pub now: u64,
    /// Whether the context of the call ended.
    pub ended: Option<Ended>,
    /// For Watch: what became of the event that it offered last.
    pub event: Option<Offered>,
    pub(crate) wake_at: Option<u64>,
    pub(crate) wake_gate: Option<String>,
    pub(crate) gates: &'a crate::gates::Gates,
}

impl Context<'_> {
    /// Asks to be called again at this time.
    pub fn wake_at(&mut self, at: u64) {
        self.wake_at = Some(self.wake_at.map_or(at, |before| before.min(at)));
    }

    /// Whether this gate is open; if not, asks to be called again when it is.
    pub fn gate(&mut self, name: &str) -> bool {
        let open = self.gates.is_open(name);
        if !open {
            self.wake_gate = Some(name.to_owned());
        }
        open
    }
}

/// What became of an offered event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// The engine took it.
    Accepted,
    /// The context ended first.
    Cancelled,
}

/// What Watch does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchStep {
    /// It waits; see [`Context`].
    Wait,
    /// It offers an event and waits until that is taken.
    Event,
    /// It returns, with an error or without.
    End(Result<(), Failure>),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It returned this error.
    Error(String),
    /// It panicked.
    Panic(String),
}

/// What CheckApply is called with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Whether it may change the state.
    pub apply: bool,
    /// Whether a refresh is pending.
    pub refresh: bool,
    /// The receiving fields with a new value.
    pub changed: Vec<String>,
}

/// What CheckApply returned, and what it sent meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Whether the state was right.
    pub ok: bool,
    /// Its error or panic.
    pub failure: Option<Failure>,
    /// What it sent.
    pub sent: Option<Sends>,
}

/// A struct of sent values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sends {
    /// The value as a recording shows it.
    pub plain: Value,
    /// The values by key.
    pub keys: BTreeMap<String, Value>,
}

/// A UID: equal ones of one type match.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(pub String);

/// A UID that a resource wants an edge with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The UID.
    pub uid: Uid,
    /// Whether the found resource comes first.
    pub reversed: bool,
}

/// The members of a head's group, however deep.
pub trait Group<R> {
    /// Visits each; what a visit returns is sent for that member.
    fn each(&mut self, visit: &mut dyn FnMut(&mut R) -> Option<Sends>);
}

/// A resource that the engine runs.
///
/// Watch and CheckApply are called step by step: `begin_…` starts the call, `poll_…` goes on until
/// it is done or has to wait. A resource that answers at once is done at the first poll.
pub trait Resource: Sized {
    /// Its kind.
    fn kind(&self) -> &str;
    /// Its name.
    fn name(&self) -> &str;
    /// Its meta parameters.
    fn meta(&self) -> Meta;
    /// Its traits.
    fn traits(&self) -> Traits;
    /// Whether its parameters make sense.
    fn validate(&mut self) -> Result<(), String>;
    /// Called before anything runs.
    fn init(&mut self) -> Result<(), String> {
        Ok(())
    }
    /// Called when all has ended.
    fn cleanup(&mut self) -> Result<(), String> {
        Ok(())
    }
    /// Whether the other is equivalent.
    fn cmp(&mut self, other: &Self) -> Result<(), String>;

    /// Starts the call of Watch with this number, from 1.
    fn begin_watch(&mut self, number: u64);
    /// Goes on with Watch.
    fn poll_watch(&mut self, context: &mut Context<'_>) -> WatchStep;
    /// Starts a call of CheckApply.
    fn begin_check(&mut self, check: Check);
    /// Goes on with CheckApply; `None` waits. A head works for the members of its group, too.
    fn poll_check(
        &mut self,
        context: &mut Context<'_>,
        group: &mut dyn Group<Self>,
    ) -> Option<Checked>;

    /// Which of its fields receive values.
    fn receives(&self) -> BTreeMap<String, Source> {
        BTreeMap::new()
    }
    /// What a field holds that can receive; `None` if there is no such field.
    fn field(&self, _key: &str) -> Option<Value> {
        None
    }
    /// Sets a field that can receive.
    fn set_field(&mut self, _key: &str, _value: Value) {}
    /// Receives a value by rules of its own, instead of the engine's: whether it was new. `sender` is the label of
    /// the sender's instance. `None` leaves it to the engine.
    fn receive(
        &mut self,
        _key: &str,
        _source: &Source,
        _sender: &str,
    ) -> Option<Result<bool, String>> {
        None
    }

    /// Its own UIDs.
    fn uids(&mut self) -> Vec<Uid> {
        Vec::new()
    }
    /// Whether it wants automatic edges.
    fn auto_edges(&mut self) -> Result<bool, String> {
        Ok(false)
    }
    /// The next UIDs that it wants; `None` ends it.
    fn next_uids(&mut self) -> Option<Vec<Wanted>> {
        None
    }
    /// Tells which of the last ones were found; whether it goes on.
    fn test_uids(&mut self, _found: &[bool]) -> bool {
        false
    }
    /// Whether it takes the other into its group.
    fn group_cmp(&mut self, _other: &Self) -> Result<(), String> {
        Err("not groupable".to_owned())
    }
    /// Takes the other into its group, once the engine has decided so.
    fn group(&mut self, _member: &Self) -> Result<(), String> {
        Ok(())
    }
}
