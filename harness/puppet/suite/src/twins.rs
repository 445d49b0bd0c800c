//! The same resource under other names, as far as its type admits them.

use crate::altered::in_turns;
use crate::resource;
use crate::shown::Shown;
use puppet_types::{Definition, Type, Value};
use stickler_suite::Instance;
use stickler_transcript::{Value as Sent, Variation};

/// The same resource under another name, if its type admits one.
pub(crate) fn twin(shown: &Shown, item: &Instance) -> Option<Instance> {
    twins(shown, item).next()
}

/// The same resource under other names. If there are several namevars, one alone is another in each but the
/// first, as far as titles give them.
pub(crate) fn twins(shown: &Shown, item: &Instance) -> impl Iterator<Item = Instance> {
    let mut found: Vec<(Vec<bool>, Instance)> = Vec::new();
    if let Some(definition) = shown.definition(&item.kind) {
        let own = namevars(&definition, item);
        for twin in renamed(&definition, item) {
            let target = resource::target(&definition, &twin);
            if !resource::is_admitted(&definition, &twin, &target) {
                continue;
            }
            let other = namevars(&definition, &twin).into_iter().zip(&own);
            let differs: Vec<bool> = other.map(|(other, own)| other != *own).collect();
            let count = differs.iter().filter(|differs| **differs).count();
            let is_new = found.is_empty()
                || count == 1 && own.len() > 1 && found.iter().all(|(known, _)| *known != differs);
            if count > 0 && is_new {
                found.push((differs, twin));
            }
        }
    }
    found.into_iter().map(|(_, twin)| twin)
}

/// The item under other titles: with something more at the end, near the start, at the start, then
/// anywhere, as titles may have several parts; and with other words of an `Enum`.
fn renamed(definition: &Definition, item: &Instance) -> impl Iterator<Item = Instance> {
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let inner = title.char_indices().map(|(at, _)| at).skip(1);
    let second = inner.clone().next().unwrap_or(title.len());
    let places = [title.len(), second, 0].into_iter().chain(inner);
    let places: Vec<usize> = places.collect();
    let mut names = Vec::new();
    for more in ["2", "b", "x"] {
        names.extend(places.iter().map(|at| {
            let (start, end) = title.split_at(*at);
            format!("{start}{more}{end}")
        }));
    }
    let target = resource::target(definition, item);
    for name in definition.namevars() {
        let own = definition
            .attribute(name)
            .and_then(|one| one.data_type.as_ref());
        if let (Some(Type::Enum { values, .. }), Some(Value::String(own))) = (own, target.get(name))
        {
            names.extend(values.iter().map(|other| title.replace(&**own, other)));
        }
    }
    names.into_iter().map(|name| {
        let words = format!("called \"{name}\"");
        let mut twin = item.altered(Variation::Near, ":twin", words);
        twin.set_name(name);
        twin
    })
}

/// What a neighbour's name has beside the item's own.
const MORE: &[&str] = &["-old", "_old", "2", ".old"];

/// Resources whose names are easily taken for the item's: they begin or end with it, differ from it in one
/// namevar alone, or match it as a pattern. Each has other values.
pub(crate) fn neighbours(definition: &Definition, item: &Instance) -> Vec<Instance> {
    near(definition, item, "beside", &longer)
}

/// More of them: their names differ from the item's in case, or are shorter, or are the same in another section.
pub(crate) fn lookalikes(definition: &Definition, item: &Instance) -> Vec<Instance> {
    near(definition, item, "alike", &alike)
}

/// Resources that differ from the item in one namevar, which becomes other texts.
fn near(
    definition: &Definition,
    item: &Instance,
    label: &str,
    texts: &dyn Fn(&str) -> Vec<String>,
) -> Vec<Instance> {
    let own = namevars(definition, item);
    let mut found: Vec<(Vec<Option<Value>>, Instance)> = Vec::new();
    let all = changes(definition, item, &own, texts);
    for (number, change) in all.into_iter().enumerate() {
        let neighbour = change.applied(item, &format!("{label}{number}"));
        let target = resource::target(definition, &neighbour);
        let names = namevars(definition, &neighbour);
        let differing = names.iter().zip(&own).filter(|(one, own)| one != own);
        let is_near = differing.count() == 1 && change.gives(&names, &own);
        let is_new = found.iter().all(|(known, _)| *known != names);
        if is_near && is_new && resource::is_admitted(definition, &neighbour, &target) {
            found.push((names, changed(definition, neighbour)));
        }
    }
    found.into_iter().map(|(_, neighbour)| neighbour).collect()
}

/// A namevar that becomes another text, by the title or by the attribute.
struct Change {
    /// Which of the namevars.
    at: usize,
    name: String,
    becomes: String,
    /// The title that may say so; without it, the attribute does.
    title: Option<String>,
}

impl Change {
    fn applied(&self, item: &Instance, label: &str) -> Instance {
        let words = format!("whose `{}` is \"{}\"", self.name, self.becomes);
        let mut neighbour = item.altered(Variation::Near, &format!(":{label}"), words);
        match &self.title {
            Some(title) => neighbour.set_name(title.as_str()),
            None => neighbour.set(&self.name, Sent::text(self.becomes.as_str())),
        }
        neighbour
    }

