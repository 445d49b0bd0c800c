//! Where a run differs from a recorded one.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::recorded::{Case, LaneVariant, Lanes};
use crate::seen::{Seen, SeenItem, SeenVertex};
use crate::trace::Lane;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub at: Aspect,
    /// How the recording has it.
    pub recorded: String,
    /// What was seen.
    pub seen: String,
}

/// Where a difference is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The number of phases.
    Phases,
    /// A phase.
    Phase(usize),
    /// The lane of an instance.
    Lane(String, Lane),
    /// How an instance stood at the end.
    End(String),
    /// How often an instance was validated again.
    Revalidations(String),
    /// When something happened.
    Time(String),
    /// What came before what.
    Order,
    /// How many CheckApply ran at one time.
    Peak,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aspect::Phases => f.write_str("number of phases"),
            Aspect::Phase(number) => write!(f, "phase {number}"),
            Aspect::Lane(label, lane) => write!(f, "{label} {}", lane.word()),
            Aspect::End(label) => write!(f, "{label} end"),
            Aspect::Revalidations(label) => write!(f, "{label} revalidations"),
            Aspect::Time(item) => write!(f, "time of {item}"),
            Aspect::Order => f.write_str("order"),
            Aspect::Peak => f.write_str("parallel CheckApply"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: recorded {}, seen {}",
            self.at, self.recorded, self.seen
        )
    }
}

const LANES: [Lane; 4] = [Lane::Life, Lane::Watch, Lane::Recv, Lane::Run];

/// Compares a run with a recorded case.
pub fn compare(case: &Case, seen: &Seen) -> Vec<Difference> {
    let mut found = Vec::new();
    phases(case, seen, &mut found);
    let nothing = SeenVertex::default();
    for (label, recorded) in &case.observed.vertices {
        let vertex = seen.vertices.get(label).unwrap_or(&nothing);
        lanes(label, recorded, vertex, &mut found);
    }
    for (label, vertex) in &seen.vertices {
        // An instance of which nothing was called is not recorded.
        if !vertex.lanes.is_empty() && !case.observed.vertices.contains_key(label) {
            add(
                &mut found,
                Aspect::End(label.clone()),
                "no such instance",
                "one",
            );
        }
    }
    order(case, seen, &mut found);
    if let Some([least, most]) = case.observed.peak_parallel_checkapply
        && (seen.peak < least || seen.peak > most)
    {
        add(
            &mut found,
            Aspect::Peak,
            &format!("{least} to {most}"),
            &seen.peak.to_string(),
        );
    }
    found
}

fn add(found: &mut Vec<Difference>, at: Aspect, recorded: &str, seen: &str) {
    found.push(Difference {
        at,
        recorded: recorded.to_owned(),
        seen: seen.to_owned(),
    });
}

fn phases(case: &Case, seen: &Seen, found: &mut Vec<Difference>) {
    let recorded = &case.observed.phases;
    if recorded.len() != seen.phases.len() {
        let (one, other) = (recorded.len().to_string(), seen.phases.len().to_string());
        add(found, Aspect::Phases, &one, &other);
    }
    for (number, (recorded, seen)) in recorded.iter().zip(&seen.phases).enumerate() {
        let variants = recorded.variants.iter().map(|variant| &variant.value);
        let ways = ways(&recorded.fields, variants);
        let seen_so = unordered(seen);
        if !ways.iter().any(|one| unordered(one) == seen_so) {
            let shown = either(ways.into_iter().map(json));
            add(found, Aspect::Phase(number), &shown, &json(seen));
        }
    }
}

/// How something may go: the only recorded way, or each of its variants.
fn ways<'c, T: ?Sized>(only: &'c T, variants: impl Iterator<Item = &'c T>) -> Vec<&'c T> {
    let variants: Vec<&T> = variants.collect();
    match variants.is_empty() {
        true => vec![only],
        false => variants,
    }
}

fn either(ways: impl Iterator<Item = String>) -> String {
    ways.collect::<Vec<_>>().join(" or ")
}

/// A phase with its lists in one order, where the order says nothing.
fn unordered(phase: &Map<String, Json>) -> Map<String, Json> {
    let mut phase = phase.clone();
    for key in ["engine_log", "refresh_pending"] {
        if let Some(Json::Array(list)) = phase.get_mut(key) {
            list.sort_by_key(ToString::to_string);
        }
    }
    if let Some(Json::Object(graph)) = phase.get_mut("graph") {
        for list in graph.values_mut() {
            if let Json::Array(list) = list {
                for one in list.iter_mut() {
                    sort_keys(one);
                }
                list.sort_by_key(ToString::to_string);
            }
        }
    }
    phase
}

fn sort_keys(value: &mut Json) {
    match value {
        Json::Object(map) => {
            map.sort_keys();
            map.values_mut().for_each(sort_keys);
        }
        Json::Array(list) => list.iter_mut().for_each(sort_keys),
        _ => {}
    }
}

fn json(map: &Map<String, Json>) -> String {
    Json::Object(map.clone()).to_string()
}

