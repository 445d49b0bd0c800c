//! A running vertex: what its two loops keep.

use crate::ids::EdgeId;
use crate::limiter::Limiter;
use crate::node::Node;
use crate::resource::{Ended, Offered, Resource};
use crate::retry::Spin;
use crate::trace::ItemId;

/// Where the Watch loop is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Before a call of Watch, or before its replacement.
    Begin,
    /// Watch runs and waits.
    Running,
    /// An event is offered.
    Offering,
    /// A failure is offered; then Watch starts again after the delay.
    Restarting,
    /// It waits before it starts again.
    Delay(u64),
    /// Polling: the next event comes then.
    Poll(u64),
    /// Nothing more comes, but the loop lives.
    Hold,
    /// The loop has ended.
    Ended,
}

/// What the Watch loop hands to the Process loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// An event.
    Event,
    /// Watch failed and will start again.
    Restart,
    /// Watch failed for good.
    Fatal(String),
}

/// Where the Process loop is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// Paused; then it goes on here.
    Paused(Wait),
    /// It waits.
    Waiting(Wait),
    /// A Process waits for a semaphore; it holds those before this one.
    Sema(usize),
    /// CheckApply runs.
    Checking,
    /// The vertex failed; it ends when Watch has ended.
    Failing(String),
    /// The vertex is removed; it ends when Watch has ended.
    Closing,
    /// The loop has ended.
    Done,
}

/// What the Process loop waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// An event or a poke.
    Idle,
    /// The limit of events allows a Process then.
    Limit(u64),
    /// The failed Process is tried again then.
    Retry(u64),
}

/// A running vertex.
#[derive(Debug)]
pub(crate) struct Vertex<R> {
    pub node: Node<R>,
    pub parents: Vec<EdgeId>,
    pub children: Vec<EdgeId>,

    /// When it last ran well, as a stamp; 0 is never.
    pub stamp: u64,
    /// An older parent that was seen last: looked at first the next time.
    pub older: usize,
    pub state_ok: bool,
    pub started: bool,
    pub checks: u64,

    pub watch: Watch,
    pub watches: u64,
    pub watch_retries: i64,
    /// When polling comes next.
    pub tick: Option<u64>,
    pub watch_spin: Spin,
    pub watch_cancelled: bool,
    pub watch_returned_nil: bool,
    /// Whether an event of this Watch was offered.
    pub had_event: bool,
    pub event_item: Option<ItemId>,
    pub offer: Option<Offer>,
    pub offered: Option<Offered>,

    pub process: Process,
    pub poke: bool,
    pub pause: bool,
    pub cancel: Option<Ended>,
    pub deadline: Option<u64>,
    pub check_item: ItemId,
    pub check_spin: Spin,
    /// Whether a refresh was pending when the Process began.
    pub refreshing: bool,
    pub limiter: Option<Limiter>,
    pub error: Option<String>,
    pub leaving: bool,

    pub watch_queued: bool,
    pub process_queued: bool,
    /// The Process loop wants another turn.
    pub again: bool,
    pub watch_sleeps: bool,
    pub check_sleeps: bool,
    pub restless: bool,
}

impl<R: Resource> Vertex<R> {
    pub(crate) fn new(node: Node<R>, now: u64) -> Vertex<R> {
        let limiter = node
            .meta
            .limit
            .map(|rate| Limiter::new(rate, node.meta.burst, now));
        Vertex {
            watch_retries: node.meta.retry,
            node,
            parents: Vec::new(),
            children: Vec::new(),
            stamp: 0,
            older: 0,
            state_ok: false,
            started: false,
            checks: 0,
            watch: Watch::Begin,
            watches: 0,
            tick: None,
            watch_spin: Spin::default(),
            watch_cancelled: false,
            watch_returned_nil: false,
            had_event: false,
            event_item: None,
            offer: None,
            offered: None,
            process: Process::Paused(Wait::Idle),
            poke: false,
            pause: true,
            cancel: None,
            deadline: None,
            check_item: 0,
            check_spin: Spin::default(),
            refreshing: false,
            limiter,
            error: None,
            leaving: false,
            watch_queued: false,
            process_queued: false,
            again: false,
            watch_sleeps: false,
            check_sleeps: false,
            restless: false,
        }
    }

    /// Whether the engine sends the events itself, without Watch.
    pub(crate) fn watchless(&self) -> bool {
        self.node.meta.hidden || self.node.meta.poll_s != 0
    }

    pub(crate) fn is_done(&self) -> bool {
        self.process == Process::Done && self.watch == Watch::Ended
    }

    /// How it stands, in the words of recordings.
    pub(crate) fn end(&self) -> String {
        if let Some(error) = &self.error {
            return format!("failed: {error}");
        }
        let word = if self.watch_returned_nil {
            "watch ended"
        } else if !self.started && self.checks == 0 {
            "never started"
        } else if self.checks == 0 {
            "never ran"
        } else {
            "ok"
        };
        word.to_owned()
    }
}