    fn gives(&self, names: &[Option<Value>], own: &[Option<Value>]) -> bool {
        names[self.at] != own[self.at] && names[self.at] == Some(Value::string(&*self.becomes))
    }
}

/// Such changes, those first that every type with free names admits.
fn changes(
    definition: &Definition,
    item: &Instance,
    own: &[Option<Value>],
    texts: &dyn Fn(&str) -> Vec<String>,
) -> Vec<Change> {
    let mut each = Vec::new();
    for (at, name) in definition.namevars().into_iter().enumerate() {
        let mut all = Vec::new();
        let Some(Value::String(text)) = &own[at] else {
            continue;
        };
        let words = definition
            .attribute(name)
            .and_then(|one| one.data_type.as_ref());
        let mut others: Vec<String> = match words {
            Some(Type::Enum { values, .. }) => values.iter().map(ToString::to_string).collect(),
            _ => texts(text),
        };
        others.retain(|other| **other != **text);
        for becomes in others {
            all.extend(renamings(item, at, name, text, &becomes));
        }
        each.push(all);
    }
    in_turns(each)
}

/// Longer names, and one that matches as a pattern.
fn longer(text: &str) -> Vec<String> {
    let more = MORE
        .iter()
        .filter(|more| **more != ".old" || text.contains('.'));
    let longer = more.map(|more| format!("{text}{more}"));
    longer
        .chain([format!("x{text}"), text.replace('.', "x")])
        .collect()
}

/// A text as it is up to its last part, if it is a path, and that part.
fn parted(text: &str) -> (&str, &str) {
    text.split_at(text.rfind('/').map_or(0, |at| at + 1))
}

/// Names in other case, names that are shorter and longer at either end, and one that has nothing in common.
fn alike(text: &str) -> Vec<String> {
    let (path, last) = parted(text);
    let mut letters = last.chars();
    let first = letters.next();
    let capital = first.map(|first| first.to_uppercase().chain(letters.clone()).collect());
    let is_word = |part: &str| part.chars().count() > 1 && part.chars().all(char::is_alphanumeric);
    let shorter = last.char_indices().next_back().map(|(at, _)| &last[..at]);
    let shorter = shorter.filter(|part| {
        let end = part.char_indices().rev().nth(1);
        end.is_some_and(|(at, _)| is_word(&part[at..]))
    });
    let tail = Some(letters.as_str()).filter(|part| part.len() > 1);
    let all = [
        Some(last.to_uppercase()),
        shorter.map(str::to_owned),
        capital,
        Some(format!("x{last}")),
        tail.map(str::to_owned),
        Some(format!("{last}2")),
        Some(last.to_lowercase()),
        Some(other_letters(last)),
    ];
    let all = all.into_iter().flatten();
    all.map(|one| format!("{path}{one}")).collect()
}

/// A text of the same shape with other letters and digits.
fn other_letters(text: &str) -> String {
    turned(text, 13, 26)
}

/// A text of the same shape with other digits, if it is a hexadecimal number.
fn other_digits(text: &str) -> String {
    turned(text, 3, 6)
}

/// A text whose letters are replaced by those that come `by` places later, among the first so many.
fn turned(text: &str, by: u8, among: u8) -> String {
    let later = |first: u8, one: u8, by: u8, among: u8| {
        let at = one - first;
        char::from(if at < among {
            first + (at + by) % among
        } else {
            one
        })
    };
    let other = |letter: char| match u8::try_from(letter) {
        Ok(one @ b'a'..=b'z') => later(b'a', one, by, among),
        Ok(one @ b'A'..=b'Z') => later(b'A', one, by, among),
        Ok(one @ b'0'..=b'9') => later(b'0', one, 3, 10),
        _ => letter,
    };
    // Numbers in hexadecimal digits may say so.
    let (sign, rest) = text.split_at(if text.starts_with("0x") { 2 } else { 0 });
    let others: String = rest.chars().map(other).collect();
    format!("{sign}{others}")
}

/// Names of resources that have nothing in common with most others.
const OTHERS: &[&str] = &["quokka", "zebra9"];

/// A resource with other letters in each of its namevars that is a text, and with other values.
pub(crate) fn unrelated(definition: &Definition, item: &Instance) -> Option<Instance> {
    let mut far = item.clone();
    for (at, name) in definition.namevars().into_iter().enumerate() {
        let own = namevars(definition, &far);
        let kind = definition
            .attribute(name)
            .and_then(|one| one.data_type.as_ref());
        let (Some(Value::String(text)), false) =
            (&own[at], matches!(kind, Some(Type::Enum { .. })))
        else {
            continue;
        };
        let (path, last) = parted(text);
        let words = [other_letters(last), other_digits(last)].into_iter();
        let words = words.chain(OTHERS.iter().map(|one| (*one).to_owned()));
        let fits = |becomes: &String| {
            let value = Value::string(&**becomes);
            becomes != &**text && kind.is_none_or(|kind| !kind.matches(&value).is_no())
        };
        let texts = words.map(|word| format!("{path}{word}")).filter(fits);
        let changes = texts.flat_map(|becomes| renamings(&far, at, name, text, &becomes));
        let mut all = changes.map(|change| {
            let one = change.applied(&far, "far");
            (change.gives(&namevars(definition, &one), &own), one)
        });
        far = all.find_map(|(gives, one)| gives.then_some(one))?;
    }
    let target = resource::target(definition, &far);
    let is_other = namevars(definition, &far) != namevars(definition, item);
    (is_other && resource::is_admitted(definition, &far, &target)).then(|| changed(definition, far))
}

