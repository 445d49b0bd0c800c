//! Words in quotes in the source of a package: some fields take no others.

use std::collections::BTreeSet;

/// How many words are taken.
const MOST: usize = 16;
/// The longest word.
const LONGEST: usize = 40;

/// The words in quotes in a Go source that a field may take. Those in lines that name the field come first.
pub(crate) fn words(source: &str, field: &str) -> Vec<String> {
    let mut near = Vec::new();
    let mut others = Vec::new();
    for line in source.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let words = quoted(code).into_iter().filter(|word| is_value(word));
        match code.contains(field) {
            true => near.extend(words),
            false => others.extend(words),
        }
    }
    let mut known = BTreeSet::new();
    let all = near.into_iter().chain(others);
    let all = all.filter(|word| known.insert(*word));
    all.take(MOST).map(str::to_owned).collect()
}

/// What is between quotes in a line. Tags are not, since those are in backquotes.
fn quoted(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let outside = line.split('`').step_by(2);
    for part in outside {
        words.extend(part.split('"').skip(1).step_by(2));
    }
    words
}

/// May a field take it? Sentences, formats and paths of imports say nothing about values.
fn is_value(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+.,:=@".contains(&byte);
    !word.is_empty() && word.len() <= LONGEST && word.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::words;

    const SOURCE: &str = r#"
import (
	"fmt"
	"github.com/purpleidea/mgmt/engine"
)

// A "comment" is none.
type FooRes struct {
	State string `lang:"state" yaml:"state"`
}

func (obj *FooRes) Validate() error {
	if obj.Mode != "strict" {
		return fmt.Errorf("not strict: %s", obj.Mode)
	}
	if obj.State != "exists" && obj.State != "absent" {
		return fmt.Errorf("the state is unknown")
	}
	return nil
}
"#;

    #[test]
    fn words_near_the_field_come_first() {
        assert_eq!(
            words(SOURCE, "State"),
            ["exists", "absent", "fmt", "strict"]
        );
        assert_eq!(words(SOURCE, "Mode")[0], "strict");
    }
}
