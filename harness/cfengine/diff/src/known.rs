//! Known differences between the agents on generated policies, with reasons.

use crate::Difference;

/// A kind of line that may differ, with the reason.
pub struct Known {
    /// Whether a line that only one of the agents prints is of this kind. It has a leading `-` if
    /// cf-agent prints it.
    pub is: fn(&str) -> bool,
    /// Why the difference is accepted.
    pub reason: &'static str,
}

/// All known differences.
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

/// Whether the text before a final closing bracket has a reference without an end.
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

/// The known difference that explains a difference.
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
