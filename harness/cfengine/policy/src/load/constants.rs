//! Values of variables that are known without evaluation: the agent's own variables for paths, and
//! constant variables of bundles.

use super::{Resolve, Value};
use crate::check::truth;
use crate::source::{Sources, Span};
use crate::tree::{Guard, Policy, Promise, Rval};
use cfengine_protocol::release::Release;
use std::path::{Path, PathBuf};

/// The deepest chain of variables in values of variables.
const DEEPEST: usize = 20;

/// Resolves what needs no evaluation.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The agent's work directory, `$(sys.workdir)`.
    pub workdir: PathBuf,
    /// The main file.
    pub entry: PathBuf,
    /// The release that reads the policy.
    pub release: &'static Release,
}

impl Resolve for Constants {
    fn holds(&self, guard: Option<&Guard>, _known: &Policy) -> Option<bool> {
        truth::of(guard)
    }

    fn value(&self, text: &str, place: Span, known: &Policy, sources: &Sources) -> Value {
        let reader = Reader {
            constants: self,
            known,
            sources,
        };
        reader.value(text, place, 0)
    }
}

struct Reader<'a> {
    constants: &'a Constants,
    known: &'a Policy,
    sources: &'a Sources,
}

impl Reader<'_> {
    /// Expands the variables of a text.
    fn value(&self, text: &str, place: Span, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Unknown;
        }
        if let Some(name) = whole_list(text) {
            return match self.variable(name, place, depth + 1) {
                Value::Text(_) => Value::Unknown,
                value => value,
            };
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(['$', '@']) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let Some((name, behind)) = reference(rest) else {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
                continue;
            };
            match self.variable(name, place, depth + 1) {
                Value::Text(value) if rest.starts_with('$') => out.push_str(&value),
                _ => return Value::Unknown,
            }
            rest = behind;
        }
        out.push_str(rest);
        Value::Text(out)
    }

    fn variable(&self, name: &str, place: Span, depth: usize) -> Value {
        let special = match name.split_once('.') {
            Some(("sys", name)) => Some(self.of_system(name)),
            Some(("const", name)) => Some(constant(name).map(str::to_owned)),
            Some(("this", name)) if depth > 1 => Some(self.of_place(name, place)),
            _ => None,
        };
        if let Some(special) = special {
            return special.map_or(Value::Unknown, Value::Text);
        }
        let Some((scope, name)) = name.rsplit_once('.') else {
            return Value::Unknown;
        };
        let (namespace, scope) = scope.split_once(':').unwrap_or(("default", scope));
        let bundles = self.known.bundles.iter().rev();
        let mut bundles =
            bundles.filter(|bundle| &*bundle.name.text == scope && &*bundle.namespace == namespace);
        let Some(bundle) = bundles.next() else {
            return Value::Unknown;
        };
        // The last value under a guard that holds wins; a guard that may hold makes it unknown.
        let mut value = Value::Unknown;
        for (guard, promise) in bundle.promises("vars") {
            if &*promise.promiser.text != name {
                continue;
            }
            match truth::of(guard) {
                Some(false) => {}
                Some(true) if truth::is_unconditional(promise) => {
                    value = self.of_promise(promise, depth);
                }
                _ => return Value::Unknown,
            }
        }
        value
    }

    /// The variables `$(this.…)` of a bundle that are paths.
    fn of_place(&self, name: &str, place: Span) -> Option<String> {
        let path = Path::new(&**self.sources.get(place.file).path());
        let path = path.canonicalize().ok()?;
        match name {
            "promise_filename" => path.to_str().map(str::to_owned),
            "promise_dirname" => path.parent()?.to_str().map(str::to_owned),
            _ => None,
        }
    }

    fn of_promise(&self, promise: &Promise, depth: usize) -> Value {
        if let Some(Rval::String(text)) = promise.attribute("string") {
            return self.value(&text.text, text.span, depth);
        }
        let Some(Rval::List(list)) = promise.attribute("slist") else {
            return Value::Unknown;
        };
        let mut all = Vec::new();
        for item in &list.items {
            let text = item.scalar();
            match text.map(|text| self.value(text, item.span(), depth)) {
                Some(Value::Text(text)) => all.push(text),
                Some(Value::List(items)) => all.extend(items),
                _ => return Value::Unknown,
            }
        }
        Value::List(all)
    }

    /// The variables `$(sys.…)` that are paths.
    fn of_system(&self, name: &str) -> Option<String> {
        let below = |path: &str| {
            let path = self.constants.workdir.join(path);
            path.to_str().map(str::to_owned)
        };
        let entry = std::path::absolute(&self.constants.entry).ok()?;
        let release = self.constants.release;
        match name {
            "workdir" => below(""),
            "inputdir" => below("inputs"),
            "libdir" => below("inputs/lib"),
            "masterdir" => below("masterfiles"),
            "statedir" => below("state"),
            "local_libdir" => Some("lib".into()),
            "policy_entry_filename" => entry.to_str().map(str::to_owned),
            "policy_entry_dirname" => entry.parent()?.to_str().map(str::to_owned),
            "policy_entry_basename" => entry.file_name()?.to_str().map(str::to_owned),
            "cf_version" => Some(release.version.into()),
            "cf_version_major" => Some(release.numbers()[0].into()),
            "cf_version_minor" => Some(release.numbers()[1].into()),
            "cf_version_patch" => Some(release.numbers()[2].into()),
            _ => None,
        }
    }
}

/// `$(const.…)`
fn constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "dirsep" => "/",
        "dollar" => "$",
        "at" => "@",
        "n" | "endl" => "\n",
        "r" => "\r",
        "t" => "\t",
        _ => return None,
    })
}

/// The name in a text that is exactly `@(name)`.
fn whole_list(text: &str) -> Option<&str> {
    let (name, behind) = reference(text)?;
    (text.starts_with('@') && behind.is_empty()).then_some(name)
}

/// The name of the variable at the start of a text, and the text after it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let close = match text.as_bytes().get(1)? {
        b'(' => ')',
        b'{' => '}',
        _ => return None,
    };
    text[2..].split_once(close)
}
