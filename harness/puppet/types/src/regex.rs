//! Ruby's regular expressions: read as Ruby reads them, matched by a Rust engine with limits.
//!
//! Ruby differs from other engines in what it means by the same signs: `^` and `$` stand at lines,
//! `\d` and `\w` are ASCII, `(?i)` in the middle of a group includes the alternatives behind it,
//! and plain groups do not capture if there are named ones. So a pattern is parsed here, and
//! written anew for the engine. Where that is not possible, the answer is [`Undecided`]; a host
//! with a real Ruby can then answer.

mod behind;
mod class;
mod emit;
mod escape;
mod group;
mod node;
mod parse;
mod property;
mod sample;

pub use crate::undecided::Fault;
use crate::undecided::{Reason, Undecided};
use crate::value::Value;
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

pub(crate) use sample::Sampler;

/// After so many steps back, a match is undecided. Ruby would go on for ever.
const BACKTRACK_LIMIT: usize = 200_000;

/// A pattern of Ruby, compiled when it is first used. Patterns with the same source are equal.
#[derive(Clone)]
pub struct Pattern {
    source: String,
    compiled: Shared,
}

type Shared = Arc<OnceLock<Result<Compiled, Fault>>>;

/// So many patterns are kept compiled.
const KEPT: usize = 1_000;

/// The place for a compiled pattern. Compiling takes far longer than all else, and the same few
/// patterns are read again and again.
fn shared(source: &str) -> Shared {
    static KNOWN: LazyLock<Mutex<HashMap<String, Shared>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(source) {
        return Arc::clone(found);
    }
    if known.len() >= KEPT {
        known.clear();
    }
    let place = Shared::default();
    known.insert(source.to_owned(), Arc::clone(&place));
    place
}

struct Compiled {
    tree: node::Node,
    names: Vec<String>,
    /// Is there a part in which case does not matter?
    insensitive: bool,
    /// For texts that do not end in a newline, where `^` and `\Z` are simpler.
    plain: fancy_regex::Regex,
    /// For all others, if it differs.
    exact: Option<fancy_regex::Regex>,
}

impl Pattern {
    /// A pattern without options.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let compiled = shared(&source);
        Self { source, compiled }
    }

    /// A pattern with options, a subset of `imx`.
    pub fn with_options(source: &str, options: &str) -> Self {
        if options.is_empty() {
            return Self::new(source);
        }
        let on: String = "imx".chars().filter(|&o| options.contains(o)).collect();
        let off: String = "imx".chars().filter(|&o| !options.contains(o)).collect();
        let dash = if off.is_empty() { "" } else { "-" };
        Self::new(format!("(?{on}{dash}{off}:{source})"))
    }

    /// The pattern of a regular expression, or of a string, which Ruby compiles as well.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Regexp { source, options } => Some(Self::with_options(source, options)),
            Value::String(source) => Some(Self::new(source.as_str())),
            _ => None,
        }
    }

    /// The source, with options as a group around it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What keeps the pattern from being used, if anything does.
    pub fn fault(&self) -> Option<&Fault> {
        self.compiled().err()
    }

    /// The names of its groups, in order, each once.
    ///
    /// # Errors
    /// What keeps the pattern from being used.
    pub fn names(&self) -> Result<&[String], &Fault> {
        Ok(&self.compiled()?.names)
    }

    /// Does it match anywhere in the text?
    ///
    /// # Errors
    /// If that cannot be found out here.
    pub fn is_match(&self, text: &str) -> Result<bool, Undecided> {
        let compiled = self.ready(text)?;
        let found = compiled.regex(text).is_match(text);
        found.map_err(|error| self.gave_up(&error))
    }

    /// The named groups of the first match: each name with its text, if the group took part.
    /// `None` if nothing matches.
    ///
    /// # Errors
    /// If that cannot be found out here.
    pub fn captures(&self, text: &str) -> Result<Option<Vec<Capture>>, Undecided> {
        let compiled = self.ready(text)?;
        let regex = compiled.regex(text);
        let found = regex.captures(text).map_err(|error| self.gave_up(&error))?;
        let Some(found) = found else { return Ok(None) };
        let mut captures = Vec::new();
        for (index, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            let name = emit::original(name, &compiled.names);
            let text = found.get(index).map(|group| group.as_str().to_owned());
            // Of several groups with one name, the last one that took part counts.
            match captures
                .iter_mut()
                .find(|known: &&mut Capture| known.name == name)
            {
                None => captures.push(Capture { name, text }),
                Some(known) if text.is_some() => known.text = text,
                Some(_) => {}
            }
        }
        Ok(Some(captures))
    }

    /// What generates texts that it may match. `None` if the pattern cannot be used.
    pub(crate) fn sampler(&self) -> Option<Sampler<'_>> {
        let compiled = self.compiled().ok()?;
        Some(Sampler::new(&compiled.tree))
    }

    fn compiled(&self) -> Result<&Compiled, &Fault> {
        self.compiled.get_or_init(|| compile(&self.source)).as_ref()
    }

    /// What can try this text.
    fn ready(&self, text: &str) -> Result<&Compiled, Undecided> {
        let compiled = self.compiled().map_err(|fault| self.undecided(fault))?;
        if compiled.insensitive && !text.is_ascii() && text.contains(folds_to_several) {
            let what = "a letter that is several without case";
            return Err(self.undecided(&Fault::Unsupported(what.to_owned())));
        }
        Ok(compiled)
    }

    fn undecided(&self, fault: &Fault) -> Undecided {
        Undecided {
            subject: self.to_string(),
            reason: Reason::Pattern(fault.clone()),
        }
    }

    fn gave_up(&self, error: &fancy_regex::Error) -> Undecided {
        Undecided {
            subject: self.to_string(),
            reason: Reason::GaveUp(error.to_string()),
        }
    }
}

