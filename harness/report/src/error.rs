//! Errors while a report is written.

use std::{error::Error, fmt, io};

/// Why a report could not be written. The messages complete "failed to …".
#[derive(Debug)]
#[non_exhaustive]
pub enum ReportError {
    /// The bytes could not be written.
    Write(io::Error),
    /// The JSON serializer failed.
    Json(serde_json::Error),
    /// The XML serializer failed.
    Xml(quick_junit::SerializeError),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::Write(_) => f.write_str("write the report"),
            ReportError::Json(_) => f.write_str("serialize the report as JSON"),
            ReportError::Xml(_) => f.write_str("serialize the report as XML"),
        }
    }
}

impl Error for ReportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ReportError::Write(error) => Some(error),
            ReportError::Json(error) => Some(error),
            ReportError::Xml(error) => Some(error),
        }
    }
}

impl From<io::Error> for ReportError {
    fn from(error: io::Error) -> Self {
        ReportError::Write(error)
    }
}

impl From<serde_json::Error> for ReportError {
    fn from(error: serde_json::Error) -> Self {
        ReportError::Json(error)
    }
}

impl From<quick_junit::SerializeError> for ReportError {
    fn from(error: quick_junit::SerializeError) -> Self {
        ReportError::Xml(error)
    }
}
