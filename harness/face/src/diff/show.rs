//! How comparisons are shown.

use crate::args::ListFormat;
use crate::failure::{Done, Failure};
use crate::terminal;
use anstyle::{AnsiColor, Style};
use stickler_judge::Exit;
use stickler_oracle::{Compared, Difference, Generated, Line, RunName, Tally};
use stickler_report::count;

/// How many lines of a difference are shown.
const MOST: usize = 60;

/// Prints results for people or programs.
pub struct Printer {
    format: ListFormat,
    color: bool,
    peer: &'static str,
    /// Why neither side accepts the input.
    rejected: Option<String>,
    /// Does the file hold several cases?
    cases: bool,
}

impl Printer {
    /// A printer for a comparison with this program.
    pub fn new(format: ListFormat, color: bool, peer: &'static str) -> Self {
        Self {
            format,
            color,
            peer,
            rejected: None,
            cases: false,
        }
    }

    /// Prints a run's differences.
    pub fn run(&mut self, compared: &Compared) -> Result<(), Failure> {
        if compared.varied > 0 {
            let varied = count(compared.varied, "difference");
            terminal::note(&format!(
                "{varied} not counted: these values vary between runs"
            ));
        }
        if self.format == ListFormat::Json {
            let lines: String = Line::of_run(compared).map(|line| line.text()).collect();
            return terminal::print(lines);
        }
        self.rejected.clone_from(&compared.comparison.rejected);
        self.cases |= compared.run.case.is_some();
        for found in &compared.comparison.differences {
            self.difference(found, &compared.run)?;
        }
        Ok(())
    }

    fn difference(&self, found: &Difference, run: &RunName) -> Result<(), Failure> {
        let red = self.bold(AnsiColor::Red);
        let mut text = format!("{red}{}{red:#}", found.aspect);
        if !found.parts.is_empty() {
            text.push_str(&format!(" ({})", visible(&found.parts.join(", "))));
        }
        if let Some(case) = &run.case {
            text.push_str(&format!(" of {}", visible(case)));
        }
        text.push_str(&format!(" in mode {}", visible(&run.mode)));
        if let Some(place) = &found.place {
            text.push_str(&format!("\n  at {}", visible(&place.to_string())));
        }
        if let Some(reason) = found.known {
            text.push_str(&format!("\n  known: {reason}"));
        }
        text.push_str(&format!("\n  - {}\n  + stickler\n", self.peer));
        let lines: Vec<&str> = found.diff.lines().collect();
        for line in lines.iter().take(MOST) {
            let style = match line.as_bytes().first() {
                Some(b'-') => self.style(AnsiColor::Red),
                Some(b'+') => self.style(AnsiColor::Green),
                _ => Style::new(),
            };
            text.push_str(&format!("  {style}{}{style:#}\n", visible(line)));
        }
        if lines.len() > MOST {
            text.push_str(&format!("  … {} more lines\n", lines.len() - MOST));
        }
        terminal::print(text + "\n")
    }

    /// Prints the last line about a file, and returns how the command ends.
    pub fn summary(&self, file: &str, tally: &Tally) -> Done {
        if self.format == ListFormat::Json {
            return self.last(Some(file), None, tally);
        }
        let file = visible(file);
        let noun = if self.cases { "run" } else { "mode" };
        let runs = count(usize::try_from(tally.runs()).unwrap_or(usize::MAX), noun);
        let (word, color, of) = match tally.differ {
            0 => ("agree", AnsiColor::Green, String::new()),
            differ => ("differ", AnsiColor::Red, format!("{differ} of ")),
        };
        let style = self.bold(color);
        let mut text = format!("{style}{word}{style:#}  {file} in {of}{runs}");
        if tally.known > 0 {
            text.push_str(&format!("; {} with known differences", tally.known));
        }
        // Nothing was compared beyond that.
        if let Some(why) = &self.rejected {
            let why = terminal::visible_lines(why).replace('\n', "\n    ");
            text.push_str(&format!("; neither side accepts it: {why}"));
        }
        terminal::print(text + "\n")?;
        Ok(exit(tally))
    }

    /// Prints a generated input that differs, after its reduction.
    pub fn generated(&self, made: Generated<'_>) -> Result<(), Failure> {
        if self.format == ListFormat::Json {
            return terminal::print(Line::Generated(made).text());
        }
        let red = self.bold(AnsiColor::Red);
        let lines = made.input.lines();
        let input: String = lines
            .map(|line| format!("    {}\n", visible(line)))
            .collect();
        terminal::print(format!(
            "{red}differ{red:#}  seed {} in mode {}\n{input}\n",
            made.seed, made.mode
        ))?;
        let run = RunName::of_mode(made.mode);
        for found in made.differences {
            self.difference(found, &run)?;
        }
        terminal::print(format!("  again: {}\n\n", made.again))
    }

    /// Prints the last line about generated inputs, and returns how the command ends.
    pub fn campaign(&self, seed: u64, tally: &Tally) -> Done {
        if self.format == ListFormat::Json {
            return self.last(None, Some(seed), tally);
        }
        let parts = [
            (tally.agree, "agree"),
            (tally.rejected, "rejected by both"),
            (tally.unsupported, "not supported by Stickler"),
            (tally.known, "with known differences"),
            (tally.differ, "differ"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        terminal::print(format!("{}; seed {seed}\n", parts.join(", ")))?;
        Ok(exit(tally))
    }

    fn last(&self, file: Option<&str>, seed: Option<u64>, tally: &Tally) -> Done {
        let summary = Line::Summary {
            file,
            seed,
            peer: self.peer,
            runs: tally.runs(),
            tally: *tally,
        };
        terminal::print(summary.text())?;
        Ok(exit(tally))
    }

    fn bold(&self, color: AnsiColor) -> Style {
        match self.color {
            true => self.style(color).bold(),
            false => Style::new(),
        }
    }

    fn style(&self, color: AnsiColor) -> Style {
        match self.color {
            true => Style::new().fg_color(Some(color.into())),
            false => Style::new(),
        }
    }
}

fn exit(tally: &Tally) -> Exit {
    match tally.differ {
        0 => Exit::Success,
        _ => Exit::Findings,
    }
}

/// Text from a subject must not control the terminal.
fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    stickler_report::visible(text)
}
