//! Converts texts to and from the bytes that the system uses.

use cfengine_policy::text;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// A text as a path or as a program's argument.
pub(crate) fn os(text: &str) -> PathBuf {
    OsStr::from_bytes(&text::encode(text)).into()
}

/// A file name as a text.
pub(crate) fn said(name: OsString) -> String {
    text::decode(&name.into_vec()).into_owned()
}
