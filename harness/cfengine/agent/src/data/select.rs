//! Finding and putting together parts of containers.

use super::{Data, Uncopied, whole};
use crate::value::Text;

impl Data {
    /// The part that a path of keys and positions leads to.
    pub fn select(&self, path: &[Text]) -> Option<&Data> {
        path.iter().try_fold(self, |data, index| data.child(index))
    }

    /// As [`Data::select`], to be changed.
    pub fn select_mut(&mut self, path: &[Text]) -> Option<&mut Data> {
        path.iter().try_fold(self, |data, index| match data {
            Self::Object(members) => members.get_mut(index),
            Self::Array(items) => items.get_mut(index.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Puts the keys of all objects in order.
    pub fn sort(&mut self) {
        match self {
            Self::Array(items) => items.iter_mut().for_each(Self::sort),
            Self::Object(members) => {
                members.sort_unstable_keys();
                members.values_mut().for_each(Self::sort);
            }
            _ => {}
        }
    }

    /// The child of a key, or at a position.
    pub fn child(&self, index: &str) -> Option<&Data> {
        match self {
            Self::Object(members) => members.get(index),
            Self::Array(items) => items.get(index.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Keys or positions of its children.
    pub fn indices(&self) -> Vec<Text> {
        match self {
            Self::Array(items) => (0..items.len()).map(|at| at.to_string().into()).collect(),
            Self::Object(members) => members.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Both together: arrays one behind the other, of doubled keys the second
    /// counts; where kinds differ, positions become keys, and those count.
    pub fn merged(self, other: Data) -> Data {
        match (self, other) {
            (Self::Array(mut items), Self::Array(more)) => {
                items.extend(more);
                Self::Array(items)
            }
            (Self::Object(mut members), Self::Object(more)) => {
                for (key, value) in more {
                    members.shift_remove(&key);
                    members.insert(key, value);
                }
                Self::Object(members)
            }
            // Whichever comes first, the array is put into the object.
            (Self::Array(items), object @ Self::Object(_))
            | (object @ Self::Object(_), Self::Array(items)) => {
                let numbered = items.into_iter().enumerate();
                let members = numbered.map(|(at, item)| (Text::from(at.to_string()), item));
                object.merged(Self::Object(members.collect()))
            }
            (_, other) => other,
        }
    }

    /// The texts of all children that are no containers and not `null`, as
    /// promises are iterated over them, and as functions judge them.
    ///
    /// # Errors
    /// A number is none that the agent can read.
    pub fn iterated(&self) -> Result<Vec<Text>, Uncopied> {
        let text = |data: &Data| match data {
            Self::Null | Self::Array(_) | Self::Object(_) => None,
            Self::Int(text) => Some(whole(text).map(|number| number.to_string().into())),
            Self::Real(text) => {
                let number: f64 = text.parse().unwrap_or(0.0);
                Some(Ok(format!("{number:.2}").into()))
            }
            other => other.primitive().map(Ok),
        };
        if self.is_container() {
            self.children().filter_map(text).collect()
        } else {
            text(self).into_iter().collect()
        }
    }
}
