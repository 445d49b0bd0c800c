//! What a description says of fields that the kinds do not have, or in values that their Go types do not take: the host
//! would refuse it, and nothing would be tested.

mod fields;

use crate::keys::DRIFT;
use crate::shown::Shown;
use crate::vocabulary::VOCABULARY;
use fields::{Misfit, of_fields};
use mgmt_protocol::{Described, Field, Shape, shadowed};
use stickler_session::UNSTARTED;
use stickler_suite::config::{Config, Entry, Example, Exception, Inner, did_you_mean, listing};
use stickler_suite::{fill_commands, scratch_dir};
use stickler_transcript::Bytes;

/// The first mistake that the kinds of the package show in a description, in words.
pub(crate) fn mistake(config: &Config, shown: &Shown) -> Option<String> {
    if shown.registered.is_empty() {
        return None;
    }
    let examples = || config.examples.iter().chain(&config.invalid);
    let known = || {
        let xfail = config.xfail.iter().enumerate();
        let waive = config.waive.iter().enumerate();
        let xfail = xfail.map(|(at, one)| (Entry::Xfail(at), one));
        xfail.chain(waive.map(|(at, one)| (Entry::Waive(at), one)))
    };
    let mut kinds = config.subject.kinds.iter();
    kinds
        .find_map(|kind| unknown_kind(config, shown, Entry::Subject, kind))
        .or_else(|| examples().find_map(|example| kind_of(config, shown, example)))
        .or_else(|| {
            known().find_map(|(entry, one)| unknown_kind(config, shown, entry, one.kind.as_ref()?))
        })
        .or_else(|| examples().find_map(|example| of_example(config, shown, example)))
        .or_else(|| known().find_map(|(entry, one)| of_exception(config, shown, entry, one)))
        .or_else(|| secrets(config, shown))
        .or_else(|| unmade(config, shown))
        .or_else(|| {
            config
                .examples
                .iter()
                .find_map(|example| drift(config, shown, example))
        })
}

/// An example that the host refuses to make, if that is no defect of the package.
fn unmade(config: &Config, shown: &Shown) -> Option<String> {
    config
        .examples
        .iter()
        .chain(&config.invalid)
        .find_map(|example| {
            let why = shown.unmade.get(&example.name)?;
            let kind = example.kind.as_ref().or(config.subject.kinds.first())?;
            let described = shown.kind(kind)?;
            if has_shadowed(&described.fields) {
                return None;
            }
            let message = format!("the example \"{}\" cannot be made: {why}", example.name);
            let path = [Inner::Key(VOCABULARY.attributes_key.to_owned())];
            let entry = Entry::Example(&example.name);
            Some(config.mistake(&VOCABULARY, entry, &path, message, None))
        })
}

/// Is a tag used twice, at whatever depth?
fn has_shadowed(fields: &[Field]) -> bool {
    let within = |shape: &Shape| {
        shape
            .members
            .as_ref()
            .is_some_and(|fields| has_shadowed(fields))
    };
    !shadowed(fields).is_empty() || fields.iter().any(|field| holds(&field.shape, &within))
}

/// A command of `drift` that does not work. Where the resource did not do its work, that may be why.
fn drift(config: &Config, shown: &Shown, example: &Example) -> Option<String> {
    let commands = example.own.commands(DRIFT);
    let filled = fill_commands(commands, &scratch_dir(0));
    let mut spoilt = shown
        .spoilt
        .iter()
        .filter(|one| one.example == example.name);
    let (one, why) = spoilt.find_map(|one| {
        let why = one.failed.as_ref()?;
        (one.held || why.starts_with(UNSTARTED)).then_some((one, why))
    })?;
    let at = filled.iter().position(|words| *words == one.words)?;
    let message = format!(
        "for the example \"{}\": the drift command `{}` failed once the example held: {why}",
        example.name,
        commands[at].join(" ")
    );
    let path = [Inner::Key(DRIFT.to_owned()), Inner::Item(at)];
    let entry = Entry::Example(&example.name);
    Some(config.mistake(&VOCABULARY, entry, &path, message, None))
}

fn unknown_kind(config: &Config, shown: &Shown, entry: Entry<'_>, kind: &str) -> Option<String> {
    if shown.registered.iter().any(|known| known == kind) {
        return None;
    }
    let names = || shown.registered.iter().map(String::as_str);
    let path = match entry {
        Entry::Subject => Vec::new(),
        _ => vec![Inner::Key("kind".to_owned())],
    };
    let message = format!(
        "there is no kind \"{kind}\"; there are: {}",
        listing(names())
    );
    let help = did_you_mean(kind, names());
    Some(config.mistake(&VOCABULARY, entry, &path, message, help))
}

