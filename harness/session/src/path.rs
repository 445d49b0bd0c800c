//! Paths as texts.

/// Removes `.`, `..` and doubled slashes. Does not follow links.
pub fn plain(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    [b"/", &parts.join(&b'/')[..]].concat()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_path_has_one_spelling() {
        assert_eq!(plain(b"/a//b/./c/../d/"), b"/a/b/d");
        assert_eq!(plain(b"/../.."), b"/");
    }
}
