//! Mustache templates, with cf-agent's own tags: `{{%x}}` and `{{$x}}` for JSON, `{{@}}` for the
//! current key, `{{-top-}}` for all data.

use crate::data::{Data, Uncopied};
use crate::log::Severity;

/// Why a template could not be rendered.
pub(crate) enum Broken {
    /// cf-agent's messages, with their levels.
    Template(Vec<(Severity, String)>),
    /// cf-agent can't read a number.
    Number(Uncopied),
    /// The result exceeds a limit.
    TooLong,
}

/// How deep sections may be nested.
const DEEPEST: usize = 500;

/// Renders a template to at most `most` bytes.
pub(crate) fn render(template: &str, data: &Data, most: usize) -> Result<String, Broken> {
    let mut renderer = Renderer {
        template,
        open: "{{".into(),
        close: "}}".into(),
        stack: vec![Some(data)],
        out: String::new(),
        said: Vec::new(),
        most,
        steps: most.max(template.len()),
    };
    match renderer.part(0, None, false, 0) {
        Ok(_) => Ok(renderer.out),
        Err(Broken::Template(last)) => {
            renderer.said.extend(last);
            Err(Broken::Template(renderer.said))
        }
        Err(other) => Err(other),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Escaped,
    Plain,
    Pretty,
    Compact,
    Section,
    Inverted,
    End,
    Comment,
    Delimiters,
}

/// A tag: its position in the template and its content.
struct Tag<'a> {
    kind: Kind,
    start: usize,
    end: usize,
    content: &'a str,
    /// The template from the content on, as cf-agent shows it.
    rest: &'a str,
}

struct Renderer<'a> {
    template: &'a str,
    open: String,
    close: String,
    /// The scopes for name lookup; the last one has priority.
    stack: Vec<Option<&'a Data>>,
    out: String,
    /// Messages of the lookahead. The template then fails again when rendering reaches the fault.
    said: Vec<(Severity, String)>,
    most: usize,
    steps: usize,
}

fn warning<T>(message: impl Into<String>) -> Result<T, Broken> {
    Err(Broken::Template(vec![(Severity::Warning, message.into())]))
}

fn error<T>(message: String) -> Result<T, Broken> {
    Err(Broken::Template(vec![(Severity::Error, message)]))
}

impl<'a> Renderer<'a> {
    /// Renders the template from an offset to the end of the template or of the current section.
    /// Returns the offset after the section's end.
    fn part(
        &mut self,
        mut at: usize,
        key: Option<&str>,
        skip: bool,
        depth: usize,
    ) -> Result<Option<usize>, Broken> {
        if depth > DEEPEST {
            return Err(Broken::TooLong);
        }
        loop {
            self.steps = self.steps.checked_sub(1).ok_or(Broken::TooLong)?;
            let Some(tag) = next_tag(self.template, at, &self.open, &self.close)? else {
                self.add(&self.template[at..], skip)?;
                return Ok(None);
            };
            at = match standalone(self.template, at, &tag) {
                Some((start, end)) => {
                    self.add(&self.template[at..start.max(at)], skip)?;
                    end
                }
                None => {
                    self.add(&self.template[at..tag.start], skip)?;
                    tag.end
                }
            };
            match tag.kind {
                Kind::Comment => {}
                Kind::Delimiters => (self.open, self.close) = delimiters(&tag)?,
                Kind::End if depth == 0 => {
                    return warning(format!(
                        "Unknown section close in mustache template '{}'",
                        tag.content
                    ));
                }
                Kind::End => {
                    self.stack.pop();
                    return Ok(Some(at));
                }
                Kind::Section | Kind::Inverted => at = self.section(&tag, at, skip, depth)?,
                _ if skip => {}
                _ if tag.content.is_empty() => {
                    let both = format!("{}{}", self.open, self.close);
                    self.add(&both, false)?;
                }
                _ => self.variable(&tag, key)?,
            }
        }
    }