/// A named group of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Its name.
    pub name: String,
    /// What it matched; `None` if it took no part.
    pub text: Option<String>,
}

impl Compiled {
    fn regex(&self, text: &str) -> &fancy_regex::Regex {
        match &self.exact {
            Some(exact) if text.ends_with('\n') => exact,
            _ => &self.plain,
        }
    }
}

/// Letters such as ß, which Ruby takes for several ones if case does not matter.
fn folds_to_several(letter: char) -> bool {
    matches!(
        letter,
        'ß' | 'ẞ' | 'İ' | 'ŉ' | 'ǰ' | 'ΐ' | 'ΰ' | 'և' | '\u{1e96}'..='\u{1e9a}'
            | '\u{1f50}'..='\u{1ffc}' | '\u{fb00}'..='\u{fb17}'
    )
}

fn compile(source: &str) -> Result<Compiled, Fault> {
    let (tree, names) = parse::parse(source).map_err(|fault| match fault {
        // Ruby shows the whole pattern behind its message.
        Fault::Invalid(message) => {
            let shown = crate::value::slashes_escaped(source);
            Fault::Invalid(format!("{message}: /{shown}/"))
        }
        other => other,
    })?;
    let build = |pattern: &str| {
        fancy_regex::RegexBuilder::new(pattern)
            .backtrack_limit(BACKTRACK_LIMIT)
            .build()
            .map_err(|error| Fault::Unsupported(error.to_string()))
    };
    let (plain, exact) = emit::both(&tree);
    let insensitive = plain.contains("(?i:");
    if insensitive && source.contains(folds_to_several) {
        let what = "a letter that is several without case";
        return Err(Fault::Unsupported(what.to_owned()));
    }
    Ok(Compiled {
        plain: build(&plain)?,
        exact: if plain == exact {
            None
        } else {
            Some(build(&exact)?)
        },
        tree,
        names,
        insensitive,
    })
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if has_fixed_encoding(&self.source) {
            // Ruby counts the encoding as an option, and Puppet then shows all options.
            write!(f, "/{}/", crate::value::regexp_text(&self.source, ""))
        } else {
            write!(f, "/{}/", crate::value::slashes_escaped(&self.source))
        }
    }
}

/// Does the pattern only work on texts of one encoding? It does if it names characters beyond
/// ASCII, or properties of characters.
fn has_fixed_encoding(source: &str) -> bool {
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        if !character.is_ascii() {
            return true;
        }
        if character != '\\' {
            continue;
        }
        match characters.next() {
            Some(escaped) if !escaped.is_ascii() => return true,
            Some('p' | 'P') => return true,
            Some('u') => {
                characters.next_if_eq(&'{');
                let mut code = 0u32;
                while let Some(digit) = characters.peek().and_then(|one| one.to_digit(16)) {
                    code = code.saturating_mul(16).saturating_add(digit);
                    characters.next();
                }
                if code > 0x7f {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}
