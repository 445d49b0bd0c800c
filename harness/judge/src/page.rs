//! A rule's manual page: the doc comment of the rule's file.

/// The manual page of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The first heading: what the rule requires, in one line.
    pub title: String,
    /// The whole page as Markdown, title included.
    pub markdown: String,
}

impl Page {
    /// The title of the page in such a source text.
    pub(crate) fn title_of(source: &str) -> String {
        let first = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("//!"));
        let title = first.unwrap_or_default().trim();
        title.trim_start_matches('#').trim().to_owned()
    }

    /// Extracts the page from the source text of the rule's file: its leading `//!` lines.
    pub fn from_source(source: &str) -> Page {
        let lines: Vec<&str> = source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        Page {
            title: Page::title_of(source),
            markdown: lines.join("\n") + "\n",
        }
    }

    /// Says in the section on judging which rules an example must keep in its usual evaluation.
    pub(crate) fn presuming(mut self, codes: &[&str]) -> Page {
        let Some((last, others)) = codes.split_last() else {
            return self;
        };
        let codes = match others {
            [] => (*last).to_owned(),
            _ => format!("{} or {last}", others.join(", ")),
        };
        let start = self.markdown.find("\n## How it is judged\n");
        let end =
            start.and_then(|start| Some(start + 1 + self.markdown[start + 1..].find("\n\n## ")?));
        if let Some(end) = end {
            let said =
                format!("\n- Not judged: examples that break {codes} in their usual evaluation.");
            self.markdown.insert_str(end, &said);
        }
        self
    }

    /// Each heading below the title, such as `Why`, with the text below it.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &str)> {
        self.markdown.split("\n## ").skip(1).map(|section| {
            let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
            (heading.trim(), text.trim())
        })
    }

    /// The text below a heading such as `Why`, without the heading.
    pub fn section(&self, heading: &str) -> Option<&str> {
        self.sections()
            .find_map(|(found, text)| (found == heading).then_some(text))
    }
}
