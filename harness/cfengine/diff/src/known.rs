//! Known differences between the agents on generated policies, with reasons.

use stickler_oracle::{AcceptedDifference, Difference};

/// All known differences.
pub const KNOWN: [AcceptedDifference; 3] = [
    AcceptedDifference {
        covers: |found| each_line(found, is_complaint_of_brackets),
        reason: "the parser's own message, on standard error, about texts whose references have no end once they are expanded: as often as such a text is looked at",
    },
    AcceptedDifference {
        covers: |found| each_line(found, is_mode_of_nothing),
        reason: "of a directory that is not there cf-agent prints the mode of what is in memory",
    },
    AcceptedDifference {
        covers: |found| each_line(found, |line| line.contains("promise with promiser '${}")),
        reason: "behind a bracket without an end cf-agent prints what is in memory",
    },
];

/// Are all lines that only one of the agents prints of one kind? They have a leading `-` if cf-agent
/// prints them.
fn each_line(found: &Difference, is: fn(&str) -> bool) -> bool {
    found.changed_lines().all(is)
}

fn is_complaint_of_brackets(line: &str) -> bool {
    let text = line.split_once("Broken variable syntax or bracket mismatch in string (");
    text.is_some_and(|(_, text)| line.starts_with('-') && is_open(text))
}

fn is_mode_of_nothing(line: &str) -> bool {
    line.contains("Could not change to directory '")
        && line.contains("' (mode '0")
        && line.contains("chdir: No such file or directory)")
}

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

#[cfg(test)]
mod tests {
    use super::{is_complaint_of_brackets as is, is_mode_of_nothing};

    #[test]
    fn a_complaint_of_brackets_is_known_where_there_is_one_without_an_end() {
        let line = |sign, text| {
            format!(
                "{sign} p.cf:1:1: error: Broken variable syntax or bracket mismatch in string ({text})"
            )
        };
        let directory = "- error: Could not change to directory '/a' (mode '0755', chdir: ";
        assert!(is_mode_of_nothing(&format!(
            "{directory}No such file or directory)"
        )));
        assert!(!is_mode_of_nothing(&format!(
            "{directory}Permission denied)"
        )));
        assert!(is(&line("-", "$(x")));
        assert!(is(&line("-", "a ${b $(c)")));
        assert!(is(&line("-", "a@(x")));
        assert!(!is(&line("-", "$(x)")));
        assert!(!is(&line("-", "x (")));
        assert!(!is(&line("+", "$(x")));
    }
}
