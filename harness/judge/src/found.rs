//! The findings of a rule as they are shown: with excerpts, and merged where they are alike.

use crate::{AnySession, Arrow, ExcerptLine, Finding, Level, Variant};
use std::collections::BTreeSet;
use std::ops::Deref;
use stickler_reading::words::in_backticks;
use stickler_transcript::{Item, Plan};

/// A finding has at most so many [`Found::others`].
const OTHERS: usize = 20;

/// A finding as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its level.
    pub level: Level,
    /// Which of the rule's defects it shows.
    pub variant: Variant,
    /// Findings of one variant in other groups are other defects.
    pub group: Box<str>,
    /// What happened.
    pub message: String,
    /// What was expected instead.
    pub expected: Option<String>,
    /// The number of the exchange that it is about, if it is about one.
    pub exchange: Option<usize>,
    /// Name of the case.
    pub case: String,
    /// What the case did, in words: the example and the change.
    pub context: String,
    /// The lines that show it.
    pub excerpt: Vec<ExcerptLine>,
    /// If it is about an answer: what a deployed agent would do with that answer, as a sentence.
    pub agent: Option<String>,
    /// How many more cases show the same defect.
    pub more: usize,
    /// What happened there, where it is about something else, such as another attribute.
    pub others: Vec<String>,
}

/// A finding with the sessions behind it, until it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// What is shown of it.
    pub found: Found,
    /// The finding itself.
    pub finding: Finding,
    /// Further sessions that show the same defect, each by itself.
    pub also: Vec<usize>,
}

impl Deref for Traced {
    type Target = Found;

    fn deref(&self) -> &Found {
        &self.found
    }
}

/// The findings to show. The order is: most serious first, then the author's own examples, sessions that come again
/// alike, the shortest by pauses, findings about an item, usual sessions, and the shortest by exchanges. Findings of
/// one variant and group are merged.
pub(crate) fn found(open: &[&Finding], views: &[AnySession]) -> Vec<Traced> {
    let mut sorted: Vec<&Finding> = open.to_vec();
    sorted.sort_by_cached_key(|finding| {
        let view = &views[finding.place.session];
        let case = view.case();
        let plan = case.plan.as_ref();
        (
            std::cmp::Reverse(finding.level),
            case.items.iter().any(|p| !p.original),
            plan.is_some_and(Plan::kills_by_clock),
            plan.map_or(0, Plan::pauses_us),
            // A finding about an item says more than one about the start or the end.
            about(finding, view).is_none(),
            // What also happens in the usual way is easiest to see there.
            !view.is_usual(),
            view.reading().length(),
            finding.place,
        )
    });
    let mut shown: Vec<Traced> = Vec::new();
    for finding in sorted {
        let is_alike =
            |known: &&mut Traced| known.variant == finding.variant && known.group == finding.group;
        if let Some(same) = shown.iter_mut().find(is_alike) {
            same.found.more += 1;
            if same.others.len() < OTHERS && names_more(&finding.message, same) {
                same.found.others.push(finding.message.clone());
            }
            // A comparison says nothing about one session.
            if let [session] = finding.sessions[..]
                && !same.also.contains(&session)
            {
                same.also.push(session);
            }
            continue;
        }
        let view = &views[finding.place.session];
        let mut excerpt = view.excerpt(finding, finding.place.session);
        let others: BTreeSet<usize> = finding
            .also
            .iter()
            .map(|place| place.session)
            .filter(|session| *session != finding.place.session)
            .collect();
        for session in others {
            let partner = views[session].excerpt(finding, session);
            if partner.is_empty() {
                continue;
            }
            excerpt.push(ExcerptLine {
                exchange: None,
                arrow: Arrow::Happened,
                text: format!("and in {}:", views[session].case().id),
                mark: None,
                note: None,
            });
            excerpt.extend(partner);
        }
        let found = Found {
            level: finding.level,
            variant: finding.variant,
            group: finding.group.clone(),
            message: finding.message.clone(),
            expected: finding.expected.clone(),
            exchange: finding.place.exchange,
            case: view.case().id.clone(),
            context: context(view, finding),
            excerpt,
            agent: None,
            more: 0,
            others: Vec::new(),
        };
        shown.push(Traced {
            found,
            finding: finding.clone(),
            also: Vec::new(),
        });
    }
    shown
}

/// Does a message name anything in backticks that no message of this finding names?
fn names_more(message: &str, found: &Found) -> bool {
    let told = std::iter::once(&found.message).chain(&found.others);
    let told: BTreeSet<&str> = told.flat_map(|text| in_backticks(text)).collect();
    in_backticks(message).any(|name| !told.contains(name))
}

/// The item of a finding, if it is about one.
pub(crate) fn about<'v>(finding: &Finding, view: &'v AnySession) -> Option<&'v Item> {
    view.item_of(finding.place.exchange?)
}

/// Names the item of the finding; without one, all items of the case.
fn context(view: &AnySession, finding: &Finding) -> String {
    let case = view.case();
    let items = about(finding, view).map_or(case.items.as_slice(), std::slice::from_ref);
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let text = match &item.description {
            Some(made_up) if item.example.is_empty() => made_up.clone(),
            Some(changed) => format!("example \"{}\", {changed}", item.example),
            None if item.example.is_empty() => continue,
            None => format!("example \"{}\"", item.example),
        };
        if !words.contains(&text) {
            words.push(text);
        }
    }
    words.truncate(3);
    if !case.surroundings.is_empty() {
        words.push(format!("with {}", case.surroundings.join(", ")));
    }
    if words.is_empty() {
        return case.id.clone();
    }
    format!("{} — {}", words.join("; "), case.id)
}
