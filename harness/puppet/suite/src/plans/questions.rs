//! Questions to `insync?` that a runtime asks: about a resource that is not there, about other targets
//! of each property, about a target that equals the state, about resources that lack properties.

use crate::altered::{in_turns, is_removal, most, properties, removal, values};
use crate::deferred::{About, Deferred};
use crate::requests::{about, deferred, evaluation, get_rows, open, renew};
use crate::resource;
use crate::shown::Shown;
use puppet_protocol::{phase, purpose};
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Definition, Type, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Value as Sent, Variation};

/// So many questions about other values are asked for an example.
const MOST: usize = 40;
/// So many of them are asked twice in a row.
const TWICE: usize = 2;
/// So many other values of each property are asked about with another value of a parameter.
const FLIPPED: usize = 3;
/// So many other values of a parameter are tried.
const WORDS: usize = 3;
/// The kinds of other rows about which it is asked.
const ROWS: usize = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if effort == Effort::Quick {
        return Vec::new();
    }
    let known = |item: &Instance| setting.knowledge.valid.contains(&item.info.label);
    let items = subjects(setting, effort).into_iter();
    let items =
        items.filter(|item| known(item) && !shown.fails(&item.info.label) && !is_removal(item));
    let items = items.filter_map(|item| Some((shown.definition(&item.kind)?, item)));
    items
        .filter(|(definition, _)| definition.has_feature("custom_insync"))
        .flat_map(|(definition, item)| {
            [
                Some(asked(shown, setting, &definition, &item, effort)),
                lacking(shown, setting, &definition, &item),
            ]
        })
        .flatten()
        .collect()
}

/// Before the evaluation of an example, and after it.
fn asked(
    shown: &Shown,
    setting: &Setting<'_>,
    definition: &Definition,
    item: &Instance,
    effort: Effort,
) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("questions/{label}"));
    case.setup(item).observing().open();
    let mut asking = Asking::new(shown, definition, &mut case, item);
    // Of a resource that is not there, only its state counts.
    let absent = match definition.is_ensurable() {
        true => vec!["ensure"],
        // Without properties, a runtime asks about a hidden one.
        false if properties(definition).next().is_none() => vec![TRIGGER],
        false => asking.named(item),
    };
    asking.read("before");
    for property in absent {
        asking.ask(item, property, About::Unlisted);
    }
    asking.case.evaluate(item);
    asking.read("after");
    let named = asking.named(item);
    let as_is = || About::AsIs(named.iter().map(|name| (*name).to_owned()).collect());
    let mut questions: Vec<Question> = Vec::new();
    for property in &named {
        questions.push((item.clone(), (*property).to_owned(), as_is()));
    }
    if named.is_empty() && properties(definition).next().is_none() {
        questions.push((item.clone(), TRIGGER.to_owned(), About::Row));
    }
    for number in 0..ROWS {
        for property in &named {
            questions.push((item.clone(), (*property).to_owned(), About::Other(number)));
        }
    }
    let others = properties(definition).map(|one| values(setting, definition, item, one));
    let others = in_turns(others.collect()).into_iter();
    for other in others.take(most(effort, MOST)) {
        let property = other.info.field.clone().unwrap_or_default();
        questions.push((other, property, About::Row));
    }
    // What a parameter decides, another value of it decides otherwise.
    for flipped in parameters(definition, item) {
        for one in properties(definition) {
            let others = values(setting, definition, &flipped, one).into_iter();
            for other in others.take(FLIPPED) {
                questions.push((other, one.name.clone(), About::Row));
            }
        }
    }
    for (number, question) in questions.iter().enumerate() {
        // The first ones twice in a row.
        for _ in 0..=usize::from(number < TWICE) {
            asking.pose(question);
        }
    }
    // Another instance gets them in the other order: what it was asked before must not matter.
    renew(asking.case, item);
    asking.read("anew");
    for question in questions.iter().rev() {
        asking.pose(question);
    }
    case.terminate().build()
}

