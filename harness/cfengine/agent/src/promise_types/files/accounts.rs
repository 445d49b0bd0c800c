//! Names of users and groups.

fn name(path: &str, id: u32) -> Option<String> {
    let content = std::fs::read_to_string(path).ok()?;
    let id = id.to_string();
    content.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1) == Some(&id)).then(|| name.to_owned())
    })
}

/// The name of a user.
pub(crate) fn user_name(uid: u32) -> Option<String> {
    name("/etc/passwd", uid)
}

/// The name of a group.
pub(crate) fn group_name(gid: u32) -> Option<String> {
    name("/etc/group", gid)
}
