//! Warns of braces that were probably meant as `{dir}` or `{config_dir}`.

use stickler_suite::config::{Config, Example};
use stickler_transcript::Value;

/// A note for each word in braces that resembles a placeholder, once per example.
pub fn typos(config: &Config) -> Vec<String> {
    let mut notes = in_examples(config);
    notes.extend(config.subject.env.iter().flat_map(|(name, value)| {
        misspelt(value).filter_map(move |word| {
            Some(format!(
                "env {}: `{{{}}}` is passed on unchanged; did you mean `{{{}}}`?",
                stickler_report::visible(name),
                stickler_report::visible(word),
                meant(word)?
            ))
        })
    }));
    notes
}

/// The same, for examples alone.
pub fn in_examples(config: &Config) -> Vec<String> {
    let mut notes = Vec::new();
    for example in config.examples.iter().chain(&config.invalid) {
        let mut found: Vec<String> = Vec::new();
        for text in texts(example) {
            found.extend(misspelt(&text).map(str::to_owned));
        }
        found.sort();
        found.dedup();
        notes.extend(found.iter().filter_map(|word| {
            Some(format!(
                "example \"{}\": `{{{}}}` is sent unchanged; did you mean `{{{}}}`?",
                stickler_report::visible(&example.name),
                stickler_report::visible(word),
                meant(word)?
            ))
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

/// The words in single braces that are near to a placeholder.
fn misspelt(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    let words = starts.filter_map(|at| {
        let escaped = text[..at].ends_with('{') || text[at + 1..].starts_with('{');
        let word = text[at + 1..].split('}').next()?;
        (!escaped && word.len() + at + 1 < text.len()).then_some(word)
    });
    words.filter(|word| meant(word).is_some())
}

/// The placeholder that a word is near to.
fn meant(word: &str) -> Option<&'static str> {
    let lower = word.trim().to_lowercase();
    let known = [("dir", 1), ("config_dir", 3)];
    if known.iter().any(|(name, _)| *name == word) {
        return None;
    }
    let near = |(name, most): &&(&str, usize)| strsim::damerau_levenshtein(&lower, name) <= *most;
    known.iter().find(near).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::misspelt;

    #[test]
    fn words_near_to_dir_are_found() {
        let found = |text| misspelt(text).collect::<Vec<_>>();
        assert_eq!(found("{dri}/a {Dir}/b { dir }"), ["dri", "Dir", " dir "]);
        assert_eq!(
            found("{conf_dir}/lib {configdir}"),
            ["conf_dir", "configdir"]
        );
        assert_eq!(found("{dir}/a {{dri}} {name} {} {dri"), [""; 0]);
    }
}
