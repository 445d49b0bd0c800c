//! Reports in all formats: their look, their schema, and texts that try to leave their place.

mod formats;
mod hostile;
mod schema;
mod support;
