//! Cases: a graph with the files that it meets, and what has to happen, in one text archive.

use crate::listing::Listing;
use crate::mistake::{Mistake, Place};
use crate::read::{GraphFile, read};
use crate::txtar::{Archive, File, end_line};
use similar::TextDiff;
use std::collections::BTreeMap;

const GRAPH: &str = "graph.yaml";
const SECOND: &str = "second.yaml";
const CALLS: &str = "calls";
const END: &str = "end";
/// What a path begins with that belongs to the folder of the case.
const DIR: &str = "{dir}";

/// A case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphCase {
    /// What it shows, in its first line.
    pub title: String,
    /// The files that are there before, by their names below the folder of the case.
    pub files: Vec<(String, String)>,
    /// The graph.
    pub graph: GraphFile,
    /// The graph that takes its place.
    pub second: Option<GraphFile>,
    calls: Option<String>,
    ends: Vec<(String, String)>,
    missing: Vec<String>,
    archive: Archive,
}

/// What happened when a case ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Happened {
    /// The calls.
    pub listing: Listing,
    /// The files at the end, by their names below the folder of the case.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Where what happened is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected {
    /// The part of the case: `calls`, or a file at the end.
    pub part: String,
    /// The difference: `-` is expected, `+` is what happened.
    pub diff: String,
}

/// Reads a case. `dir` is the folder that its graphs run in.
///
/// # Errors
/// If a graph is wrong, or a name leads out of the folder.
pub fn read_case(text: &str, dir: &str) -> Result<GraphCase, Mistake> {
    let archive = Archive::parse(text);
    let mut case = GraphCase {
        title: archive
            .comment
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
        ..GraphCase::default()
    };
    let mut graph = None;
    for (number, file) in archive.files.iter().enumerate() {
        let place = Place {
            line: file.line,
            column: 1,
        };
        if archive.files[..number]
            .iter()
            .any(|known| known.name == file.name)
        {
            let why = format!("the file {} is there twice", file.name);
            return Err(Mistake::at(place, why));
        }
        let content = file.content.clone();
        match file.name.as_str() {
            GRAPH => graph = Some(graph_of(file, dir)?),
            SECOND => case.second = Some(graph_of(file, dir)?),
            CALLS => case.calls = Some(content),
            END => {
                let names = content.lines().map(str::trim);
                for name in names.filter(|name| !name.is_empty()) {
                    below(name, place)?;
                    case.missing.push(name.to_owned());
                }
            }
            name => match name.strip_prefix("end/") {
                Some(name) => {
                    below(name, place)?;
                    case.ends.push((name.to_owned(), content));
                }
                None => {
                    below(name, place)?;
                    case.files.push((name.to_owned(), content));
                }
            },
        }
    }
    case.graph = graph.ok_or_else(|| {
        Mistake::at(
            Place::default(),
            format!("the case has no graph: write one behind a line `-- {GRAPH} --`"),
        )
    })?;
    case.archive = archive;
    Ok(case)
}

fn graph_of(file: &File, dir: &str) -> Result<GraphFile, Mistake> {
    // Places are then those in the archive.
    let text = "\n".repeat(file.line) + &file.content.replace(DIR, dir);
    read(&text).map_err(|mistake| Mistake {
        message: format!("{}: {}", file.name, mistake.message),
        ..mistake
    })
}

/// Refuses names of files outside the folder.
fn below(name: &str, place: Place) -> Result<(), Mistake> {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    if name.split('/').all(is_part) && !name.contains('\0') {
        return Ok(());
    }
    let why = format!("{name} is no path below the folder of the case: write it without . and ..");
    Err(Mistake::at(place, why))
}

impl GraphCase {
    /// Where what happened is not what the case says.
    pub fn compare(&self, happened: &Happened, dir: &str) -> Vec<Unexpected> {
        let mut found = Vec::new();
        let lines = happened.listing.text().replace(dir, DIR);
        match &self.calls {
            Some(calls) if !happened.listing.fits(calls, dir) => {
                found.extend(difference(CALLS, calls, &lines));
            }
            Some(_) => {}
            None => {
                let bad = happened.listing.bad().replace(dir, DIR);
                found.extend(difference(CALLS, "", &bad));
            }
        }
        for (name, wanted) in &self.ends {
            let part = format!("{END}/{name}");
            match happened.files.get(name) {
                None => found.push(Unexpected {
                    diff: format!("-{name}\n"),
                    part,
                }),
                Some(content) => {
                    found.extend(difference(&part, wanted, &shown(content, dir)));
                }
            }
        }
        let there = self
            .missing
            .iter()
            .filter(|name| happened.files.contains_key(*name));
        found.extend(there.map(|name| Unexpected {
            part: END.to_owned(),
            diff: format!("+{name}\n"),
        }));
        found
    }

