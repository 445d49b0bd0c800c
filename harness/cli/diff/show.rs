//! How differences are shown.

use crate::args::ListFormat;
use crate::failure::Failure;
use crate::terminal;
use anstyle::{AnsiColor, Style};
use cfengine_diff::{Difference, Mode, Place, Seen};
use std::path::Path;

/// How many lines of a difference are shown.
const MOST: usize = 60;

/// Prints results for people or programs.
pub struct Printer {
    format: ListFormat,
    color: bool,
}

impl Printer {
    pub fn new(format: ListFormat, color: bool) -> Self {
        Self { format, color }
    }

    /// Prints one difference.
    pub fn difference(
        &mut self,
        mode: Mode,
        difference: &Difference,
        place: Option<&Place>,
    ) -> Result<(), Failure> {
        if self.format == ListFormat::Json {
            let event = serde_json::json!({
                "event": "difference",
                "mode": mode.name(),
                "aspect": difference.aspect,
                "parts": difference.parts,
                "place": place,
                "diff": difference.diff,
            });
            return terminal::print(format!("{event}\n"));
        }
        let red = self.style(AnsiColor::Red);
        let mut text = format!("{red}{}{red:#}", difference.aspect);
        if !difference.parts.is_empty() {
            text.push_str(&format!(" ({})", visible(&difference.parts.join(", "))));
        }
        text.push_str(&format!(" in mode {mode}"));
        if let Some(place) = place {
            text.push_str(&format!("\n  at {}", visible(&place.to_string())));
        }
        text.push_str("\n  - cf-agent\n  + stickler\n");
        let lines: Vec<&str> = difference.diff.lines().collect();
        for line in lines.iter().take(MOST) {
            let style = match line.as_bytes().first() {
                Some(b'-') => self.plain(AnsiColor::Red),
                Some(b'+') => self.plain(AnsiColor::Green),
                _ => Style::new(),
            };
            text.push_str(&format!("  {style}{}{style:#}\n", visible(line)));
        }
        if lines.len() > MOST {
            text.push_str(&format!("  … {} more lines\n", lines.len() - MOST));
        }
        terminal::print(text + "\n")
    }

    /// Prints the end of a mode.
    pub fn mode(&mut self, mode: Mode, theirs: &Seen, differences: usize) -> Result<(), Failure> {
        if self.format != ListFormat::Json {
            return Ok(());
        }
        let event = serde_json::json!({
            "event": "mode",
            "mode": mode.name(),
            "agree": differences == 0,
            "exit": theirs.exit,
            "requests_compared": theirs.requests.is_some(),
        });
        terminal::print(format!("{event}\n"))
    }

    /// Prints the last line.
    pub fn summary(&mut self, file: &str, modes: usize, differ: usize) -> Result<(), Failure> {
        if self.format == ListFormat::Json {
            let event = serde_json::json!({
                "event": "summary",
                "policy": file,
                "modes": modes,
                "differ": differ,
            });
            return terminal::print(format!("{event}\n"));
        }
        let file = visible(file);
        let modes = match modes {
            1 => "1 mode".to_owned(),
            modes => format!("{modes} modes"),
        };
        if differ == 0 {
            let green = self.style(AnsiColor::Green);
            return terminal::print(format!("{green}agree{green:#}  {file} in {modes}\n"));
        }
        let red = self.style(AnsiColor::Red);
        terminal::print(format!(
            "{red}differ{red:#}  {file} in {differ} of {modes}\n"
        ))
    }

    /// Prints a generated policy that differs, after its reduction.
    pub fn generated(
        &mut self,
        seed: u64,
        mode: Mode,
        path: &Path,
        policy: &str,
        found: &[Difference],
    ) -> Result<(), Failure> {
        let again = format!("stickler diff {} --mode {mode}", path.display());
        if self.format == ListFormat::Json {
            let event = serde_json::json!({
                "event": "generated",
                "seed": seed,
                "mode": mode.name(),
                "file": path,
                "again": again,
                "policy": policy,
                "differences": found,
            });
            return terminal::print(format!("{event}\n"));
        }
        let red = self.style(AnsiColor::Red);
        let policy: Vec<String> = policy
            .lines()
            .map(|line| format!("    {}\n", visible(line)))
            .collect();
        terminal::print(format!(
            "{red}differ{red:#}  seed {seed} in mode {mode}\n{}\n",
            policy.concat()
        ))?;
        for difference in found {
            self.difference(mode, difference, None)?;
        }
        terminal::print(format!("  again: {again}\n\n"))
    }

    /// Prints the last line about generated policies.
    pub fn campaign(&mut self, seed: u64, totals: &[(&str, u64)]) -> Result<(), Failure> {
        if self.format == ListFormat::Json {
            let mut event = serde_json::json!({ "event": "summary", "seed": seed });
            for (name, count) in totals {
                event[name.replace(' ', "_")] = (*count).into();
            }
            return terminal::print(format!("{event}\n"));
        }
        let parts = totals.iter().filter(|(_, count)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        terminal::print(format!("{}; seed {seed}\n", parts.join(", ")))
    }

    fn style(&self, color: AnsiColor) -> Style {
        match self.color {
            true => self.plain(color).bold(),
            false => Style::new(),
        }
    }

    fn plain(&self, color: AnsiColor) -> Style {
        match self.color {
            true => Style::new().fg_color(Some(color.into())),
            false => Style::new(),
        }
    }
}

/// Text from a module must not control the terminal.
fn visible(text: &str) -> std::borrow::Cow<'_, str> {
    stickler_report::visible(text)
}
