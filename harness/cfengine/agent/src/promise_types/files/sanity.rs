//! Detects promises that contradict themselves.

use crate::context::Agent;
use crate::log::Severity;
use crate::promise::Expanded;

impl Agent {
    /// Whether the attributes of a promise are consistent.
    pub(super) fn is_sane(&mut self, promise: &Expanded, path: &str) -> bool {
        let Some(message) = contradiction(promise, path) else {
            return true;
        };
        self.say(Severity::Error, message);
        self.say_place(Severity::Error, promise);
        false
    }
}

fn contradiction(promise: &Expanded, path: &str) -> Option<String> {
    let is = |name: &str| promise.is_true(name);
    let has = |name: &str| promise.get(name).is_some();
    let edits = ["edit_line", "edit_template", "edit_template_string"];
    let edits = edits.into_iter().any(has);
    let (copies, links) = (is("copy_from"), is("link_from"));
    let (deletes, renames) = (is("delete"), is("rename"));
    let deep = is("depth_search");
    if copies && links {
        return Some(format!(
            "Promise constraint conflicts - '{path}' file cannot both be a copy of and a link to the source"
        ));
    }
    if links && !has("source") {
        return Some(format!(
            "Promise to establish a link at '{path}' has no source"
        ));
    }
    if deep && edits {
        let message = "Recursive depth_searches are not compatible with general file editing";
        return Some(message.into());
    }
    if deletes && (is("create") || copies || edits || renames) {
        return Some(format!(
            "Promise constraint conflicts - '{path}' cannot be deleted and exist at the same time"
        ));
    }
    if renames && (is("create") || copies || edits) {
        return Some(format!(
            "Promise constraint conflicts - '{path}' cannot be renamed/moved and exist there at the same time"
        ));
    }
    if deletes && deep && !is("file_select") {
        return Some(format!(
            "Dangerous or ambiguous promise - '{path}' specifies recursive deletion but has no file selection criteria"
        ));
    }
    if is("file_select") && !has("file_result") {
        let message = "File select constraint body promised no result (check body definition)";
        return Some(message.into());
    }
    if (copies || links) && has("transformer") {
        return Some(format!(
            "File object(s) '{}' cannot both be a copy of source and transformed simultaneously",
            promise.promiser
        ));
    }
    if deep && is("report_diffs") {
        return Some("Difference reporting is not allowed during a depth_search".into());
    }
    if edits && promise.text("file_type").is_some_and(|t| &**t == "fifo") {
        return Some("Editing is not allowed on fifos".into());
    }
    None
}
