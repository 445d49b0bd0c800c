//! Attributes of promises that the reference agent does not support.

use crate::promise::Expanded;
use crate::scan;
use cfengine_policy::tree::{Attribute, Rval};

/// The server name of local copies.
const LOCAL: &str = "localhost";

/// Whether an attribute of a promise, or of a body that it names, is unsupported.
pub(crate) fn refused(holder: &str, attribute: &Attribute) -> bool {
    let value = &attribute.value;
    match (holder, &*attribute.name.text) {
        ("files", "acl" | "edit_xml")
        | ("perms", "bsdflags")
        | ("copy_from", "findertype")
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

/// The unsupported attribute without which a promise would do something else, such as run a command
/// outside its `chroot`. Attributes that only affect reports do not count.
pub(crate) fn lacking(promise: &Expanded) -> Option<&'static str> {
    let names: &[&str] = match &*promise.written.kind {
        "commands" => &["chroot"],
        "files" => &[
            "acl",
            "edit_xml",
            "bsdflags",
            "findertype",
            "search_bsdflags",
        ],
        _ => return None,
    };
    let named = names
        .iter()
        .copied()
        .find(|name| promise.get(name).is_some());
    // The servers of a default body have no effect.
    let is_copy = || promise.get("copy_from").is_some();
    named.or_else(|| (is_copy() && is_remote(promise)).then_some("servers"))
}

/// Does a copy come from another host?
pub(super) fn is_remote(promise: &Expanded) -> bool {
    let servers = promise.texts("servers");
    servers.first().is_some_and(|server| &**server != LOCAL)
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
