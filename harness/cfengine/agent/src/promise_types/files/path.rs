//! Paths as cf-agent parses them: as text, without normalisation.

pub(super) use crate::os::{os, said};

/// The text after the last slash.
pub(super) fn last_node(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path up to its last slash, without doubled slashes.
pub(crate) fn chopped(path: &str) -> String {
    let path = single_slashes(path);
    match path.rfind('/') {
        Some(0) => "/".into(),
        Some(at) => path[..at].into(),
        None if path.is_empty() => path,
        None => ".".into(),
    }
}

fn single_slashes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    out
}

/// The path without trailing slashes.
pub(super) fn without_slash(path: &str) -> &str {
    let mut path = path;
    while path.len() > 2 && path.ends_with('/') {
        path = &path[..path.len() - 1];
    }
    path
}

/// The path with a trailing slash.
pub(crate) fn with_slash(path: &str) -> String {
    if path.ends_with('/') {
        path.into()
    } else {
        format!("{path}/")
    }
}

/// Appends a name to a path.
pub(crate) fn joined(path: &str, name: &str) -> String {
    match (path.ends_with('/'), name.strip_prefix('/')) {
        (true, Some(rest)) => format!("{path}{rest}"),
        (true, None) | (false, Some(_)) => format!("{path}{name}"),
        (false, None) if path.is_empty() => name.into(),
        (false, None) => format!("{path}/{name}"),
    }
}

/// The path without `.`, `..` and doubled slashes; `None` if it leads above the root.
pub(crate) fn compressed(path: &str) -> Option<String> {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push('/');
    }
    for node in path.split('/').filter(|n| !n.is_empty() && *n != ".") {
        if node == ".." {
            if matches!(&*out, "/" | "") {
                return None;
            }
            out = chopped(&out);
            continue;
        }
        out = joined(&with_slash(&out), node);
    }
    Some(out)
}

/// Resolves a relative path against the directory of another path.
pub(super) fn seen_from(from: &str, relative: &str) -> String {
    let mut levels = 1;
    let mut rest = relative;
    loop {
        if let Some(behind) = rest.strip_prefix("../") {
            levels += 1;
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("./") {
            rest = behind;
        } else {
            break;
        }
    }
    let mut base = from.to_owned();
    for _ in 0..levels {
        base = chopped(&base);
    }
    format!("{}{rest}", with_slash(&base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_as_the_agent_does() {
        assert_eq!(chopped("/a//b/c"), "/a/b");
        assert_eq!(chopped("/a"), "/");
        assert_eq!(chopped("a"), ".");
        assert_eq!(last_node("/a/b/."), ".");
        assert_eq!(compressed("/a/./b/../c//d").as_deref(), Some("/a/c/d"));
        assert_eq!(compressed("/.."), None);
        assert_eq!(seen_from("/a/b/c", "./x"), "/a/b/x");
        assert_eq!(seen_from("/a/b/c", "../x/y"), "/a/x/y");
        assert_eq!(joined("/a/", "/b"), "/a/b");
        assert_eq!(without_slash("/a//"), "/a");
    }
}
