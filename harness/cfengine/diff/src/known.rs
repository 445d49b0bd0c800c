//! Where the agents may part on generated policies, and why.

use crate::Difference;

/// A line that may differ, and why.
pub struct Known {
    /// Whether a line that one of the agents alone prints, `-` before it if that is
    /// cf-agent, is of the kind.
    pub is: fn(&str) -> bool,
    /// Why nothing is done about it.
    pub reason: &'static str,
}

/// All of them.
pub const KNOWN: [Known; 3] = [
    Known {
        is: |line| {
            let text = line.split_once("Broken variable syntax or bracket mismatch in string (");
            text.is_some_and(|(_, text)| line.starts_with('-') && is_open(text))
        },
        reason: "the parser's own message, on standard error, about texts whose references have no end once they are expanded: as often as such a text is looked at",
    },
    Known {
        is: |line| {
            line.contains("Could not change to directory '")
                && line.contains("' (mode '0")
                && line.contains("chdir: No such file or directory)")
        },
        reason: "of a directory that is not there cf-agent prints the mode of what is in memory",
    },
    Known {
        is: |line| line.contains("promise with promiser '${}"),
        reason: "behind a bracket without an end cf-agent prints what is in memory",
    },
];

/// Whether a reference has no end in a text that a closing bracket follows.
fn is_open(text: &str) -> bool {
    let Some(text) = text.strip_suffix(')') else {
        return false;
    };
    let open_from = |start: usize| {
        let depth = text[start..].bytes().map(|byte| match byte {
            b'(' | b'{' => 1,
            b')' | b'}' => -1,
            _ => 0,
        });
        depth.sum::<i32>() > 0
    };
    let mut starts = text.match_indices(['$', '@']).map(|(start, _)| start);
    starts.any(|start| text[start + 1..].starts_with(['(', '{']) && open_from(start))
}

/// The reason why a difference is let be.
pub fn known(difference: &Difference) -> Option<&'static Known> {
    let changed = |line: &&str| line.starts_with(['-', '+']);
    KNOWN.iter().find(|known| {
        let mut lines = difference.diff.lines().filter(changed);
        lines.all(|line| (known.is)(line))
    })
}

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn a_complaint_of_brackets_is_known_where_there_is_one_without_an_end() {
        let line = |sign, text| {
            format!(
                "{sign} p.cf:1:1: error: Broken variable syntax or bracket mismatch in string ({text})"
            )
        };
        let is = KNOWN[0].is;
        let directory = "- error: Could not change to directory '/a' (mode '0755', chdir: ";
        assert!((KNOWN[1].is)(&format!(
            "{directory}No such file or directory)"
        )));
        assert!(!(KNOWN[1].is)(&format!("{directory}Permission denied)")));
        assert!(is(&line("-", "$(x")));
        assert!(is(&line("-", "a ${b $(c)")));
        assert!(is(&line("-", "a@(x")));
        assert!(!is(&line("-", "$(x)")));
        assert!(!is(&line("-", "x (")));
        assert!(!is(&line("+", "$(x")));
    }
}
