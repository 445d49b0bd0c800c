//! Text archives: a comment, then files, each behind a line `-- NAME --`. The form is that of Go's txtar.

/// A text archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    /// What stands before the first file.
    pub comment: String,
    /// The files, in order.
    pub files: Vec<File>,
}

/// A file of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its content. It ends with a line end, unless it is empty.
    pub content: String,
    /// The line of its marker, from 1; 0 if it comes from nowhere.
    pub line: usize,
}

impl Archive {
    /// Reads an archive. Any text is one.
    pub fn parse(text: &str) -> Archive {
        let mut archive = Archive::default();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if let Some(name) = marker(line) {
                archive.files.push(File {
                    name: name.to_owned(),
                    content: String::new(),
                    line: number + 1,
                });
                continue;
            }
            match archive.files.last_mut() {
                Some(file) => file.content.push_str(line),
                None => archive.comment.push_str(line),
            }
        }
        end_line(&mut archive.comment);
        for file in &mut archive.files {
            end_line(&mut file.content);
        }
        archive
    }

    /// The archive as text.
    pub fn text(&self) -> String {
        let mut text = self.comment.clone();
        end_line(&mut text);
        for file in &self.files {
            text.push_str(&format!("-- {} --\n", file.name));
            text.push_str(&file.content);
            end_line(&mut text);
        }
        text
    }

    /// The content of a file.
    pub fn file(&self, name: &str) -> Option<&File> {
        self.files.iter().find(|file| file.name == name)
    }
}

/// Ends the last line.
pub(crate) fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The name in a line that begins a file.
fn marker(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let name = line.strip_prefix("-- ")?.strip_suffix(" --")?.trim();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::Archive;
    use proptest::prelude::*;

    #[test]
    fn an_archive_has_a_comment_and_files() {
        let text = "what it shows\n-- a --\none\n--  b/c --\n-- d --\nlast";
        let archive = Archive::parse(text);
        assert_eq!("what it shows\n", archive.comment);
        let files: Vec<(&str, &str, usize)> = archive
            .files
            .iter()
            .map(|file| (&*file.name, &*file.content, file.line))
            .collect();
        assert_eq!(
            vec![("a", "one\n", 2), ("b/c", "", 4), ("d", "last\n", 5)],
            files
        );
        assert_eq!("-- --\n", Archive::parse("-- --").comment);
    }

    proptest! {
        #[test]
        fn a_written_archive_parses_to_the_same_archive(text in "((-- [a-c/ ]{0,3} --)?[a-z\\- ]{0,5}\r?\n?){0,12}") {
            let archive = Archive::parse(&text);
            let written = archive.text();
            let again = Archive::parse(&written);
            prop_assert_eq!(&archive.comment, &again.comment);
            let plain = |archive: &Archive| {
                let files = archive.files.iter();
                files.map(|file| (file.name.clone(), file.content.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(plain(&archive), plain(&again));
            prop_assert_eq!(written, again.text());
        }
    }
}
