//! The settings for files in control bodies.

use crate::context::{Agent, Reach};
use crate::log::Severity;
use crate::scan;
use crate::value::{Text, Value};
use std::rc::Rc;

/// The settings for files in `body agent control`.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileControl {
    /// A copy to one of these paths sets a class.
    auto_define: Vec<Text>,
    /// A copy to one of these paths is made once in a run.
    single_copy: Option<Vec<Text>>,
    /// The agent ignores files of these names.
    pub(super) suspicious: Vec<Text>,
    pub(super) repository: Option<Text>,
    pub(super) compare: Option<Text>,
    pub(super) edit_limit: Option<i64>,
    /// Whether a region without an end extends to the end of the file.
    pub(super) regions_to_the_end: bool,
}

impl FileControl {
    /// Stores an attribute's value.
    pub(crate) fn note(&mut self, name: &str, value: &Value) {
        let text = value.scalar().cloned();
        let texts = || {
            let items = value.items().unwrap_or_default();
            items.iter().filter_map(Value::scalar).cloned().collect()
        };
        match name {
            "files_auto_define" => self.auto_define = texts(),
            "files_single_copy" => self.single_copy = Some(texts()),
            "suspiciousnames" => self.suspicious = texts(),
            "default_repository" => self.repository = text,
            "defaultcopytype" => self.compare = text,
            "editfilesize" => self.edit_limit = text.and_then(|text| crate::number::int(&text)),
            "select_end_match_eof" => {
                self.regions_to_the_end =
                    text.is_some_and(|text| matches!(&*text, "true" | "yes" | "on"));
            }
            _ => {}
        }
    }
}

impl Agent {
    /// Sets a class for a copy, if the control body asks for one.
    pub(super) fn define_for_copy(&mut self, path: &str) {
        let patterns = self.voice.control.files.auto_define.clone();
        if !self.match_any(&patterns, path) {
            return;
        }
        let class = format!("auto_{}", scan::canonify(path));
        let tags = Rc::new(vec!["source=promise".into()]);
        self.set_class(&class, Reach::Namespace, &tags, None);
        self.say(Severity::Info, format!("Auto defining class '{class}'"));
    }

    /// Records a copy that is made once in a run.
    pub(super) fn note_single_copy(&mut self, path: &str, new: bool) {
        let Some(patterns) = self.voice.control.files.single_copy.clone() else {
            return;
        };
        let mut patterns = patterns.iter();
        if new || patterns.any(|pattern| self.patterns.matches_fully(pattern, path)) {
            self.single_copies.insert(path.to_owned());
        }
    }
}
