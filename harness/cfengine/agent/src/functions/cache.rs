//! Results that are kept: the agent asks for the arguments alone, so that functions share
//! them, and takes the end of the shorter list for the end of both.

use crate::context::{Jenkins, bucket_count};
use crate::scan;
use crate::value::Value;

/// So many results lie in a row.
const ROW: usize = 14;

/// What functions came to.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Vec<Kept>,
    /// Results lie in buckets, by the hash of their arguments.
    hashed: bool,
}

struct Kept {
    arguments: Vec<Value>,
    hash: u32,
    value: Value,
}

impl Cache {
    /// What a function came to before with these arguments.
    pub(super) fn get(&self, arguments: &[Value]) -> Option<&Value> {
        let at = self.find(arguments, hash(arguments))?;
        Some(&self.kept[at].value)
    }

    /// Keeps a result, in place of the one that would be found.
    pub(super) fn put(&mut self, arguments: Vec<Value>, value: Value) {
        // Whatever is put into a full row makes it a table.
        self.hashed |= self.kept.len() == ROW;
        let hash = hash(&arguments);
        let found = self.find(&arguments, hash);
        let kept = Kept {
            arguments,
            hash,
            value,
        };
        match found {
            Some(at) => self.kept[at] = kept,
            None => self.kept.push(kept),
        }
    }

    fn find(&self, arguments: &[Value], hash: u32) -> Option<usize> {
        let mask = if self.hashed {
            bucket_count(self.kept.len()) - 1
        } else {
            0
        };
        self.kept
            .iter()
            .position(|kept| (kept.hash ^ hash) & mask == 0 && agree(&kept.arguments, arguments))
    }
}

/// Whether two lists are the same for the agent, as far as the shorter one goes.
fn agree(kept: &[Value], asked: &[Value]) -> bool {
    kept.iter()
        .zip(asked)
        .all(|(kept, asked)| match (kept.scalar(), asked.scalar()) {
            (Some(kept), Some(asked)) => kept == asked && !scan::has_variables(kept),
            _ => false,
        })
}

fn hash(arguments: &[Value]) -> u32 {
    let texts = arguments.iter().filter_map(Value::scalar);
    texts.fold(0, |seed, text| {
        let mut state = Jenkins::seeded(seed);
        state.add(text);
        state.finish()
    })
}
