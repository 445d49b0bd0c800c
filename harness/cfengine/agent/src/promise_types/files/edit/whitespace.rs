//! `whitespace_policy`: which blanks are ignored when lines are compared.

use crate::context::Agent;
use crate::value::Text;

fn escaped(text: &str) -> String {
    text.replace('.', "\\.").replace('*', "\\*")
}

/// Replaces the blanks within a text by a pattern that matches any blanks.
fn loose(text: &str) -> String {
    let start = text.len() - text.trim_start().len();
    let mut out = text[..start].to_owned();
    let mut blank = false;
    for (at, c) in text[start..].char_indices() {
        let space = c.is_ascii_whitespace();
        if !space || at == 0 {
            out.push(c);
        } else if !blank {
            out.push_str("\\s+");
        }
        blank = space;
    }
    out
}

impl Agent {
    /// Whether two lines are equal, apart from the blanks that the policy ignores.
    pub(super) fn is_same_line(&mut self, promised: &str, line: &str, policy: &[Text]) -> bool {
        let same = promised == line;
        if policy.is_empty() {
            return same;
        }
        for (number, piece) in promised.split('\n').enumerate() {
            let mut pattern = piece.to_owned();
            let mut fits = false;
            for (at, option) in policy.iter().enumerate() {
                if &**option == "exact_match" {
                    fits |= same;
                    break;
                }
                if at == 0 && number == 0 {
                    pattern = escaped(piece);
                }
                match &**option {
                    "ignore_embedded" => pattern = loose(&pattern),
                    "ignore_leading" if !pattern.starts_with("\\s*") => {
                        pattern = format!("\\s*{}", pattern.trim_start());
                    }
                    "ignore_trailing" => pattern.push_str("\\s*"),
                    _ => {}
                }
                fits |= self.match_whole(&pattern, line);
            }
            if !fits {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{escaped, loose};

    #[test]
    fn blanks_become_patterns() {
        assert_eq!(loose(" a  b c"), " a\\s+b\\s+c");
        assert_eq!(escaped("a.*"), "a\\.\\*");
    }
}
