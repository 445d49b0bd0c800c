//! Parses each distinct message once, however often it occurs in a run.

use crate::wire::header::Protocol;
use crate::wire::request::Request;
use crate::wire::response::Response;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use stickler_transcript::Bytes;

/// Parsed messages. The sessions of a run share them, because most sessions contain the same
/// messages.
#[derive(Debug, Default)]
pub struct Memo {
    requests: Table<Option<Arc<Request>>>,
    responses: Table<Arc<Response>>,
}

impl Memo {
    /// [`Request::parse`].
    pub(crate) fn request(&self, message: &[u8], protocol: Protocol) -> Option<Arc<Request>> {
        self.requests.get(message, protocol, || {
            Request::parse(message, protocol).map(Arc::new)
        })
    }

    /// [`Response::analyse`].
    pub(crate) fn response(&self, message: &Bytes, protocol: Protocol) -> Arc<Response> {
        self.responses
            .get(message, protocol, || Response::of(message, protocol).into())
    }
}

/// Parsed messages, by protocol and digest.
#[derive(Debug)]
struct Table<V>(Mutex<HashMap<(Protocol, blake3::Hash), V>>);

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table(Mutex::default())
    }
}

impl<V: Clone> Table<V> {
    fn get(&self, message: &[u8], protocol: Protocol, read: impl FnOnce() -> V) -> V {
        // A panic while the lock was held cannot have damaged the table.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (protocol, blake3::hash(message));
        if let Some(value) = lock().get(&key) {
            return value.clone();
        }
        let value = read();
        lock().insert(key, value.clone());
        value
    }
}
