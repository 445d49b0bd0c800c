//! The reference engine for mgmt resources: it decides what mgmt's engine decides, on a virtual
//! clock and without threads, so that a run is the same each time.
//!
//! A [`Plan`] of [`Resource`]s is given to an [`Engine`], which calls them as the real engine
//! would. Where the real one leaves a choice to chance, this one always chooses alike: the order
//! of a graph, and first come, first served.

mod autoedge;
mod autogroup;
mod check;
mod commit;
pub mod compare;
mod control;
mod converger;
mod decide;
pub mod driver;
mod engine;
mod gates;
mod ids;
mod limiter;
mod meta;
mod node;
mod operation;
mod plan;
mod poke;
mod process;
pub mod recorded;
mod resource;
mod retry;
pub mod scripted;
mod seen;
mod sema;
mod sendrecv;
mod trace;
mod value;
mod vertex;
mod watch;

pub use engine::Engine;
pub use ids::{InstanceId, VertexId};
pub use meta::Meta;
pub use node::{Node, Slot};
pub use plan::{Cycle, Plan, PlanEdge};
pub use resource::{
    Check, Checked, Context, Ended, Failure, Group, Offered, Resource, Sends, Source, Traits, Uid,
    Wanted, WatchStep,
};
pub use seen::{Seen, SeenItem, SeenVertex};
pub use trace::{Item, Lane, Trace};
pub use value::Value;
