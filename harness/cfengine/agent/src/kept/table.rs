//! A persistent table: a JSON file.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Entries by name. The file is read on first access, and written if something changed.
pub(crate) struct Table<V> {
    path: PathBuf,
    entries: Option<BTreeMap<String, V>>,
    changed: bool,
    /// Why the file can't be read; then it is not overwritten.
    broken: Option<String>,
}

impl<V: Serialize + DeserializeOwned> Table<V> {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            entries: None,
            changed: false,
            broken: None,
        }
    }

    /// All entries.
    pub(crate) fn entries(&mut self) -> &BTreeMap<String, V> {
        self.read()
    }

    fn read(&mut self) -> &mut BTreeMap<String, V> {
        let (path, broken) = (&self.path, &mut self.broken);
        self.entries.get_or_insert_with(|| {
            let content = match fs::read(path) {
                Ok(content) => content,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return BTreeMap::new(),
                Err(error) => {
                    *broken = Some(error.to_string());
                    return BTreeMap::new();
                }
            };
            serde_json::from_slice(&content).unwrap_or_else(|error| {
                *broken = Some(error.to_string());
                BTreeMap::new()
            })
        })
    }

    pub(crate) fn put(&mut self, name: String, value: V) {
        self.read().insert(name, value);
        self.changed = true;
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let removed = self.read().remove(name).is_some();
        self.changed |= removed;
        removed
    }

    /// Removes the entries that are not wanted.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&V) -> bool) {
        let entries = self.read();
        let before = entries.len();
        entries.retain(|_, value| wanted(value));
        self.changed |= entries.len() < before;
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Replaces the file atomically if something changed.
    ///
    /// Without a directory for it, nothing is saved: the host has no cf-agent.
    pub(crate) fn save(&mut self) -> Result<(), String> {
        let folder = self.path.parent();
        if !self.changed || !folder.is_some_and(std::path::Path::is_dir) {
            return Ok(());
        }
        let path = self.path.display();
        if let Some(why) = &self.broken {
            return Err(format!(
                "'{path}' can't be read, and is left as it is: {why}; remove it to have the agent remember again"
            ));
        }
        let fresh = self
            .path
            .with_extension(format!("{}.new", std::process::id()));
        let text = serde_json::to_vec(&self.entries).unwrap_or_default();
        let written = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &self.path));
        self.changed = false;
        written.map_err(|error| {
            let _ = fs::remove_file(&fresh);
            let reason = crate::machine::reason(&error);
            format!("'{path}' can't be written: {reason}; the next run won't know of this one")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Table;
    use std::fs;

    #[test]
    fn stored_entries_are_found_by_the_next_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.json");
        let mut table: Table<i64> = Table::new(path.clone());
        table.put("a".into(), 1);
        table.put("b".into(), 2);
        assert!(table.remove("b"));
        table.save().expect("saved");
        let mut table: Table<i64> = Table::new(path);
        assert_eq!(table.entries().get("a"), Some(&1));
        assert_eq!(table.entries().len(), 1);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_file_that_is_not_a_table_is_left_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.json");
        fs::write(&path, "{\"a\": ").expect("a file");
        let mut table: Table<i64> = Table::new(path.clone());
        assert!(table.entries().is_empty());
        table.put("b".into(), 2);
        let message = table.save().expect_err("not saved");
        assert!(message.contains("is left as it is"), "{message}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{\"a\": ");
    }

    #[test]
    fn nothing_is_written_without_a_state_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut table: Table<i64> = Table::new(folder.path().join("state/table.json"));
        table.put("a".into(), 1);
        table.save().expect("nothing to do");
        assert!(!folder.path().join("state").exists());
    }
}