    fn add(&mut self, text: &str, skip: bool) -> Result<(), Broken> {
        if skip {
            return Ok(());
        }
        if self.out.len() + text.len() > self.most {
            return Err(Broken::TooLong);
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Renders a section, once for each child of its value.
    fn section(
        &mut self,
        tag: &Tag<'_>,
        at: usize,
        skip: bool,
        depth: usize,
    ) -> Result<usize, Broken> {
        let inverted = tag.kind == Kind::Inverted;
        let found = self.find(tag.content);
        self.stack.push(found);
        let end = match found {
            None => self.part(at, None, skip || !inverted, depth + 1)?,
            Some(Data::Bool(holds)) => {
                self.part(at, None, skip || *holds == inverted, depth + 1)?
            }
            Some(Data::Object(_)) if !self.asks_for_keys(at) => {
                self.part(at, None, skip || inverted, depth + 1)?
            }
            Some(data) if data.is_container() => {
                let mut end = None;
                if data.is_empty() {
                    end = self.part(at, None, !inverted, depth + 1)?;
                }
                for (key, child) in data.indices().iter().zip(data.children()) {
                    self.stack.push(Some(child));
                    end = self.part(at, Some(key), skip || inverted, depth + 1)?;
                }
                end
            }
            Some(_) => {
                return warning(format!(
                    "Mustache sections can only take a boolean or a container (array or map) value, but section '{}' isn't getting one of those.",
                    tag.content
                ));
            }
        };
        match end {
            Some(end) => Ok(end),
            None => error("Unexpected end to Mustache template".into()),
        }
    }

    /// Whether a section uses its keys before another section begins. A fault is reported here, and
    /// again when rendering reaches it.
    fn asks_for_keys(&mut self, at: usize) -> bool {
        self.is_over_keys(at).unwrap_or_else(|broken| {
            if let Broken::Template(said) = broken {
                self.said.extend(said);
            }
            false
        })
    }

    fn is_over_keys(&self, mut at: usize) -> Result<bool, Broken> {
        let (mut open, mut close) = (self.open.clone(), self.close.clone());
        while let Some(tag) = next_tag(self.template, at, &open, &close)? {
            // With blanks around the sign, or with other delimiters, it is an ordinary name.
            let written = &self.template[tag.start + open.len()..tag.end - close.len()];
            let usual = (&*open, &*close) == ("{{", "}}");
            match tag.kind {
                Kind::Section | Kind::End => return Ok(false),
                Kind::Escaped if written == "@" => return Ok(true),
                Kind::Plain if written == "&@" || (usual && written == "{@}") => return Ok(true),
                Kind::Delimiters => (open, close) = delimiters(&tag)?,
                _ => {}
            }
            at = tag.end;
        }
        Ok(false)
    }

    fn variable(&mut self, tag: &Tag<'_>, key: Option<&str>) -> Result<(), Broken> {
        let (is_item, is_key) = (tag.content == ".", tag.content == "@");
        if is_key && key.is_none() {
            return warning(
                "RenderVariable: {{@}} Mustache tag must be used in a context where there's a valid key or iteration position",
            );
        }
        let found = if is_item || is_key {
            self.stack.last().copied().flatten()
        } else {
            self.find(tag.content)
        };
        let Some(data) = found else {
            return Ok(());
        };
        let text = match (data, tag.kind) {
            _ if is_key && !data.is_container() => key.unwrap_or_default().to_owned(),
            (Data::Array(_) | Data::Object(_), Kind::Pretty) => data.pretty(),
            (Data::Array(_) | Data::Object(_), Kind::Compact) => data.compact(),
            (Data::Array(_) | Data::Object(_), _) if is_key => key.unwrap_or_default().to_owned(),
            (Data::Array(_) | Data::Object(_), _) if is_item => {
                return warning(
                    "{{.}} mustache tag cannot expand a container without specifying conversion - consider {{$.}} or {{%.}}",
                );
            }
            (Data::Array(_) | Data::Object(_), _) => {
                return Err(Broken::Template(Vec::new()));
            }
            _ => data
                .iterated()
                .map_err(Broken::Number)?
                .first()
                .map(ToString::to_string)
                .unwrap_or_default(),
        };
        if tag.kind == Kind::Escaped && (is_key || matches!(data, Data::String(_))) {
            self.add(&escaped(&text), false)
        } else {
            self.add(&text, false)
        }
    }

    /// The value of a name with dots.
    fn find(&self, name: &str) -> Option<&'a Data> {
        let mut parts = name.split('.').filter(|part| !part.is_empty());
        let first = parts.next()?;
        let objects = self.stack.iter().rev().copied().flatten();
        let mut found = objects.filter_map(|data| match data {
            Data::Object(members) => members.get(first),
            _ => None,
        });
        let top = || self.stack[0].filter(|_| first == "-top-");
        parts.try_fold(found.next().or_else(top)?, |data, part| match data {
            Data::Object(members) => members.get(part),
            _ => None,
        })
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out
}

fn next_tag<'a>(
    template: &'a str,
    from: usize,
    open: &str,
    close: &str,
) -> Result<Option<Tag<'a>>, Broken> {
    let rest = &template[from..];
    let Some(found) = memchr::memmem::find(rest.as_bytes(), open.as_bytes()) else {
        return Ok(None);
    };
    let inside = &rest[found + open.len()..];
    let (kind, length, quoted) = match inside.as_bytes().first() {
        Some(b'#') => (Kind::Section, 1, ""),
        Some(b'^') => (Kind::Inverted, 1, ""),
        Some(b'/') => (Kind::End, 1, ""),
        Some(b'!') => (Kind::Comment, 1, ""),
        Some(b'=') => (Kind::Delimiters, 1, "="),
        Some(b'{') => (Kind::Plain, 1, "}"),
        Some(b'&') => (Kind::Plain, 1, ""),
        Some(b'%') => (Kind::Pretty, 1, ""),
        Some(b'$') => (Kind::Compact, 1, ""),
        _ => (Kind::Escaped, 0, ""),
    };
    let content = &inside[length..];
    let end = if quoted.is_empty() {
        let Some(end) = memchr::memmem::find(content.as_bytes(), close.as_bytes()) else {
            return error(format!(
                "Broken Mustache template, could not find end delimiter after reading start delimiter at '{rest:>20}'..."
            ));
        };
        end
    } else {
        let end = content.find(quoted);
        match end.filter(|end| content[end + 1..].starts_with(close)) {
            Some(end) => end,
            None => {
                return error(format!(
                    "Broken mustache template, couldn't find end tag for quoted begin tag at '{rest:>20}'..."
                ));
            }
        }
    };
    let start = from + found;
    Ok(Some(Tag {
        kind,
        start,
        end: start + open.len() + length + end + quoted.len() + close.len(),
        content: content[..end].trim_matches([' ', '\t']),
        rest: content.trim_start_matches([' ', '\t']),
    }))
}

