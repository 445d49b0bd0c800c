//! The reference agent: evaluates CFEngine policy as cf-agent 3.21.0 does,
//! drives promise modules, and prints what that agent prints.
//!
//! Before a run it names unsupported constructs, and refuses the policy. It is independent of
//! transcripts, rules and verdicts.

mod answered;
mod augments;
mod background;
mod children;
mod compat;
mod context;
mod control;
mod data;
mod deployed;
mod expand;
mod functions;
mod inert;
mod iterate;
mod kept;
mod load;
mod log;
mod machine;
mod map;
mod module;
mod mustache;
mod number;
mod options;
mod os;
mod outcome;
mod passes;
mod pattern;
mod private_log;
mod process;
mod program;
mod promise;
mod promise_types;
mod removed;
mod run;
mod safe;
mod scan;
mod show;
mod simulate;
mod stop;
mod support;
mod survey;
mod value;
mod voice;
mod witness;

pub use children::Children;
pub use deployed::{Asked, Behind, Deployed, Reply, reactions};
pub use functions::{Entry, TABLE};
pub use inert::is_inert;
pub use log::{Format, Severity};
pub use module::ModuleHost;
pub use options::{Deadlines, Limits, Mode, Options, SimulationReport};
pub use run::{Ended, check, run, run_last};
pub use stop::Stop;
pub use survey::{Promised, Survey, survey};
pub use value::Kind;
pub use witness::{Became, Conclusion, Witness};
