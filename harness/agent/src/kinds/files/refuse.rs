//! What is not done of promises, by the name of the attribute.

use stickler_policy::tree::{Attribute, Rval};

/// Whether an attribute of a promise, or of a body that one names, asks for
/// what is not done.
pub(crate) fn refused(holder: &str, attribute: &Attribute) -> bool {
    let value = &attribute.value;
    match (holder, &*attribute.name.text) {
        ("files", "acl" | "edit_xml")
        | ("perms", "bsdflags" | "findertype")
        | ("file_select", "search_bsdflags")
        | ("contain", "chroot") => true,
        ("changes", "report_diffs") | ("action", "background") => {
            !matches!(scalar(value), Some("false" | "no" | "off"))
        }
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

/// Whether the first server of a list is this host.
fn is_local(servers: &Rval) -> bool {
    match servers {
        Rval::List(list) => list
            .items
            .first()
            .is_none_or(|first| scalar(first) == Some("localhost")),
        other => scalar(other) == Some("localhost"),
    }
}
