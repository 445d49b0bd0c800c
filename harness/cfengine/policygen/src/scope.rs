//! The names that promises may refer to.

/// The names that a bundle has defined so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) strings: Vec<String>,
    pub(crate) lists: Vec<String>,
    pub(crate) containers: Vec<String>,
    pub(crate) arrays: Vec<String>,
    pub(crate) classes: Vec<String>,
    pub(crate) handles: Vec<String>,
    /// Bundles that this one may call.
    pub(crate) callable: Vec<Callable>,
    /// A counter for handles.
    pub(crate) promises: usize,
}

/// A bundle to call: the first parameter is a text, the second a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callable {
    pub(crate) name: &'static str,
    pub(crate) parameters: usize,
}

impl Scope {
    /// Adds a variable; its first letter gives its type.
    pub(crate) fn learn(&mut self, name: &str) {
        let base = name.split('[').next().unwrap_or(name).to_owned();
        let names = match name.as_bytes().first() {
            Some(b'l') => &mut self.lists,
            Some(b'd') => &mut self.containers,
            Some(b'a') => &mut self.arrays,
            _ => &mut self.strings,
        };
        if !names.contains(&base) {
            names.push(base);
        }
    }
}