/// The start and end of the line, if a tag without output is alone on it.
fn standalone(template: &str, from: usize, tag: &Tag<'_>) -> Option<(usize, usize)> {
    if matches!(
        tag.kind,
        Kind::Escaped | Kind::Plain | Kind::Pretty | Kind::Compact
    ) {
        return None;
    }
    let before = template[..tag.start].trim_end_matches([' ', '\t']);
    if !before.is_empty() && !before.ends_with('\n') {
        return None;
    }
    let after = template[tag.end..].trim_start_matches([' ', '\t', '\r']);
    let end = template.len() - after.len();
    match after.as_bytes().first() {
        None => Some((before.len().max(from), end)),
        Some(b'\n') => Some((before.len().max(from), end + 1)),
        _ => None,
    }
}

/// `{{=<% %>=}}`
fn delimiters(tag: &Tag<'_>) -> Result<(String, String), Broken> {
    const LONGEST: usize = 10;
    let rest = tag.rest;
    let words: Vec<_> = tag
        .content
        .split([' ', '\t'])
        .filter(|w| !w.is_empty())
        .collect();
    let [open, close] = words[..] else {
        return warning(format!(
            "Could not parse delimiter mustache, number of tokens is {}, expected 2 in '{rest}'",
            words.len()
        ));
    };
    if open.len() > LONGEST || close.len() > LONGEST {
        return warning(format!(
            "New mustache start delimiter exceeds the allowed size of {LONGEST} in '{rest}'"
        ));
    }
    Ok((open.to_owned(), close.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str, json: &str) -> Option<String> {
        let (data, _) = crate::data::parse(json, Default::default()).expect("JSON");
        render(template, &data, 1 << 16).ok()
    }

    #[test]
    fn sections_are_taken_for_each_child() {
        let data = r#"{"l": [{"n": "a"}, {"n": "<b>"}], "e": [], "t": true}"#;
        let shown = rendered("{{#l}}{{n}} {{{n}}};{{/l}}{{^e}}none{{/e}}", data);
        assert_eq!(shown.as_deref(), Some("a a;&lt;b&gt; <b>;none"));
        assert_eq!(
            rendered("{{#t}}\nx\n{{/t}}\n", data).as_deref(),
            Some("x\n")
        );
        assert_eq!(rendered("{{#l}}", data), None);
    }

    #[test]
    fn templates_that_grow_without_end_are_ended() {
        let list: Vec<_> = (0..100).map(|n| n.to_string()).collect();
        let data = format!(r#"{{"a": [{}]}}"#, list.join(","));
        let template = format!("{}x{}", "{{#a}}".repeat(20), "{{/a}}".repeat(20));
        assert_eq!(rendered(&template, &data), None);
    }
}
