//! # What the resource does not manage in a file stays
//!
//! ## What it requires
//! Of a file that exists, everything that the resource does not manage stays as it was: foreign lines, comments, empty
//! lines, their order, line ends and encoding; its mode, owner and group; a link that leads to it.
//!
//! ## Why
//! Somebody else wrote it: an administrator, a package, another resource. Whoever loses it finds out late, and has no copy.
//!
//! ## How it is judged
//! - Judged: calls of `set` that edit a file which existed, where that file has more than usual: comments, also
//!   above the own entry or in Latin-1, entries whose keys begin or end like the own one, CRLF line ends, a last line
//!   without its end, the own entry twice. What the usual evaluation takes away or adds is the resource's own.
//! - Judged: mode (0624, 2640), owner and group of a file that is not named after the resource, unless an attribute
//!   is about them. Advice: a link in its place that becomes a file.
//! - Judged: a file that it makes, where that is there already with a comment and such entries.
//! - Judged where the subject keeps comments: line ends, encodings; failing at one more comment or at a last line
//!   without its end. Advice: a last line gets its end; an own line loses its CR; it fails at a comment in Latin-1.
//! - Not judged: a subject that writes the same content whatever was there, since it manages the whole file; documents
//!   with brackets, such as JSON; files with zero bytes.
//!
//! ## Example
//! `File.readlines(path).map(&:strip)` drops the indentation, and what is written back has no comments.
//!
//! ## How to fix
//! Read the file as bytes, change the own lines alone, and write all others back as they were. Give a new file mode and
//! owner of the old one before it takes its place: `new.chown(old.uid, old.gid)`, `new.chmod(old.mode & 0o7777)`.
//! - Python: `open(path, newline="", encoding="utf-8", errors="surrogateescape")`
//! - Ruby: `File.binread(path)`
//!
//! ## Source
//! Good practice: a provider does not change what the resource does not name.

use crate::replaced::judge_replaced;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger, Relation, others_lines_stay};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::FOREIGN], judge)];

fn judge(group: &Group<'_, Session>, ledger: &mut Ledger) {
    others_lines_stay(group, ledger);
    judge_replaced(group, ledger);
}