/// How a namevar that is `text` may become another text: by each place that it has in the title, or by its
/// attribute.
fn renamings(item: &Instance, at: usize, name: &str, text: &str, becomes: &str) -> Vec<Change> {
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let mut attributes = item.attributes.iter();
    let is_given = attributes.any(|(own, _)| own == name.as_bytes());
    let titles = title.match_indices(text).map(|(start, own)| {
        let (before, after) = (&title[..start], &title[start + own.len()..]);
        Some(format!("{before}{becomes}{after}"))
    });
    let titles: Vec<_> = titles.filter(|_| !is_given).collect();
    let all = titles.into_iter().chain(is_given.then_some(None));
    let change = |title| Change {
        at,
        name: name.to_owned(),
        becomes: becomes.to_owned(),
        title,
    };
    all.map(change).collect()
}

/// So many letters more long names have: as many as the type admits.
const LONGER: &[usize] = &[200, 100, 50, 20, 8];

/// For each namevar, two resources with long names that differ in the last letter alone.
pub(crate) fn lengthy(definition: &Definition, item: &Instance) -> Vec<Instance> {
    let own = namevars(definition, item);
    let named = |at: usize, name: &str, text: &str, becomes: &str| {
        let changes = renamings(item, at, name, text, becomes).into_iter();
        let mut changed = changes.map(|change| {
            let long = change.applied(item, &format!("beside{}", becomes.len()));
            let fits = change.gives(&namevars(definition, &long), &own);
            (fits, long)
        });
        changed.find_map(|(fits, long)| {
            let target = resource::target(definition, &long);
            (fits && resource::is_admitted(definition, &long, &target)).then_some(long)
        })
    };
    let each = definition.namevars().into_iter().enumerate();
    let pairs = each.filter_map(|(at, name)| {
        let text = own[at].as_ref()?.as_str()?;
        LONGER.iter().find_map(|more| {
            let long = format!("{text}{}", "a".repeat(*more));
            let one = named(at, name, text, &format!("{long}b"))?;
            Some([one, named(at, name, text, &format!("{long}c"))?])
        })
    });
    pairs.flatten().collect()
}

/// The same under other names, each with other values.
pub(crate) fn with_other_values(shown: &Shown, item: &Instance) -> Vec<Instance> {
    let Some(definition) = shown.definition(&item.kind) else {
        return Vec::new();
    };
    twins(shown, item)
        .map(|twin| changed(&definition, twin))
        .collect()
}

/// The values of a resource's namevars.
pub(crate) fn namevars(definition: &Definition, item: &Instance) -> Vec<Option<Value>> {
    let target = resource::target(definition, item);
    let own = definition.namevars();
    own.iter().map(|name| target.get(name).cloned()).collect()
}

/// The resource with other texts and numbers, where its type admits them. If one names a path, all stay as
/// they are: the two resources may want something of one file, and other files may be missing.
fn changed(definition: &Definition, mut item: Instance) -> Instance {
    let is_path = |value: &Sent| value.as_text().is_some_and(|text| text.contains(&b'/'));
    if item.attributes.iter().any(|(_, value)| is_path(value)) {
        return item;
    }
    for at in 0..item.attributes.len() {
        let other = match &item.attributes[at].1 {
            Sent::Text(text) => Sent::Text([text, &b"2"[..]].concat()),
            Sent::Number(number) => match number.parse::<u32>() {
                Ok(number) => Sent::Number(number.saturating_add(1).to_string()),
                Err(_) => continue,
            },
            _ => continue,
        };
        let own = std::mem::replace(&mut item.attributes[at].1, other);
        if !resource::is_admitted(definition, &item, &resource::target(definition, &item)) {
            item.attributes[at].1 = own;
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::{alike, other_digits, other_letters};

    #[test]
    fn names_that_are_alike_stay_in_their_folder() {
        assert_eq!(
            alike("/etc/web1"),
            [
                "WEB1", "web", "Web1", "xweb1", "eb1", "web12", "web1", "jro4"
            ]
            .map(|one| format!("/etc/{one}"))
        );
        // What is left of a short name may be a folder, or nothing.
        assert!(!alike("/etc/a").contains(&"/etc/".to_owned()));
        assert!(!alike("a.b").contains(&"a.".to_owned()));
    }

    #[test]
    fn other_letters_keep_the_shape() {
        assert_eq!(other_letters("Vm.swap_9"), "Iz.fjnc_2");
        assert_eq!(other_digits("0x9AF"), "0x2DC");
    }
}
