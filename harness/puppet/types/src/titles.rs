//! Title patterns: which one matches a title first, and which namevars it gives.

use crate::dice::Dice;
use crate::regex::{Capture, Pattern};
use crate::undecided::Undecided;

/// So many titles are tried for each pattern.
const TRIES: usize = 400;
/// After so many titles that an earlier pattern took, the pattern counts as shadowed.
const ENOUGH: usize = 40;

/// A title pattern of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct TitlePattern {
    /// The pattern, if there is one.
    pub pattern: Option<Pattern>,
    /// What it is for.
    pub desc: Option<String>,
}

/// What a title says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Title {
    /// The title gives these namevars. A namevar whose group took no part has no text; one that
    /// the pattern does not name is missing.
    Matched {
        /// The pattern that matched first; `None` if the definition has none.
        pattern: Option<usize>,
        /// The namevars.
        namevars: Vec<Capture>,
    },
    /// No pattern matches. Puppet raises then.
    Unmatched,
}

/// The first of the patterns that matches the title.
///
/// # Errors
/// If only Ruby can tell whether a pattern matches.
pub fn first_match(patterns: &[TitlePattern], title: &str) -> Result<Title, Undecided> {
    for (index, one) in patterns.iter().enumerate() {
        let Some(pattern) = &one.pattern else {
            continue;
        };
        if let Some(namevars) = pattern.captures(title)? {
            return Ok(Title::Matched {
                pattern: Some(index),
                namevars,
            });
        }
    }
    Ok(Title::Unmatched)
}

/// Whether a pattern can be the first to match some title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It can, for example for this title.
    Reachable(String),
    /// All titles that were made for it are taken by an earlier pattern.
    Shadowed {
        /// The pattern that took most of them.
        by: usize,
        /// How many titles were tried.
        tried: usize,
    },
    /// Too few titles were found that it matches at all.
    Unknown,
}

/// Searches for a title that the pattern at `index` matches first. The titles are the same each
/// time.
pub fn reach(patterns: &[TitlePattern], index: usize) -> Reach {
    let Some(pattern) = patterns.get(index).and_then(|one| one.pattern.as_ref()) else {
        return Reach::Unknown;
    };
    let Some(sampler) = pattern.sampler() else {
        return Reach::Unknown;
    };
    let mut dice = Dice::new(index as u64, "titles");
    let mut taken = vec![0; index];
    let mut tried = 0;
    for _ in 0..TRIES {
        let mut title = sampler.text(&mut dice);
        // Patterns need not match the whole title.
        match dice.below(6) {
            0 => title.push('x'),
            1 => title.insert(0, 'x'),
            _ => {}
        }
        if !pattern.is_match(&title).unwrap_or(false) {
            continue;
        }
        match first_match(patterns, &title) {
            Ok(Title::Matched {
                pattern: Some(first),
                ..
            }) if first < index => {
                tried += 1;
                taken[first] += 1;
            }
            Ok(_) => return Reach::Reachable(title),
            Err(_) => return Reach::Unknown,
        }
    }
    let by = (0..index).max_by_key(|first| (taken[*first], std::cmp::Reverse(*first)));
    match by {
        Some(by) if tried >= ENOUGH => Reach::Shadowed { by, tried },
        _ => Reach::Unknown,
    }
}

/// Titles that the pattern matches, up to so many, for tests of a provider.
pub fn samples(pattern: &Pattern, count: usize, dice: &mut Dice) -> Vec<String> {
    let Some(sampler) = pattern.sampler() else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    for _ in 0..count * 10 {
        let title = sampler.text(dice);
        if !found.contains(&title) && pattern.is_match(&title).unwrap_or(false) {
            found.push(title);
        }
        if found.len() == count {
            break;
        }
    }
    found
}
