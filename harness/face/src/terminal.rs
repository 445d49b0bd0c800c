//! Output for people apart from the report: errors, notes, progress.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use std::io::{IsTerminal, Write};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// If the output is a terminal that supports them.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Does standard output get colours?
    pub fn on_stdout(self) -> bool {
        self.on(anstream::AutoStream::choice(&std::io::stdout()))
    }

    /// Does standard error get colours?
    pub fn on_stderr(self) -> bool {
        self.on(anstream::AutoStream::choice(&std::io::stderr()))
    }

    fn on(self, choice: anstream::ColorChoice) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => choice != anstream::ColorChoice::Never,
        }
    }
}

/// Prints an error to standard error.
pub fn error(message: &str) {
    labelled("error", AnsiColor::Red, message);
}

/// Prints a note to standard error.
pub fn note(message: &str) {
    labelled("note", AnsiColor::Cyan, message);
}

fn labelled(label: &str, color: AnsiColor, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    let mut stderr = anstream::stderr().lock();
    // If standard error is closed, nothing can be reported.
    let _ = writeln!(
        stderr,
        "{style}{label}{style:#}: {}",
        visible_lines(message)
    );
}

/// Foreign text must not control the terminal; line breaks are kept.
pub fn visible_lines(text: &str) -> String {
    text.lines()
        .map(|line| stickler_report::visible(line).into_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Prints to standard output. A reader may close the pipe early.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_ref()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::harness(
            format!("writing to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// The width of the terminal, or a default for logs.
pub fn width() -> usize {
    width_of(std::io::stdout())
}

/// The width of a stream, as far as lines are to be filled.
pub fn width_of(stream: impl IsTerminal + std::os::fd::AsFd) -> usize {
    if !stream.is_terminal() {
        return 100;
    }
    rustix::termios::tcgetwinsize(stream)
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0)
        .unwrap_or(100)
        .min(120)
}

/// Is standard output a terminal?
pub fn is_shown() -> bool {
    std::io::stdout().is_terminal()
}

/// Is standard error a terminal before which somebody sits?
pub fn is_watched() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("CI").is_none()
}