    /// Whether it says which calls have to come.
    pub fn says_all(&self) -> bool {
        self.calls.is_some()
    }

    /// The text of the case with what happened as what is expected.
    pub fn accepted(&self, happened: &Happened, dir: &str) -> String {
        let mut archive = self.archive.clone();
        let is_expected =
            |file: &File| file.name == CALLS || file.name == END || file.name.starts_with("end/");
        archive.files.retain(|file| !is_expected(file));
        let mut add = |name: String, content: String| {
            archive.files.push(File {
                name,
                content,
                line: 0,
            });
        };
        add(CALLS.to_owned(), happened.listing.text().replace(dir, DIR));
        let before: BTreeMap<&String, &String> =
            self.files.iter().map(|(name, text)| (name, text)).collect();
        for (name, content) in &happened.files {
            let content = shown(content, dir);
            if before.get(name).is_none_or(|before| **before != content) {
                add(format!("{END}/{name}"), content);
            }
        }
        let gone = before
            .keys()
            .filter(|name| !happened.files.contains_key(**name));
        let gone: String = gone.map(|name| format!("{name}\n")).collect();
        if !gone.is_empty() {
            add(END.to_owned(), gone);
        }
        archive.text()
    }
}

/// A file as an archive has it: the last line ends, and paths have no folder of their own.
fn shown(content: &[u8], dir: &str) -> String {
    let mut text = match std::str::from_utf8(content) {
        Ok(text) => text.replace(dir, DIR),
        Err(_) => format!("(no text: {} bytes)", content.len()),
    };
    end_line(&mut text);
    text
}

fn difference(part: &str, wanted: &str, found: &str) -> Option<Unexpected> {
    if wanted == found {
        return None;
    }
    let diff = TextDiff::from_lines(wanted, found);
    let mut unified = diff.unified_diff().context_radius(2).to_string();
    end_line(&mut unified);
    Some(Unexpected {
        part: part.to_owned(),
        diff: unified,
    })
}

#[cfg(test)]
mod tests {
    use super::{GraphCase, Happened, read_case};
    use crate::event::{Came, GraphEvent, What};
    use std::collections::BTreeMap;

    const CASE: &str = "\
a file is written
-- old --
x
-- graph.yaml --
graph: g
resources:
  f: [{name: '{dir}/new'}]
-- calls --
f[{dir}/new] checkapply apply=true changed
-- end/new --
in {dir}
-- end --
old
";

    fn happened(result: Came) -> Happened {
        let mut happened = Happened::default();
        happened.listing.hear(&GraphEvent {
            at_ms: 0,
            what: What::CheckApply {
                vertex: "f[/d/new]".to_owned(),
                apply: true,
                refresh: false,
                result,
                error: None,
                sent: None,
                members: Vec::new(),
            },
        });
        happened.files = BTreeMap::from([("new".to_owned(), b"in /d".to_vec())]);
        happened
    }

    fn case() -> GraphCase {
        read_case(CASE, "/d").expect("a case")
    }

    #[test]
    fn a_case_that_goes_as_expected_has_no_differences() {
        let case = case();
        assert_eq!("a file is written", case.title);
        assert_eq!("/d/new", case.graph.vertices[0].name);
        assert_eq!(case.compare(&happened(Came::Changed), "/d"), vec![]);
    }

    #[test]
    fn differences_are_shown_and_can_be_accepted() {
        let case = case();
        let mut other = happened(Came::Ok);
        other.files.insert("old".to_owned(), b"x\n".to_vec());
        other
            .files
            .insert("new".to_owned(), b"elsewhere\n".to_vec());
        let found = case.compare(&other, "/d");
        let parts: Vec<&str> = found.iter().map(|one| one.part.as_str()).collect();
        assert_eq!(parts, ["calls", "end/new", "end"]);
        assert!(
            found[0]
                .diff
                .contains("-f[{dir}/new] checkapply apply=true changed")
        );
        assert!(
            found[0]
                .diff
                .contains("+f[{dir}/new] checkapply apply=true ok")
        );
        let accepted = case.accepted(&other, "/d");
        let again = read_case(&accepted, "/d").expect("a case");
        assert_eq!(again.compare(&other, "/d"), vec![]);
        assert!(accepted.starts_with("a file is written\n-- old --\nx\n-- graph.yaml --\n"));
    }

    #[test]
    fn mistakes_are_found_in_the_lines_of_the_case() {
        let mistake = read_case("c\n-- graph.yaml --\ngraph: g\nedge: []\n", "/d");
        assert_eq!(4, mistake.expect_err("an unknown key").place.line);
        for text in [
            "-- ../x --\n",
            "-- end//x --\n",
            "-- a --\n-- a --\n",
            "no graph\n",
        ] {
            assert!(read_case(text, "/d").is_err(), "{text}");
        }
    }
}
