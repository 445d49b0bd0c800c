//! Attributes of promises that the reference agent does not support.

use crate::scan;
use cfengine_policy::tree::{Attribute, Rval};

/// The server name of local copies.
pub(super) const LOCAL: &str = "localhost";

/// Whether an attribute of a promise, or of a body that it names, is unsupported.
pub(crate) fn refused(holder: &str, attribute: &Attribute) -> bool {
    let value = &attribute.value;
    match (holder, &*attribute.name.text) {
        ("files", "acl" | "edit_xml")
        | ("perms", "bsdflags" | "findertype")
        | ("file_select", "search_bsdflags")
        | ("contain", "chroot") => true,
        ("changes", "report_diffs") => !matches!(scalar(value), Some("false" | "no" | "off")),
        ("action", "log_kept" | "log_repaired" | "log_failed") => {
            scalar(value) == Some("udp_syslog")
        }
        ("copy_from", "servers") => !is_local(value),
        _ => false,
    }
}

fn scalar(value: &Rval) -> Option<&str> {
    value.scalar().map(|text| &**text)
}

/// Whether the first server of a list is this host, or may be. In the latter case the copy itself
/// checks it again.
fn is_local(servers: &Rval) -> bool {
    let first = match servers {
        Rval::List(list) => list.items.first(),
        other => Some(other),
    };
    let Some(name) = first.map(|first| scalar(first).unwrap_or_default()) else {
        return true;
    };
    name == LOCAL || scan::may_refer(name)
}
