//! The format of recorded cases: what was done, and what the real engine did.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// One case.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub fact: String,
    /// The family that it belongs to.
    #[serde(default)]
    pub family: String,
    /// What was done.
    pub input: Input,
    /// What was seen.
    pub observed: Observed,
}

/// What was done.
#[derive(Clone, Debug, Deserialize)]
pub struct Input {
    /// The graphs by name; the first one to run is `main`.
    pub graphs: BTreeMap<String, Graph>,
    /// The driver's actions; the place of each is its phase.
    pub driver: Vec<Action>,
    /// How long no call may happen until all is quiet.
    #[serde(default = "quiet")]
    pub quiet_ms: u64,
    /// Whether times were recorded.
    #[serde(default)]
    pub timing: bool,
    /// The converger's timeout.
    pub converger_s: Option<i64>,
}

fn quiet() -> u64 {
    70
}

/// A graph of scripted resources.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Graph {
    /// The vertices.
    #[serde(default)]
    pub vertices: Vec<Vertex>,
    /// The edges.
    #[serde(default)]
    pub edges: Vec<Edge>,
}

/// An edge, by names of vertices.
#[derive(Clone, Debug, Deserialize)]
pub struct Edge {
    /// Who comes first.
    pub from: String,
    /// Who waits.
    pub to: String,
    /// Whether changes are told.
    #[serde(default)]
    pub notify: bool,
    /// The name, if it is not made of both ends.
    pub name: Option<String>,
}

/// A scripted resource.
#[derive(Clone, Debug, Deserialize)]
pub struct Vertex {
    /// Its name.
    pub name: String,
    /// Its kind; `EMPTY` stands for none.
    #[serde(default = "kind")]
    pub kind: String,
    /// Its traits.
    #[serde(default)]
    pub traits: Vec<Trait>,
    /// Its meta parameters.
    #[serde(default)]
    pub meta: Meta,
    /// Whether the state is wrong at first.
    #[serde(default)]
    pub wrong: bool,
    /// What the calls of CheckApply do.
    #[serde(default)]
    pub check: Vec<CheckStep>,
    /// What `state` answers to a refresh.
    pub on_refresh: Option<String>,
    /// The scripts of the calls of Watch.
    #[serde(default)]
    pub watch: Vec<WatchScript>,
    /// The results of the calls of Validate.
    #[serde(default)]
    pub validate: Vec<String>,
    /// `error` makes Init fail.
    pub init: Option<String>,
    /// `error` makes Cleanup fail.
    pub cleanup: Option<String>,
    /// Equal resources have equal ones.
    #[serde(default)]
    pub cmp: String,
    /// What successful calls of CheckApply send.
    #[serde(default)]
    pub sends: Vec<Option<Sent>>,
    /// Whether it sends with an error, too.
    #[serde(default)]
    pub send_on_error: bool,
    /// What is received, by key.
    #[serde(default)]
    pub recv: BTreeMap<String, Source>,
    /// Resources with equal ones can be grouped.
    #[serde(default)]
    pub group: String,
    /// The kinds that it takes, if not all.
    pub group_takes: Option<Vec<String>>,
    /// Its own UIDs.
    #[serde(default)]
    pub uids: Vec<String>,
    /// Batches of UIDs that it wants.
    #[serde(default)]
    pub wants: Vec<Vec<Want>>,
    /// When it wants no more.
    pub wants_stop: Option<String>,
    /// AutoEdges fails.
    #[serde(default)]
    pub wants_error: bool,
}

fn kind() -> String {
    "t".to_owned()
}

/// A trait.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Trait {
    Refresh,
    Send,
    Recv,
    Group,
    Edge,
}

/// A sent value.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Sent {
    Number(i64),
    Text(String),
}

/// Where a value comes from.
#[derive(Clone, Debug, Deserialize)]
pub struct Source {
    /// The sender, `kind[name]`.
    pub from: String,
    /// Its key.
    pub key: String,
}

/// A wanted UID.
#[derive(Clone, Debug, Deserialize)]
pub struct Want {
    /// The UID.
    pub uid: String,
    /// Whether the found one comes first.
    #[serde(default)]
    pub reversed: bool,
}

/// The meta parameters of a scripted resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "as in `meta::Meta`")]
pub struct Meta {
    pub noop: bool,
    pub retry: i64,
    pub retryreset: bool,
    pub delay_ms: u32,
    pub timeout_ms: u32,
    pub poll_s: i32,
    pub limit: Option<f64>,
    pub burst: u32,
    pub reset: bool,
    pub sema: Vec<String>,
    pub rewatch: bool,
    pub dollar: bool,
    pub hidden: bool,
    pub autogroup_disabled: bool,
    pub autoedge_disabled: bool,
}

