//! Warns of braces that were probably meant as `{dir}`.

use cfengine_protocol::wire::Value;
use stickler_suite::config::{Config, Example};

/// A note for each word in braces that resembles `dir`, once per example.
pub fn typos(config: &Config) -> Vec<String> {
    let mut notes = Vec::new();
    for example in config.examples.iter().chain(&config.invalid) {
        let mut found: Vec<String> = Vec::new();
        for text in texts(example) {
            found.extend(misspelt(&text).map(str::to_owned));
        }
        found.sort();
        found.dedup();
        notes.extend(found.iter().map(|word| {
            format!(
                "example \"{}\": `{{{}}}` is sent unchanged; did you mean `{{dir}}`?",
                stickler_report::visible(&example.name),
                stickler_report::visible(word)
            )
        }));
    }
    notes
}

fn texts(example: &Example) -> Vec<String> {
    let values = example.identity.iter().chain(&example.attributes);
    let words = values.flat_map(|(_, value): &(String, Value)| value.words());
    let setup = example.setup.iter().flatten().map(String::as_bytes);
    let texts = words.chain(setup);
    texts
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

/// The words in single braces that are near to `dir`.
fn misspelt(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    let words = starts.filter_map(|at| {
        let escaped = text[..at].ends_with('{') || text[at + 1..].starts_with('{');
        let word = text[at + 1..].split('}').next()?;
        (!escaped && word.len() + at + 1 < text.len()).then_some(word)
    });
    words.filter(|word| {
        let lower = word.trim().to_lowercase();
        *word != "dir" && strsim::damerau_levenshtein(&lower, "dir") <= 1
    })
}

#[cfg(test)]
mod tests {
    use super::misspelt;

    #[test]
    fn words_near_to_dir_are_found() {
        let found = |text| misspelt(text).collect::<Vec<_>>();
        assert_eq!(found("{dri}/a {Dir}/b { dir }"), ["dri", "Dir", " dir "]);
        assert_eq!(found("{dir}/a {{dri}} {name} {} {dri"), [""; 0]);
    }
}