fn lanes(label: &str, recorded: &Lanes, seen: &SeenVertex, found: &mut Vec<Difference>) {
    for lane in LANES {
        let (items, variants) = match lane {
            Lane::Life => (&recorded.life, &recorded.life_variants),
            Lane::Watch => (&recorded.watch, &recorded.watch_variants),
            Lane::Recv => (&recorded.recv, &recorded.recv_variants),
            Lane::Run => (&recorded.run, &recorded.run_variants),
        };
        let seen_items = seen.lane(lane);
        let several = variants.iter().map(|variant| &variant.items[..]);
        let ways = ways(&items[..], several);
        let agrees = ways.iter().any(|one| same_items(one, seen_items))
            || lies_between(variants, seen_items, lane);
        if !agrees {
            let shown = either(ways.into_iter().map(list));
            let fields: Vec<_> = seen_items.iter().map(|item| item.fields.clone()).collect();
            add(
                found,
                Aspect::Lane(label.to_owned(), lane),
                &shown,
                &list(&fields),
            );
        } else if variants.is_empty() {
            times(label, lane, items, seen_items, found);
        }
    }
    let end_agrees = if recorded.end_variants.is_empty() {
        recorded.end.as_deref().is_none_or(|end| end == seen.end)
    } else {
        recorded.end_variants.contains_key(&seen.end)
    };
    if !end_agrees {
        let several = recorded.end_variants.keys().cloned();
        let shown = recorded.end.clone().unwrap_or_else(|| either(several));
        add(found, Aspect::End(label.to_owned()), &shown, &seen.end);
    }
    let [least, most] = recorded.revalidations.unwrap_or_default();
    if seen.revalidations < least || seen.revalidations > most {
        let place = Aspect::Revalidations(label.to_owned());
        add(
            found,
            place,
            &format!("{least} to {most}"),
            &seen.revalidations.to_string(),
        );
    }
}

fn same_items(recorded: &[Map<String, Json>], seen: &[SeenItem]) -> bool {
    recorded.len() == seen.len()
        && recorded
            .iter()
            .zip(seen)
            .all(|(one, other)| same_item(one, &other.fields))
}

fn same_item(recorded: &Map<String, Json>, seen: &Map<String, Json>) -> bool {
    let fields = recorded.iter().filter(|(key, _)| *key != "t_ms");
    fields.clone().count() == seen.len()
        && fields
            .clone()
            .all(|(key, value)| seen.get(key) == Some(value))
}

/// Runs that differ come from chance in the real engine; what lies between them may come, too.
fn lies_between(variants: &[LaneVariant], seen: &[SeenItem], lane: Lane) -> bool {
    let counts = |call: &Map<String, Json>| {
        lane != Lane::Run || call.get("call").and_then(Json::as_str) == Some("checkapply")
    };
    let recorded: Vec<usize> = variants
        .iter()
        .map(|variant| variant.items.iter().filter(|item| counts(item)).count())
        .collect();
    let count = seen.iter().filter(|item| counts(&item.fields)).count();
    let least = recorded.iter().min().copied().unwrap_or_default();
    let most = recorded.iter().max().copied().unwrap_or_default();
    least < most && (least..=most).contains(&count)
}

fn times(
    label: &str,
    lane: Lane,
    recorded: &[Map<String, Json>],
    seen: &[SeenItem],
    found: &mut Vec<Difference>,
) {
    for (number, (one, other)) in recorded.iter().zip(seen).enumerate() {
        let Some(Json::Array(times)) = one.get("t_ms") else {
            continue;
        };
        let (Some(least), Some(most)) = (
            times.first().and_then(Json::as_u64),
            times.last().and_then(Json::as_u64),
        ) else {
            continue;
        };
        let slack = |time: u64| (time / 4).max(25);
        let low = least.saturating_sub(slack(least));
        let high = most.saturating_add(slack(most));
        if !(low..=high).contains(&other.t_ms) {
            let item = format!("{label}/{}{number}", lane.word());
            add(
                found,
                Aspect::Time(item),
                &format!("{least} to {most}"),
                &other.t_ms.to_string(),
            );
        }
    }
}

fn order(case: &Case, seen: &Seen, found: &mut Vec<Difference>) {
    for [before, after] in &case.observed.order {
        let (Some(one), Some(other)) = (item(seen, before), item(seen, after)) else {
            continue;
        };
        if one.end >= other.begin {
            add(
                found,
                Aspect::Order,
                &format!("{before} before {after}"),
                "not",
            );
        }
    }
}

/// The item that a name such as `b@1/r0` stands for.
fn item<'a>(seen: &'a Seen, name: &str) -> Option<&'a SeenItem> {
    let (label, place) = name.rsplit_once('/')?;
    let lane = match place.chars().next()? {
        'l' => Lane::Life,
        'w' => Lane::Watch,
        'v' => Lane::Recv,
        'r' => Lane::Run,
        _ => return None,
    };
    let number: usize = place.get(1..)?.parse().ok()?;
    seen.vertices.get(label)?.lane(lane).get(number)
}

/// Items in short.
fn list(items: &[Map<String, Json>]) -> String {
    let short = |item: &Map<String, Json>| {
        let mut rest = item.clone();
        let phase = rest.remove("phase").unwrap_or_default();
        let call = rest.remove("call").unwrap_or_default();
        rest.remove("t_ms");
        let call = call.as_str().unwrap_or_default().to_owned();
        if rest.is_empty() {
            format!("{phase}:{call}")
        } else {
            format!("{phase}:{call}{}", json(&rest))
        }
    };
    format!(
        "[{}]",
        items.iter().map(short).collect::<Vec<_>>().join(" ")
    )
}
