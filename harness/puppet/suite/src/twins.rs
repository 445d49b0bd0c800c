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
    let own = namevars(definition, item);
    let mut found: Vec<(Vec<Option<Value>>, Instance)> = Vec::new();
    for (number, change) in changes(definition, item, &own).into_iter().enumerate() {
        let neighbour = change.applied(item, number);
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
    fn applied(&self, item: &Instance, number: usize) -> Instance {
        let words = format!("whose `{}` is \"{}\"", self.name, self.becomes);
        let mut neighbour = item.altered(Variation::Near, &format!(":beside{number}"), words);
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
fn changes(definition: &Definition, item: &Instance, own: &[Option<Value>]) -> Vec<Change> {
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
            _ => {
                let more = MORE
                    .iter()
                    .filter(|more| **more != ".old" || text.contains('.'));
                let longer = more.map(|more| format!("{text}{more}"));
                longer
                    .chain([format!("x{text}"), text.replace('.', "x")])
                    .collect()
            }
        };
        others.retain(|other| **other != **text);
        for becomes in others {
            all.extend(renamings(item, at, name, text, &becomes));
        }
        each.push(all);
    }
    in_turns(each)
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
            let long = change.applied(item, becomes.len());
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
