//! What can go wrong in the calls of a provider. The host is no subject, so its lines stay whole.

use crate::answer::Answer;
use crate::change::{Operator, edit, with_file, without_effects};
use puppet_protocol::phase;

/// The operators, with their names.
pub const OPERATORS: &[(&str, Operator)] = &[
    ("`get` leaves a file", |t, a| {
        (a.request.phase == phase::GET).then(|| with_file(t, a))?
    }),
    ("`get` loses all rows", |t, a| {
        is_state(a).then(|| edit(t, a, r#""value":\[\{.*\}\]"#, r#""value":[]"#))?
    }),
    ("`get` returns the rows twice", |t, a| {
        let rows = r#""value":\[(\{.*\})\]"#;
        is_state(a).then(|| edit(t, a, rows, r#""value":[$1,$1]"#))?
    }),
    ("a number comes back as text", |t, a| {
        is_state(a).then(|| edit(t, a, r#"":([0-9]+)([,}])"#, r#"":"$1"$2"#))?
    }),
    ("an attribute gets lost", |t, a| {
        is_state(a).then(|| edit(t, a, r#","[a-z_]+":("[^"]*"|[0-9]+|true|false)\}"#, "}"))?
    }),
    ("an unknown attribute comes back", |t, a| {
        is_state(a).then(|| edit(t, a, r#"(":\[\{)"#, r#"$1"unheard_of":"x","#))?
    }),
    ("what `set` did is not there", |t, a| {
        (a.request.phase == phase::SET).then(|| without_effects(t, a))?
    }),
];

/// Does an answer tell the state?
fn is_state(answer: &Answer<'_>) -> bool {
    answer.request.phase == phase::GET
}
