//! Texts as lines, and as sections below headers: `[text]`.

/// The lines of a text, without their ends.
pub fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split(|byte| *byte == b'\n')
}

/// The lines of a text, each without what others may write otherwise.
pub fn bare_lines(content: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    lines(content).map(bare)
}

/// A line without its spaces and separators at its end: others may align it, or put a comma behind it.
pub fn bare(line: &[u8]) -> Vec<u8> {
    let mut bare: Vec<u8> = line.to_vec();
    bare.retain(|byte| !byte.is_ascii_whitespace());
    while bare.last().is_some_and(|last| b",;".contains(last)) {
        bare.pop();
    }
    bare
}

/// Has a line letters or digits?
pub fn has_text(line: &[u8]) -> bool {
    line.iter().any(u8::is_ascii_alphanumeric)
}

/// `[text]`.
pub fn is_header(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.len() > 2 && line.starts_with(b"[") && line.ends_with(b"]")
}

/// The header above the first line like this one.
pub fn section_of<'c>(content: &'c [u8], wanted: &[u8]) -> Option<&'c [u8]> {
    let mut section = None;
    for line in lines(content) {
        if is_header(line) {
            section = Some(line);
        } else if bare(line) == bare(wanted) {
            return section;
        }
    }
    None
}

/// Is a line below a header, in whatever case both are?
pub fn holds_in_any_case(content: &[u8], section: &[u8], wanted: &[u8]) -> bool {
    let lower = |line: &[u8]| bare(line).to_ascii_lowercase();
    let (section, wanted) = (lower(section), lower(wanted));
    let mut is_below = false;
    lines(content).any(|line| {
        if is_header(line) {
            is_below = lower(line) == section;
        }
        is_below && lower(line) == wanted
    })
}

/// The lines below a header.
pub fn section_in<'c>(content: &'c [u8], section: &[u8]) -> impl Iterator<Item = &'c [u8]> {
    let below = lines(content).skip_while({
        let section = bare(section);
        move |line| bare(line) != section
    });
    below.skip(1).take_while(|line| !is_header(line))
}

#[cfg(test)]
mod tests {
    use super::{bare, holds_in_any_case, section_in, section_of};

    const TEXT: &[u8] = b"top = 1\n[Main]\nport = 80,\n[more]\nport = 81\n";

    #[test]
    fn a_line_is_in_the_section_above_it() {
        assert_eq!(section_of(TEXT, b"port=80"), Some(&b"[Main]"[..]));
        assert_eq!(section_of(TEXT, b"port = 81"), Some(&b"[more]"[..]));
        assert_eq!(section_of(TEXT, b"top = 1"), None);
        assert_eq!(section_of(TEXT, b"host = 1"), None);
        let below: Vec<_> = section_in(TEXT, b"[Main]").map(bare).collect();
        assert_eq!(below, [b"port=80"]);
        assert!(holds_in_any_case(TEXT, b"[main]", b"PORT = 80"));
        assert!(!holds_in_any_case(TEXT, b"[more]", b"port = 80"));
    }
}
