//! Shows a run as it goes: a line for what changes or fails, or all as lines of JSON.

use crate::args::{GraphArgs, GraphFormat};
use anstyle::{AnsiColor, Style};
use mgmt_graph::{Came, End, GraphEvent, Summary, What};
use std::collections::{HashMap, HashSet};
use stickler_face::{Failure, terminal};
use stickler_report::count;

/// How wide the words before a vertex are.
const MARGIN: usize = 13;

/// The error of a Watch that was told to end.
const CANCELLED: &str = "context canceled";

/// Where a run is shown.
pub struct Console {
    format: GraphFormat,
    verbose: bool,
    colored: bool,
    /// The last error of each vertex.
    errors: HashMap<String, String>,
    /// The vertices so far.
    vertices: HashSet<String>,
    /// Those that would change something, as was said: until another call of theirs, that is not said again.
    waiting: HashSet<String>,
}

impl Console {
    /// A console with these options.
    pub fn new(args: &GraphArgs) -> Console {
        Console {
            format: args.format,
            verbose: args.verbose,
            colored: args.color.on_stdout(),
            errors: HashMap::new(),
            vertices: HashSet::new(),
            waiting: HashSet::new(),
        }
    }

    /// Shows what happened.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn show(&mut self, told: &GraphEvent) -> Result<(), Failure> {
        if self.format == GraphFormat::Json {
            let line = serde_json::to_string(told)
                .map_err(|error| Failure::harness(format!("a line of JSON: {error}")))?;
            return terminal::print(format!("{line}\n"));
        }
        let shown = match &told.what {
            What::CheckApply { vertex, error, .. } => error.as_ref().map(|error| (vertex, error)),
            What::WatchEnd {
                vertex,
                error,
                panic,
            } => panic
                .as_ref()
                .or(error.as_ref().filter(|error| *error != CANCELLED))
                .map(|error| (vertex, error)),
            _ => None,
        };
        if let Some((vertex, error)) = shown {
            self.errors.insert(vertex.clone(), error.clone());
        }
        match &told.what {
            What::Graph { vertices, .. } => self.vertices.extend(vertices.iter().cloned()),
            What::CheckApply { vertex, result, .. } => {
                let is_said = self.waiting.contains(vertex);
                match result {
                    Came::WouldChange if is_said && !self.verbose => return Ok(()),
                    Came::WouldChange => self.waiting.insert(vertex.clone()),
                    _ => self.waiting.remove(vertex),
                };
            }
            _ => {}
        }
        match self.line(&told.what) {
            Some(line) => terminal::print(format!("{line}\n")),
            None => Ok(()),
        }
    }

    fn line(&self, what: &What) -> Option<String> {
        let failed = |error: &Option<String>| error.is_some();
        match what {
            What::Graph {
                name,
                vertices,
                edges,
                ..
            } => Some(format!(
                "graph {}: {}, {}",
                stickler_report::visible(name),
                count(vertices.len(), "resource"),
                count(edges.len(), "edge")
            )),
            What::CheckApply {
                vertex,
                result,
                error,
                refresh,
                ..
            } => {
                let color = match result {
                    Came::Ok if !self.verbose => return None,
                    Came::Ok => None,
                    Came::Changed => Some(AnsiColor::Green),
                    Came::WouldChange => Some(AnsiColor::Yellow),
                    Came::Error | Came::Panic => Some(AnsiColor::Red),
                };
                let note = if *refresh { "  (refreshed)" } else { "" };
                let about = format!("{vertex}{note}");
                Some(self.row(result.word(), color, &about, error.as_deref()))
            }
            What::Validate { vertex, error } if failed(error) => {
                Some(self.row("invalid", Some(AnsiColor::Red), vertex, error.as_deref()))
            }
            What::Init { vertex, error } if failed(error) => {
                Some(self.row("no init", Some(AnsiColor::Red), vertex, error.as_deref()))
            }
            What::Cleanup { vertex, error } if failed(error) => {
                Some(self.row("no cleanup", Some(AnsiColor::Red), vertex, error.as_deref()))
            }
            What::WatchEnd {
                vertex,
                error,
                panic,
            } => match (panic, error) {
                (Some(panic), _) => {
                    Some(self.row("watch panic", Some(AnsiColor::Red), vertex, Some(panic)))
                }
                (None, Some(error)) if error != CANCELLED => {
                    Some(self.row("watch error", Some(AnsiColor::Red), vertex, Some(error)))
                }
                _ if self.verbose => Some(self.row("watch end", None, vertex, None)),
                _ => None,
            },
            What::Misuse { vertex, text } => {
                Some(self.row("misuse", Some(AnsiColor::Red), vertex, Some(text)))
            }
            What::Refused { error } => {
                Some(self.row("refused", Some(AnsiColor::Red), "the graph", Some(error)))
            }
            What::End(end) => self.end(end),
            What::Summary(summary) => Some(summary_line(summary, self.vertices.len())),
            other if self.verbose => self.detail(other),
            _ => None,
        }
    }

    /// What only matters to those who look closely.
    fn detail(&self, what: &What) -> Option<String> {
        Some(match what {
            What::Validate { vertex, .. } => self.row("validate", None, vertex, None),
            What::Init { vertex, .. } => self.row("init", None, vertex, None),
            What::Cleanup { vertex, .. } => self.row("cleanup", None, vertex, None),
            What::AutoEdge { edge } => self.row("auto edge", None, edge, None),
            What::Group { vertex, head } => {
                self.row("grouped", None, vertex, Some(&format!("into {head}")))
            }
            What::Cmp { vertex, error } => self.row(
                "compared",
                None,
                vertex,
                Some(error.as_deref().unwrap_or("the same")),
            ),
            What::Watch { vertex, .. } => self.row("watch", None, vertex, None),
            What::Event { vertex, first } => {
                let word = if *first { "started" } else { "event" };
                self.row(word, None, vertex, None)
            }
            What::SendRecv { text, .. } => self.row("send/recv", None, text, None),
            What::Engine { vertex, text } => self.row("engine", None, vertex, Some(text)),
            What::Log { vertex, text } => self.row("log", None, vertex, Some(text)),
            What::Converged { converged } => match converged {
                true => "converged".to_owned(),
                false => "not converged any more".to_owned(),
            },
            _ => return None,
        })
    }

    fn end(&self, end: &End) -> Option<String> {
        let why = match &*end.state {
            "failed" => {
                // What was said before is not said again.
                let shown = self.errors.get(&end.vertex);
                let error = end.error.as_deref();
                error.filter(|error| !shown.is_some_and(|shown| error.contains(shown.as_str())))
            }
            "never started" => Some(
                "Watch never said that it is ready: it has to send an event when its watches are armed",
            ),
            "never ran" => Some("what it waits for never succeeded"),
            "watch ended" => {
                Some("Watch returned before it was told to: the resource never runs again")
            }
            _ => return None,
        };
        Some(self.row(&end.state, Some(AnsiColor::Red), &end.vertex, why))
    }

    fn row(&self, word: &str, color: Option<AnsiColor>, about: &str, more: Option<&str>) -> String {
        let style = match color {
            Some(color) if self.colored => Style::new().bold().fg_color(Some(color.into())),
            _ => Style::new(),
        };
        let mut row = format!(
            "{style}{word:<MARGIN$}{style:#}  {}",
            stickler_report::visible(about)
        );
        for line in more.into_iter().flat_map(str::lines) {
            row.push_str(&format!(
                "\n{:MARGIN$}  {}",
                "",
                stickler_report::visible(&line.replace('\t', "  "))
            ));
        }
        row
    }
}

fn summary_line(summary: &Summary, vertices: usize) -> String {
    let mut parts = vec![count(vertices, "resource")];
    parts.push(format!(
        "{} changed something",
        count(summary.changes, "call")
    ));
    if summary.failed > 0 {
        parts.push(format!("{} failed", summary.failed));
    }
    if summary.interrupted {
        parts.push("interrupted".to_owned());
    } else if !summary.converged {
        parts.push("not converged".to_owned());
    }
    format!(
        "{}   {} of CheckApply, {:.1} s",
        parts.join(", "),
        count(summary.checks, "call"),
        summary.real_ms as f64 / 1000.0
    )
}