fn kind_of(config: &Config, shown: &Shown, example: &Example) -> Option<String> {
    let entry = Entry::Example(&example.name);
    match example.kind.as_ref().or(config.subject.kinds.first()) {
        Some(kind) => unknown_kind(config, shown, entry, kind),
        None => {
            let names = listing(shown.registered.iter().map(String::as_str));
            let message = format!(
                "the example \"{}\" names no kind; add kind = \"…\": {names}",
                example.name
            );
            Some(config.mistake(&VOCABULARY, entry, &[], message, None))
        }
    }
}

fn of_example(config: &Config, shown: &Shown, example: &Example) -> Option<String> {
    let kind = example.kind.as_ref().or(config.subject.kinds.first())?;
    let described = shown.kind(kind)?;
    let Misfit { path, what, help } = of_fields(described, &example.attributes)?;
    let message = format!("the example \"{}\": {what}", example.name);
    let mut whole = vec![Inner::Key(VOCABULARY.attributes_key.to_owned())];
    whole.extend(path);
    let entry = Entry::Example(&example.name);
    Some(config.mistake(&VOCABULARY, entry, &whole, message, help))
}

/// A command of `drift` as its author wrote it.
pub fn drift_command(config: &Config, example: &str, words: &[Bytes]) -> String {
    let mut examples = config.examples.iter();
    let example = examples.find(|one| one.name == example);
    let commands = example.map_or(&[][..], |example| example.own.commands(DRIFT));
    let filled = fill_commands(commands, &scratch_dir(0));
    match filled.iter().position(|own| own == words) {
        Some(at) => commands[at].join(" "),
        None => words.iter().map(Bytes::lossy).collect::<Vec<_>>().join(" "),
    }
}

/// A field that an exception names, and no kind has.
fn of_exception(
    config: &Config,
    shown: &Shown,
    entry: Entry<'_>,
    known: &Exception,
) -> Option<String> {
    let name = known.field.as_ref()?;
    let kinds = match &known.kind {
        Some(kind) => vec![kind.clone()],
        None => shown.kinds(config),
    };
    let kinds: Vec<&Described> = kinds
        .iter()
        .map(|kind| shown.kind(kind))
        .collect::<Option<_>>()?;
    let fields = || kinds.iter().flat_map(|kind| &kind.fields);
    if *name == VOCABULARY.identity_key || fields().any(|field| field.key() == name) {
        return None;
    }
    let keys = || fields().map(Field::key);
    let meant = kinds.iter().find_map(|kind| kind.field(name));
    let help = match meant {
        Some(field) => Some(format!("write field = \"{}\"", field.key())),
        None => did_you_mean(name, keys()),
    };
    let owner = match &kinds[..] {
        [kind] => format!("the kind {} has", kind.kind),
        _ => "the kinds have".to_owned(),
    };
    let message = match meant {
        Some(_) => format!("findings name the field \"{name}\" otherwise"),
        None => format!(
            "{owner} no field \"{name}\"; there are: {}",
            listing(keys())
        ),
    };
    let path = [Inner::Key("field".to_owned())];
    Some(config.mistake(&VOCABULARY, entry, &path, message, help))
}

/// A name in `sensitive` that is no field, at whatever depth: what it was to hide would be shown.
fn secrets(config: &Config, shown: &Shown) -> Option<String> {
    let kinds = shown.kinds(config);
    let kinds: Vec<&Described> = kinds
        .iter()
        .map(|kind| shown.kind(kind))
        .collect::<Option<_>>()?;
    let fields = || kinds.iter().flat_map(|kind| &kind.fields);
    let mut sensitive = config.subject.sensitive.iter();
    let unknown = sensitive.find(|name| {
        **name != VOCABULARY.identity_key && !fields().any(|field| has_name(field, name))
    })?;
    let keys = || fields().map(Field::key);
    let message = format!(
        "`sensitive` names \"{unknown}\", which is no field; there are: {}",
        listing(keys())
    );
    let path = [Inner::Key("sensitive".to_owned())];
    let help = did_you_mean(unknown, keys());
    Some(config.mistake(&VOCABULARY, Entry::Subject, &path, message, help))
}

fn has_name(field: &Field, name: &str) -> bool {
    let is_map = |shape: &Shape| shape.kind == "map" || shape.any;
    let own = [
        field.lang.as_deref(),
        field.yaml.as_deref(),
        Some(&*field.name),
    ];
    own.contains(&Some(name))
        || holds(&field.shape, &|shape| {
            // The keys of maps are the author's.
            is_map(shape)
                || shape
                    .members
                    .as_ref()
                    .is_some_and(|members| members.iter().any(|member| has_name(member, name)))
        })
}

fn holds(shape: &Shape, is_it: &dyn Fn(&Shape) -> bool) -> bool {
    is_it(shape) || shape.elem.as_ref().is_some_and(|elem| holds(elem, is_it))
}
