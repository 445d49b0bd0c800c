//! Selects and merges parts of containers.

use super::{Data, Uncopied, whole};
use crate::value::Text;

impl Data {
    /// The part at a path of keys and positions.
    pub fn select(&self, path: &[Text]) -> Option<&Data> {
        path.iter().try_fold(self, |data, index| data.child(index))
    }

    /// Does the same as [`Data::select`], but allows changes.
    pub fn select_mut(&mut self, path: &[Text]) -> Option<&mut Data> {
        path.iter().try_fold(self, |data, index| match data {
            Self::Object(members) => members.get_mut(index),
            Self::Array(items) => items.get_mut(index.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Sorts the keys of all objects.
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

    /// The child with this key or at this position.
    pub fn child(&self, index: &str) -> Option<&Data> {
        match self {
            Self::Object(members) => members.get(index),
            Self::Array(items) => items.get(index.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The keys or positions of the children.
    pub fn indices(&self) -> Vec<Text> {
        match self {
            Self::Array(items) => (0..items.len()).map(|at| at.to_string().into()).collect(),
            Self::Object(members) => members.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Merges two values. Arrays are concatenated. In objects, the second value of a duplicate key
    /// wins. An array and an object become an object with positions as keys; the array's values
    /// win.
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
            // The array is merged into the object in either order.
            (Self::Array(items), object @ Self::Object(_))
            | (object @ Self::Object(_), Self::Array(items)) => {
                let numbered = items.into_iter().enumerate();
                let members = numbered.map(|(at, item)| (Text::from(at.to_string()), item));
                object.merged(Self::Object(members.collect()))
            }
            (_, other) => other,
        }
    }

    /// The texts of all children except containers and `null`, as promises iterate over them and
    /// functions compare them.
    ///
    /// # Errors
    /// cf-agent can't read a number.
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
