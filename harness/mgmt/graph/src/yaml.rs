//! YAML as a tree in which each value knows its place, and plain scalars keep their spelling: what a scalar means
//! depends on the field that it is for.

use crate::mistake::{Mistake, Place};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use std::collections::HashMap;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it holds.
    pub data: Data,
}

/// What a value holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Text without quotes, which may also mean a number, a truth value or nothing.
    Plain(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with values.
    Map(Vec<(Node, Node)>),
}

/// How deep values may lie in each other.
const DEEPEST: usize = 64;

/// How many values a file may have, with repeated anchors counted each time.
const MOST: usize = 200_000;

/// Reads a file with one document.
///
/// # Errors
/// If it is no YAML, or has parts that are not supported.
pub fn parse(text: &str) -> Result<Node, Mistake> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Mistake::at(of(*error.marker()), error.info().to_owned()))?;
        reader.take(event, place(span))?;
    }
    reader
        .root
        .ok_or_else(|| Mistake::at(Place::default(), "the file is empty: write a graph"))
}

fn of(marker: saphyr_parser::Marker) -> Place {
    Place {
        line: marker.line().max(1),
        column: marker.col() + 1,
    }
}

fn place(span: Span) -> Place {
    of(span.start)
}

/// A list or a map that is not complete.
#[derive(Debug)]
struct Open {
    place: Place,
    anchor: usize,
    parts: Vec<Node>,
    is_map: bool,
}

#[derive(Debug, Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    root: Option<Node>,
    count: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, at: Place) -> Result<(), Mistake> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(Mistake::at(at, "a second document: write one graph a file"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let data = scalar(text.into_owned(), style, tag.as_deref(), at)?;
                self.add(Node { place: at, data }, anchor, 1)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(Mistake::at(
                        at,
                        "an alias of something that is not complete here",
                    ));
                };
                self.add(node, 0, size)
            }
            Event::SequenceStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), false),
            Event::MappingStart(anchor, tag) => self.begin(at, anchor, tag.as_deref(), true),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => Ok(()),
        }
    }

    fn begin(
        &mut self,
        place: Place,
        anchor: usize,
        tag: Option<&Tag>,
        is_map: bool,
    ) -> Result<(), Mistake> {
        if let Some(tag) = tag {
            return Err(unsupported(tag, place));
        }
        if self.open.len() >= DEEPEST {
            return Err(Mistake::at(
                place,
                format!("values lie deeper than {DEEPEST} in each other"),
            ));
        }
        self.open.push(Open {
            place,
            anchor,
            parts: Vec::new(),
            is_map,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Mistake> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let data = match open.is_map {
            false => Data::List(open.parts),
            true => {
                let mut pairs = Vec::new();
                let mut parts = open.parts.into_iter();
                while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                    pairs.push((key, value));
                }
                Data::Map(pairs)
            }
        };
        let node = Node {
            place: open.place,
            data,
        };
        let size = if open.anchor > 0 { size(&node) } else { 1 };
        // Its parts were counted when they came.
        self.count = self.count.saturating_sub(size - 1);
        self.add(node, open.anchor, size)
    }

    fn add(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), Mistake> {
        self.count += size;
        if self.count > MOST {
            return Err(Mistake::at(
                node.place,
                format!("there are more than {MOST} values"),
            ));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            Some(open) => open.parts.push(node),
            None => self.root = Some(node),
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match &node.data {
        Data::Plain(_) | Data::Text(_) => 1,
        Data::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Data::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| size(key) + size(value));
            1 + pairs.sum::<usize>()
        }
    }
}

fn scalar(
    text: String,
    style: ScalarStyle,
    tag: Option<&Tag>,
    place: Place,
) -> Result<Data, Mistake> {
    let is_text = match tag {
        None => style != ScalarStyle::Plain,
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => true,
        Some(tag) => return Err(unsupported(tag, place)),
    };
    Ok(match is_text {
        true => Data::Text(text),
        false => Data::Plain(text),
    })
}

fn unsupported(tag: &Tag, place: Place) -> Mistake {
    let prefix = match tag.is_yaml_core_schema() {
        true => "!!",
        false => "!",
    };
    Mistake::at(
        place,
        format!(
            "the tag {prefix}{} is not supported: leave it out",
            tag.suffix
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::{Data, Node, parse};
    use crate::mistake::Place;

    fn entry(node: &Node, number: usize) -> &Node {
        match &node.data {
            Data::Map(pairs) => &pairs[number].1,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_keep_their_spelling_and_their_place() {
        let node = parse("a: 0644\nb: '0644'\nc: !!str 7\n").expect("YAML");
        assert_eq!(Data::Plain("0644".to_owned()), entry(&node, 0).data);
        assert_eq!(Place { line: 2, column: 4 }, entry(&node, 1).place);
        assert_eq!(Data::Text("0644".to_owned()), entry(&node, 1).data);
        assert_eq!(Data::Text("7".to_owned()), entry(&node, 2).data);
    }

    #[test]
    fn an_alias_repeats_its_anchor_but_not_without_end() {
        let node = parse("a: &x [1]\nb: *x\n").expect("YAML");
        assert_eq!(entry(&node, 0).data, entry(&node, 1).data);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let before = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{before}]\n");
        }
        assert!(parse(&bomb).is_err());
    }

    #[test]
    fn yaml_errors_name_the_unsupported_feature() {
        let error = |text: &str| parse(text).expect_err(text);
        assert!(error("a: !!binary eA==\n").message.contains("!!binary"));
        assert!(
            error("a: 1\n---\nb: 2\n")
                .message
                .contains("second document")
        );
        assert!(error("").message.contains("empty"));
        assert_eq!(2, error("a: [1\nb: 2\n").place.line);
        assert!(error(&"[".repeat(100)).message.contains("deeper"));
    }
}
