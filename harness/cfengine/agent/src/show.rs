//! The output of `--show-evaluated-classes` and `--show-evaluated-vars`.

use crate::context::{Agent, Reference, show_class};
use crate::value::{Text, Value};
use cfengine_policy::text::encode;

impl Agent {
    /// Prints the requested overviews.
    pub(crate) fn show_evaluated(&mut self) {
        if let Some(pattern) = self.voice.options.show_classes.clone() {
            self.show_classes(&pattern);
        }
        if let Some(pattern) = self.voice.options.show_variables.clone() {
            self.show_variables(&pattern);
        }
    }

    fn show_classes(&mut self, pattern: &str) {
        let classes = self.classes.clone();
        let mut lines = Vec::new();
        for (namespace, name, class) in classes.in_order() {
            let shown = show_class(namespace, name);
            if self.patterns.matches_partly(pattern, &shown) {
                let comment = class.comment.as_deref().unwrap_or_default();
                lines.push(row([(&shown, 60), (&tags(&class.tags), 40), (comment, 40)]));
            }
        }
        lines.sort();
        let head = row([("Class name", 60), ("Meta tags", 40), ("Comment", 40)]);
        self.voice.log.plain("class", &head);
        lines
            .iter()
            .for_each(|line| self.voice.log.plain("class", line));
    }

    fn show_variables(&mut self, pattern: &str) {
        let all: Vec<_> = self
            .variables
            .in_order(None, None)
            .into_iter()
            .map(|(reference, variable)| (reference, variable.clone()))
            .collect();
        let mut lines = Vec::new();
        for (reference, variable) in all {
            let name = full_name(&reference);
            if !self.patterns.matches_partly(pattern, &name) {
                continue;
            }
            let value = match &variable.value {
                Value::Data(data) => data.compact(),
                Value::List(items) if items.is_empty() => String::new(),
                other => other.show(false),
            };
            let printable = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
            let value = if printable {
                value
            } else {
                "<non-printable>".into()
            };
            let comment = variable.comment.as_deref().unwrap_or_default();
            let tags = tags(&variable.tags);
            lines.push(row([(&name, 40), (&value, 60), (&tags, 40), (comment, 40)]));
        }
        lines.sort();
        let head = row([
            ("Variable name", 40),
            ("Variable value", 60),
            ("Meta tags", 40),
            ("Comment", 40),
        ]);
        self.voice.log.plain("variable", &head);
        lines
            .iter()
            .for_each(|line| self.voice.log.plain("variable", line));
    }
}

/// Formats cells, padded to these widths in bytes.
fn row<const CELLS: usize>(cells: [(&str, usize); CELLS]) -> String {
    let padded = cells.map(|(text, width)| {
        let missing = width.saturating_sub(encode(text).len());
        format!("{text}{}", " ".repeat(missing))
    });
    padded.join(" ")
}

fn tags(tags: &[Text]) -> String {
    tags.join(",")
}

fn full_name(reference: &Reference) -> String {
    let mut name = format!(
        "{}:{}.{}",
        reference.namespace.as_deref().unwrap_or("default"),
        reference.scope.as_deref().unwrap_or_default(),
        reference.name
    );
    for index in &reference.indices {
        name.push_str(&format!("[{index}]"));
    }
    name
}
