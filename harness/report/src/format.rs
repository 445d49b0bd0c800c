//! The formats and their names on the command line.

use std::{error::Error, fmt, str::FromStr};

/// A format of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// For people at a terminal.
    #[default]
    Pretty,
    /// JSON Lines, of the schema [`crate::json_schema`].
    Json,
    /// JUnit's XML, as CI servers read it.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// TAP 14.
    Tap,
    /// Workflow commands of GitHub Actions.
    Github,
    /// Markdown with HTML, for the summary of a step in GitHub Actions.
    Markdown,
    /// A web page in one file.
    Html,
    /// JSON for a badge of shields.io.
    Badge,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Pretty,
        Format::Json,
        Format::Junit,
        Format::Sarif,
        Format::Tap,
        Format::Github,
        Format::Markdown,
        Format::Html,
        Format::Badge,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pretty => "pretty",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Sarif => "sarif",
            Format::Tap => "tap",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Html => "html",
            Format::Badge => "badge",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(
    /// The unknown name.
    pub String,
);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(
            f,
            "there is no format \"{}\"; there are {}",
            crate::visible(&self.0),
            names.join(", ")
        )
    }
}

impl Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_leads_back_to_its_format() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = "yaml".parse::<Format>().expect_err("no such format");
        assert!(
            error
                .to_string()
                .contains("\"yaml\"; there are pretty, json")
        );
    }
}
