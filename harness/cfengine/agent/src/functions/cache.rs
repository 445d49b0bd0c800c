//! Cached function results. As in cf-agent before 3.24, the key is the arguments alone, so different
//! functions share results; since then, each function has its own. Argument lists of different lengths are compared up to the end of the shorter.

use crate::context::{Jenkins, bucket_count};
use crate::scan;
use crate::value::Value;

/// The number of results that the cache holds before it becomes a hash table.
const ROW: usize = 14;

/// The function whose results these are; `None` if functions share them.
type Owner = Option<&'static str>;

/// The results of functions.
#[derive(Default)]
pub(crate) struct Cache {
    kept: Vec<Kept>,
    /// Whether results are in buckets, by the hash of their arguments.
    hashed: bool,
}

struct Kept {
    /// The function, unless functions share results.
    owner: Owner,
    arguments: Vec<Value>,
    hash: u32,
    value: Value,
}

impl Cache {
    /// The cached result for these arguments.
    pub(super) fn get(&self, owner: Owner, arguments: &[Value]) -> Option<&Value> {
        let at = self.find(owner, arguments, hash(arguments))?;
        Some(&self.kept[at].value)
    }

    /// The next result after a full row turns the row into a hash table.
    pub(super) fn put(&mut self, owner: Owner, arguments: Vec<Value>, value: Value) {
        // The next result after a full row turns the row into a hash table.
        self.hashed |= self.kept.len() == ROW;
        let hash = hash(&arguments);
        let found = self.find(owner, &arguments, hash);
        let kept = Kept {
            owner,
            arguments,
            hash,
            value,
        };
        match found {
            Some(at) => self.kept[at] = kept,
            None => self.kept.push(kept),
        }
    }

    fn find(&self, owner: Owner, arguments: &[Value], hash: u32) -> Option<usize> {
        let mask = if self.hashed {
            bucket_count(self.kept.len()) - 1
        } else {
            0
        };
        self.kept.iter().position(|kept| {
            let is_near = kept.owner == owner && (kept.hash ^ hash) & mask == 0;
            is_near && agree(&kept.arguments, arguments)
        })
    }
}

/// Whether cf-agent treats two lists as equal: it compares up to the end of the shorter.
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
