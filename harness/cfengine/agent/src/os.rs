//! Texts as the system takes and gives them: the bytes that they stand for.

use cfengine_policy::text;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The path, or the argument of a program, that a text stands for.
pub(crate) fn os(text: &str) -> PathBuf {
    OsStr::from_bytes(&text::encode(text)).into()
}

/// The text that stands for what the system calls a file.
pub(crate) fn said(name: OsString) -> String {
    text::decode(&name.into_vec()).into_owned()
}
