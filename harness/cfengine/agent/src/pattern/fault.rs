//! Error messages about patterns. cf-agent uses PCRE's first version; the reference agent uses the
//! second.

use pcre2::Error;

/// cf-agent's message about a pattern that can't be compiled. If the two libraries report different
/// errors, the message says so.
pub(super) fn complaint(pattern: &str, error: &Error) -> String {
    let offset = error.offset().unwrap_or(0);
    match words(pattern, error.code()) {
        Some(words) => format!(
            "Regular expression error: pcre_compile() '{words}' in expression '{pattern}' (offset: {offset})"
        ),
        None => format!(
            "Regular expression error in expression '{pattern}', which the reference agent can't tell as cf-agent 3.21.0 does: {error}"
        ),
    }
}

/// PCRE's text for an error number of `pcre2.h`.
fn words(pattern: &str, code: i32) -> Option<&'static str> {
    Some(match code {
        101 => "\\ at end of pattern",
        102 => "\\c at end of pattern",
        104 => "numbers out of order in {} quantifier",
        105 => "number too big in {} quantifier",
        106 => "missing terminating ] for character class",
        108 => "range out of order in character class",
        109 => "nothing to repeat",
        111 => "unrecognized character after (? or (?-",
        112 => "POSIX named classes are supported only within a class",
        114 if opens_option(pattern) => "unrecognized character after (? or (?-",
        114 => "missing )",
        118 => "missing ) after comment",
        122 => "unmatched parentheses",
        142 => "syntax error in subpattern name (missing terminator)",
        144 => "group name must start with a non-digit",
        _ => return None,
    })
}

/// Whether a pattern ends within the option letters after `(?`.
fn opens_option(pattern: &str) -> bool {
    let Some((_, behind)) = pattern.rsplit_once("(?") else {
        return false;
    };
    behind.chars().all(|c| "imsxUXJ-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::Patterns;

    #[test]
    fn faults_have_the_texts_of_the_older_library() {
        let mut patterns = Patterns::default();
        for (pattern, words) in [
            ("(x", "'missing )' in expression '(x' (offset: 2)"),
            (
                "x)",
                "'unmatched parentheses' in expression 'x)' (offset: 1)",
            ),
            ("*a", "'nothing to repeat' in expression '*a' (offset: 0)"),
            (
                "[a",
                "'missing terminating ] for character class' in expression '[a' (offset: 2)",
            ),
        ] {
            let said = patterns.fault(pattern).unwrap_or_default().to_string();
            assert_eq!(
                said,
                format!("Regular expression error: pcre_compile() {words}")
            );
        }
        assert!(patterns.fault("(x)").is_none());
        let said = patterns.fault("(a)\\2").unwrap_or_default().to_string();
        assert!(said.contains("can't tell"), "{said}");
    }
}
