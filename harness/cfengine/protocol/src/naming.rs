//! How messages name the values that two promises differ in.

use crate::session::Exchange;
use crate::words::shown;
use stickler_transcript::Case;

/// The longest value in a message, in characters.
const VALUE: usize = 40;

/// A promise by one of its values: the promiser, or `name=value`.
pub(crate) fn named(field: &str, text: &[u8], case: &Case) -> String {
    let text = shown(text, case, VALUE);
    match field {
        "promiser" => format!("`{text}`"),
        field => format!("`{field}={text}`"),
    }
}

/// The text of a field in a request.
pub(crate) fn text_of<'e>(exchange: &'e Exchange, field: &str) -> Option<&'e [u8]> {
    let request = exchange.request.as_ref()?;
    match field {
        "promiser" => request.promiser.as_deref(),
        field => request.attribute(field.as_bytes())?.as_text(),
    }
}
