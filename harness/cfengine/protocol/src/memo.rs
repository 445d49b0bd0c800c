//! Parses each distinct message once, however often it occurs in a run.

use crate::wire::header::Protocol;
use crate::wire::request::Request;
use crate::wire::response::Response;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// How many bytes a table takes at most, about. A campaign sends distinct messages without end.
pub const MOST: usize = 16 << 20;
/// What a parsed message takes besides its own bytes: keys, values and places are in lists of their own.
const PARSED: usize = 1_500;

/// How many bytes a parsed message takes, about.
fn bytes(message: &[u8]) -> usize {
    PARSED + 2 * message.len()
}

/// Parsed messages, by protocol and digest.
#[derive(Debug)]
pub struct Table<V>(Mutex<Known<V>>);

#[derive(Debug)]
struct Known<V> {
    values: HashMap<(Protocol, blake3::Hash), V>,
    /// How much the values take, about.
    bytes: usize,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table(Mutex::new(Known {
            values: HashMap::new(),
            bytes: 0,
        }))
    }
}

impl<V: Clone> Table<V> {
    /// What `read` makes of a message, which it reads once.
    pub fn get(&self, message: &[u8], protocol: Protocol, read: impl FnOnce() -> V) -> V {
        let key = (protocol, blake3::hash(message));
        if let Some(value) = self.known().values.get(&key) {
            return value.clone();
        }
        let value = read();
        let mut known = self.known();
        if known.bytes + bytes(message) > MOST {
            known.values.clear();
            known.bytes = 0;
        }
        known.bytes += bytes(message);
        known.values.insert(key, value.clone());
        value
    }

    /// How many messages are known, and how many bytes they take, about.
    pub fn size(&self) -> (usize, usize) {
        let known = self.known();
        (known.values.len(), known.bytes)
    }

    fn known(&self) -> MutexGuard<'_, Known<V>> {
        // A panic while the lock was held cannot have damaged the table.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
