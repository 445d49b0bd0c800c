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
    let listings = || {
        let others = session.calls(phase::GET).map(|(other, _)| other);
        others.filter(|other| !is_named(other) && session.is_same_provider(other, read))
    };
    // Whose default is a list of no names may fail with nil alone.
    let lists = listings()
        .any(|other| other.param("names").is_none() && other.answer.is_some() && !other.fails());
    let fails = is_usual
        && is_read
        && !lists
        && listings().any(|other| {
            other.failure().is_some_and(|why| why.lack().is_none())
                && broken(other).is_none()
                && !is_down(other)
        });
    definition.name.as_deref().filter(|_| fails)
}
