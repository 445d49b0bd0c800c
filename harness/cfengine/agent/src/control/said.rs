//! Messages about the attributes of `body agent control`.

use crate::context::Agent;
use crate::log::Severity;
use crate::number;
use crate::options::Mode;
use crate::value::{Text, Value, show_list};

impl Agent {
    /// Reports the value of an attribute.
    pub(super) fn say_setting(&mut self, name: &str, value: &Value) {
        if self.voice.log.global < Severity::Verbose {
            return;
        }
        let items = value.items().unwrap_or_default();
        let items = items.iter().filter_map(Value::scalar);
        match (name, value.scalar()) {
            ("files_single_copy", None) => {
                let list = show_list(value.items().unwrap_or_default());
                self.verbose(|| format!("Setting file single copy list to: {list}"));
            }
            ("refresh_processes", None) => {
                self.verbose(|| "Setting refresh_processes when starting to...".into());
                items.for_each(|item| self.verbose(|| item.to_string()));
            }
            ("suspiciousnames", None) => items.for_each(|item| {
                self.verbose(|| format!("Considering '{item}' as suspicious file"));
            }),
            ("addclasses", None) => {
                self.verbose(|| "Add classes ...".into());
                items.for_each(|item| self.verbose(|| format!("... {item}")));
            }
            ("abortclasses", None) => self.verbose(|| "Setting abort classes from ...".into()),
            ("abortbundleclasses", None) => {
                self.verbose(|| "Setting abort bundle classes from ...".into());
            }
            ("environment", None) => {
                self.verbose(|| "Setting environment variables from ...".into());
            }
            ("files_auto_define", None) => {
                self.verbose(|| "Setting file auto define list".into());
            }
            (_, Some(text)) => {
                if let Some(said) = self.setting(name, text) {
                    self.verbose(|| said);
                }
            }
            _ => {}
        }
    }

    fn setting(&self, name: &str, text: &Text) -> Option<String> {
        let truth = matches!(&**text, "true" | "yes" | "on");
        let level = self.voice.log.global.name();
        let (what, shown) = match name {
            "maxconnections"
            | "checksum_alert_time"
            | "ifelapsed"
            | "expireafter"
            | "max_children" => (name, number::int(text)?.to_string()),
            "editfilesize" => ("edit file size", number::int(text)?.to_string()),
            "default_timeout" => ("timeout", number::int(text)?.to_string()),
            "dryrun" => {
                let dry = self.voice.options.mode != Mode::Normal;
                (name, u8::from(dry).to_string())
            }
            "report_class_log" => (name, truth.to_string()),
            "alwaysvalidate" | "allclassesreport" | "skipidentify" | "mountfilesystems" => {
                (name, format!("'{truth}'"))
            }
            "secureinput" => ("secure input", format!("'{truth}'")),
            "hashupdates" => ("checksum updates", format!("'{truth}'")),
            "defaultcopytype" => (name, format!("'{text}'")),
            "default_repository" => ("repository", format!("'{text}'")),
            "repchar" => {
                let first = text.chars().next().map_or(String::new(), String::from);
                (name, format!("'{first}'"))
            }
            "childlibpath" => return Some(format!("Setting 'LD_LIBRARY_PATH={text}'")),
            "select_end_match_eof" => return Some(format!("SET {name} {text}")),
            "inform" | "verbose" => {
                return Some(format!(
                    "body agent control, {name} => '{truth}', sets new log level to '{level}'"
                ));
            }
            _ => return None,
        };
        Some(format!("Setting {what} to {shown}"))
    }
}
