//! The errors and warnings that cf-agent prints whenever it reads attributes.

use super::Expanded;
use crate::context::Agent;
use crate::log::Severity;
use crate::module::own_level;

impl Agent {
    /// Reads the attributes that all promise types share. True if there was nothing to report.
    pub(crate) fn read_attributes(&mut self, promise: &Expanded) -> bool {
        let mut fine = true;
        fine &= self.read_action(promise);
        fine &= self.read_int(promise, "persist_time");
        if &*promise.written.kind == "reports" {
            self.read_report(promise);
        }
        fine
    }

    fn read_report(&mut self, promise: &Expanded) {
        let more = [
            "printfile",
            "file_to_print",
            "showstate",
            "report_to_file",
            "lastseen",
        ];
        let returns = promise.get("bundle_return_value_index").is_some();
        if returns && more.iter().any(|name| promise.get(name).is_some()) {
            let message = format!(
                "bundle_return_value promise for '{}' in bundle '{}' with too many constraints (ignored)",
                promise.promiser, promise.bundle.name
            );
            self.say(Severity::Error, message);
        }
    }

    /// Reads the attributes of the body `action`.
    pub(crate) fn read_action(&mut self, promise: &Expanded) -> bool {
        let mut fine = self.read_int(promise, "ifelapsed");
        fine &= self.read_int(promise, "expireafter");
        self.say_unlocked(promise);
        if let Some(word) = promise.text("log_level") {
            fine &= own_level(word, &mut self.voice.log).is_some();
        }
        fine
    }

    pub(crate) fn read_int(&mut self, promise: &Expanded, name: &str) -> bool {
        promise
            .text(name)
            .is_none_or(|text| self.int(text).is_some())
    }

    pub(crate) fn read_octal(&mut self, promise: &Expanded, name: &str) {
        let Some(text) = promise.text(name) else {
            return;
        };
        let digits = text.trim_start().trim_start_matches(['-', '+']);
        if !digits.starts_with(|c| matches!(c, '0'..='7')) {
            let message = format!("Error reading assumed octal value '{text}'");
            self.say(Severity::Error, message);
            self.say_place(Severity::Error, promise);
        }
    }

    /// Warns about lock times of promise types that have no locks.
    fn say_unlocked(&mut self, promise: &Expanded) {
        let kind = &promise.written.kind;
        if !matches!(&**kind, "classes" | "defaults" | "meta" | "vars") {
            return;
        }
        for name in ["ifelapsed", "expireafter"] {
            // For variables, zero means that functions are called again.
            let means_fresh = name == "ifelapsed" && &**kind == "vars";
            let minutes = promise.int(name);
            if minutes.is_some_and(|minutes| minutes != 0 || !means_fresh) {
                let message = format!(
                    "{name} attribute specified in action body for {kind} promise '{}', but {kind} promises do not support promise locking",
                    promise.promiser
                );
                self.say(Severity::Warning, message);
            }
        }
    }
}