/// The item with another value of each parameter that has a few.
fn parameters(definition: &Definition, item: &Instance) -> Vec<Instance> {
    let target = resource::target(definition, item);
    let own = definition.attributes.iter();
    let own = own.filter(|one| one.behaviour == Behaviour::Parameter);
    let others = own.flat_map(|one| {
        let is = target.get(&one.name);
        let all = match one.data_type.as_ref() {
            Some(Type::Optional(Some(inner))) => words(inner),
            Some(own) => words(own),
            None => Vec::new(),
        };
        let all = all.into_iter();
        let all = all.filter(move |other| is.map(Value::to_text) != Some(other.1.clone()));
        all.take(WORDS).map(|(sent, shown)| {
            let kind = Variation::Typed;
            let described = format!("\"{}\" is {shown}", one.name);
            let mut flipped = item.variant(kind, &one.name, &format!(":{shown}"), described);
            flipped.set(&one.name, sent);
            flipped
        })
    });
    others.collect()
}

/// The values of a type that has few of them, and their texts.
fn words(of: &Type) -> Vec<(Sent, String)> {
    match of {
        Type::Boolean(_) => [true, false]
            .map(|one| (Sent::Bool(one), one.to_string()))
            .into(),
        Type::Enum { values, .. } => {
            let values = values.iter().map(ToString::to_string);
            values.map(|one| (Sent::text(one.clone()), one)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whose target is compared, in which property, with which state.
type Question = (Instance, String, About);

/// The resource is made without a property that it need not have, and is then to get it.
fn lacking(
    shown: &Shown,
    setting: &Setting<'_>,
    definition: &Definition,
    item: &Instance,
) -> Option<Case> {
    if !shown.creates(&item.info.label) {
        return None;
    }
    removal(definition, item, 0)?;
    let is_free = |name: &str| {
        let own = definition.attribute(name);
        own.is_some_and(|own| {
            own.default.is_none() && matches!(own.data_type, Some(Type::Optional(_)))
        })
    };
    let mut case = setting.case(format!("questions-lacking/{}", item.info.label));
    case.setup(item).observing().open();
    let mut asking = Asking::new(shown, definition, &mut case, item);
    let named = asking.named(item);
    let free: Vec<&str> = named.into_iter().filter(|name| is_free(name)).collect();
    for (number, property) in free.iter().enumerate() {
        let gone = removal(definition, item, number)?;
        let words = format!("without \"{property}\"");
        let mut without = item.variant(Variation::Drop, property, "", words);
        without.remove(property);
        asking.case.evaluate(&gone).evaluate(&without);
        asking.read(&format!("without-{property}"));
        asking.ask(item, property, About::Row);
    }
    (!free.is_empty()).then(|| case.terminate().build())
}

/// A session in which questions are asked.
struct Asking<'a, 's> {
    shown: &'a Shown,
    definition: &'a Definition,
    case: &'a mut CaseBuilder<'s>,
    site: &'a Instance,
    /// The key of the last call of `get`.
    read: Key,
    number: usize,
}

impl<'a, 's> Asking<'a, 's> {
    fn new(
        shown: &'a Shown,
        definition: &'a Definition,
        case: &'a mut CaseBuilder<'s>,
        site: &'a Instance,
    ) -> Self {
        open(case, site);
        Asking {
            shown,
            definition,
            case,
            site,
            read: Key::default(),
            number: 0,
        }
    }

    /// The properties of the target.
    fn named(&self, item: &Instance) -> Vec<&'a str> {
        let target = resource::target(self.definition, item);
        let named = properties(self.definition);
        let named = named.filter(|one| target.get(&one.name).is_some_and(|it| !it.is_nil()));
        named.map(|one| &*one.name).collect()
    }

    /// Reads all rows.
    fn read(&mut self, when: &str) {
        self.read = purpose::ROWS.part(when).of(&self.site.info.label);
        let send = get_rows(self.shown, self.case, self.read.clone(), self.site);
        self.case.send(send);
    }

    fn pose(&mut self, (item, property, about_what): &Question) {
        self.ask(item, property, about_what.clone());
    }

    /// Asks about a property of the last rows that were read.
    fn ask(&mut self, item: &Instance, property: &str, about_what: About) {
        self.number += 1;
        self.case.provide(item);
        let number = self.number;
        let mut target = evaluation(
            self.case,
            self.definition,
            &purpose::QUESTION.part(&number.to_string()),
            item,
        );
        target.rows = Some(self.read.clone());
        let open = target.open.clone();
        let what = Deferred::Ask {
            evaluation: target,
            property: property.to_owned(),
            about: about_what,
        };
        let key = purpose::ASKED
            .part(&number.to_string())
            .of(&item.info.label);
        let send = deferred(self.case, phase::INSYNC, key, open, what);
        let send = about(send, item);
        self.case.send(send);
    }
}
