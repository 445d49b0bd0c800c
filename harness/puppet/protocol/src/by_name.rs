//! Types whose rows can be read by name alone.

use crate::backends::{broken, commands_fail};
use crate::phase;
use crate::services::is_down;
use crate::session::{Call, Session};

/// The type whose rows a call reads by name, if the same session shows that its provider fails without names.
pub fn reads_by_name_alone<'s>(session: &'s Session, read: &Call) -> Option<&'s str> {
    let is_named = |call: &Call| call.param("names").is_some_and(|names| !names.is_nil());
    let definition = session.definition(read)?;
    let is_usual = definition.has_feature("simple_get_filter")
        && !session.is_disturbed()
        && !commands_fail(session);
    let is_read = read.answer.is_some() && !read.fails() && is_named(read);
    let mut others = session.calls(phase::GET);
    let fails = is_usual
        && is_read
        && others.any(|(other, _)| {
            !is_named(other)
                && other.failure().is_some_and(|why| why.lack().is_none())
                && broken(other).is_none()
                && !is_down(other)
                && session.is_same_provider(other, read)
        });
    definition.name.as_deref().filter(|_| fails)
}
