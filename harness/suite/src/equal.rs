//! One intent, which subjects of any dialects bring about: what each claims and leaves, and where they part.
//!
//! It uses only what all dialects share: verbs, claims and observed effects.

mod hold;
mod left;
mod line;
mod stage;
mod verdict;

pub use hold::{Held, hold};
pub use left::{Change, Left, in_words};
pub use line::{Line, json_schema};
pub use stage::{Answer, ComparisonStage, Round};
pub use verdict::{Aspect, Difference, Verdict, compare};