/// What one call of CheckApply does.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum CheckStep {
    /// Only a result.
    Word(CheckWord),
    /// A wait, then a result.
    Waits {
        /// The result.
        #[serde(default)]
        r: CheckWord,
        /// Milliseconds before it.
        #[serde(default)]
        ms: u32,
        /// The gate before it.
        gate: Option<String>,
        /// The end of the context does not end the wait.
        #[serde(default)]
        ignore_ctx: bool,
    },
}

/// A result of CheckApply.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the format says what they do")]
pub enum CheckWord {
    #[default]
    State,
    Ok,
    Changed,
    Error,
    TrueError,
    Panic,
    Hang,
}

/// The script of a call of Watch.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct WatchScript {
    /// When the first event comes.
    pub first: First,
    /// For [`First::After`].
    pub after_ms: u32,
    /// How many more events come then.
    pub events: u32,
    /// What it does then.
    pub then: Then,
    /// When it does that.
    pub then_ms: u32,
    /// What it does when its context ends.
    pub on_cancel: OnCancel,
    /// For [`OnCancel::Slow`].
    pub slow_ms: u32,
}

/// When the first event comes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum First {
    #[default]
    Now,
    After,
    Command,
    Never,
}

/// What Watch does after its events.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Then {
    #[default]
    Wait,
    Error,
    Nil,
    Panic,
}

/// What Watch returns when its context ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum OnCancel {
    #[default]
    Context,
    Nil,
    Error,
    Slow,
}

/// An action of the driver.
#[derive(Clone, Debug, Deserialize)]
pub struct Action {
    /// What is done.
    #[serde(rename = "do")]
    pub verb: Verb,
    /// The graph of a swap.
    pub graph: Option<String>,
    /// Pauses fast.
    #[serde(default)]
    pub fast: bool,
    /// The vertex.
    pub at: Option<String>,
    /// How many events.
    #[serde(default = "one")]
    pub n: u32,
    /// The state is set wrong first.
    #[serde(default)]
    pub wrong: bool,
    /// What Watch is told.
    pub cmd: Option<Command>,
    /// The gate.
    pub gate: Option<String>,
    /// How long to wait.
    #[serde(default)]
    pub ms: u32,
    /// Does not wait for the action to end.
    #[serde(default, rename = "async")]
    pub is_async: bool,
    /// The next action follows at once.
    #[serde(default)]
    pub no_settle: bool,
}

fn one() -> u32 {
    1
}

/// What the driver does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the format says what they do")]
pub enum Verb {
    Start,
    Swap,
    Event,
    Wrong,
    Watch,
    Pause,
    Resume,
    Shutdown,
    Interrupt,
    Open,
    Wait,
    Join,
}

/// What Watch is told.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the format says what they do")]
pub enum Command {
    First,
    Error,
    Nil,
    Panic,
}

/// What was seen.
#[derive(Clone, Debug, Deserialize)]
pub struct Observed {
    /// All runs were alike.
    #[serde(default)]
    pub stable: bool,
    /// A phase for each action.
    pub phases: Vec<Phase>,
    /// The instances by name.
    pub vertices: BTreeMap<String, Lanes>,
    /// Which item ended before which began.
    #[serde(default)]
    pub order: Vec<[String; 2]>,
    /// The largest number of CheckApply at one time, least and most.
    pub peak_parallel_checkapply: Option<[usize; 2]>,
}

/// What was seen of a phase.
#[derive(Clone, Debug, Deserialize)]
pub struct Phase {
    /// Runs differed.
    #[serde(default)]
    pub variants: Vec<PhaseVariant>,
    /// Else what all showed.
    #[serde(flatten)]
    pub fields: Map<String, Json>,
}

/// One of the ways that a phase went.
#[derive(Clone, Debug, Deserialize)]
pub struct PhaseVariant {
    /// What was seen.
    pub value: Map<String, Json>,
}

/// The lanes of an instance.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Lanes {
    pub life: Vec<Map<String, Json>>,
    pub watch: Vec<Map<String, Json>>,
    pub recv: Vec<Map<String, Json>>,
    pub run: Vec<Map<String, Json>>,
    pub life_variants: Vec<LaneVariant>,
    pub watch_variants: Vec<LaneVariant>,
    pub recv_variants: Vec<LaneVariant>,
    pub run_variants: Vec<LaneVariant>,
    pub end: Option<String>,
    pub end_variants: BTreeMap<String, u64>,
    pub revalidations: Option<[u64; 2]>,
}

/// One of the ways that a lane went.
#[derive(Clone, Debug, Deserialize)]
pub struct LaneVariant {
    /// Its items.
    pub items: Vec<Map<String, Json>>,
}
