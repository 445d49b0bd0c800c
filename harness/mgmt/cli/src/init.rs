//! A starter `stickler.toml` for a Go package with mgmt resources: an example of each kind, from its fields.

use crate::args::InitOptions;
use mgmt_protocol::{Described, Field, Shape};
use mgmt_suite::{INIT, Inspected, OVERLAY, TAGS, VOCABULARY, kinds, sample};
use std::path::Path;
use stickler_face::args::InitArgs;
use stickler_face::init::output::{in_folder, suggest, to_stdout};
use stickler_face::init::starter::{
    Block, Entry, MARK, Starter, SuggestedException, list, quoted, table,
};
use stickler_face::{Chosen, Done, Failure};
use stickler_json::{Json, Member};
use stickler_judge::Exit;
use stickler_suite::Preparing;
use stickler_suite::config::{self, Config, Own};

/// Writes the file.
pub fn run(chosen: &Chosen<'_>, args: &InitArgs) -> Done {
    let own: InitOptions = args.given.options()?;
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    let output = in_folder(args, folder)?;
    let config = Config {
        dir: folder.to_owned(),
        ..known(args, &output)
    };
    let all =
        kinds(&config, &Preparing::quietly()).map_err(|error| Failure::usage(error.to_string()))?;
    let chosen_kinds = select(&all, &own.kinds)?;
    let starter = Starter {
        describes: "a Go package with mgmt resources".to_owned(),
        subject: subject(&config.subject.own),
        blocks: chosen_kinds.iter().map(|kind| example(kind)).collect(),
        rules: [
            SuggestedException::new("MR210", "its tags change with the next release, ticket 12"),
            waiver(&chosen_kinds),
        ],
    };
    let text = starter.text(&output, &VOCABULARY)?;
    let what = stickler_report::count(chosen_kinds.len(), "kind");
    suggest(args, chosen, &output, &text, &what)?;
    Ok(Exit::Success)
}

/// How the package is built, if the file that is overwritten says so. Its examples may be wrong.
fn known(args: &InitArgs, output: &Path) -> Config {
    let mut config = Config::default();
    config.subject.path = Some(".".into());
    if to_stdout(args) {
        return config;
    }
    let text = std::fs::read_to_string(output).unwrap_or_default();
    if config::dialect(&text).as_deref() == Some(VOCABULARY.dialect)
        && let Ok(former) = config::from_text(output, &text, &VOCABULARY)
    {
        config.subject.own = former.subject.own;
        config.subject.env = former.subject.env;
    }
    config
}

/// The kinds that the user wants, or all.
fn select<'k>(all: &'k [Inspected], wanted: &[String]) -> Result<Vec<&'k Inspected>, Failure> {
    if wanted.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        let found = all.iter().find(|kind| kind.described.kind == *name);
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|kind| &*kind.described.kind).collect();
            Failure::usage(format!(
                "there is no kind {name:?}; there are: {}",
                names.join(", ")
            ))
        })
    };
    wanted.iter().map(find).collect()
}

/// The keys of `[subject]`: how the package is built is a suggestion, unless it is known.
fn subject(own: &Own) -> Vec<Entry> {
    let tags = match own.texts(TAGS) {
        [] => Entry::new(TAGS, "[\"linux\"]")
            .about("build tags")
            .optional(),
        tags => Entry::new(TAGS, list(tags)),
    };
    let pairs = own.commands(OVERLAY).iter();
    let pairs: Vec<(&str, String)> = pairs
        .filter_map(|pair| match pair.as_slice() {
            [path, file] => Some((path.as_str(), quoted(file))),
            _ => None,
        })
        .collect();
    let overlay = match pairs.is_empty() {
        true => Entry::new(OVERLAY, "{}")
            .about("files that the build takes for others: { \"generated.go\" = \"testdata/generated.go\" }")
            .optional(),
        false => Entry::new(OVERLAY, table(pairs)),
    };
    let init = match own.texts(INIT).first() {
        None => Entry::remark(&format!(
            "{INIT} = \"FillInit\" names a function of the package that fills in what only mgmt gives to Init"
        )),
        Some(name) => Entry::text(INIT, name),
    };
    vec![Entry::text("path", "."), tags, overlay, init]
}

/// Why `Cmp` may ignore a field.
fn waiver(kinds: &[&Inspected]) -> SuggestedException {
    let mut fields = kinds.iter().flat_map(|kind| {
        let own = &kind.described;
        own.fields.iter().map(move |field| (own, field))
    });
    let limits = fields.next().map(|(kind, field)| {
        vec![
            Entry::text("kind", &kind.kind),
            Entry::text("field", field.key()),
        ]
    });
    SuggestedException::new("MR403", "Cmp may ignore it: it is for people")
        .limited(limits.unwrap_or_default())
}

/// An example of a kind.
fn example(kind: &Inspected) -> Block {
    let own = &kind.described;
    Block {
        about: about(own),
        heading: "[[example]]".to_owned(),
        entries: vec![
            Entry::text("label", &format!("an example of {}", own.kind))
                .about("a name that no other example has"),
            Entry::text("kind", &own.kind),
            Entry::text("name", MARK).about(&format!(
                "{MARK}: the resource's name, such as {{dir}}/a: {{dir}} is a folder of its own"
            )),
            Entry::new("setup", "[[\"mkdir\", \"{dir}/sub\"]]")
                .about("commands that come first")
                .optional(),
            Entry::new("drift", "[[\"rm\", \"-rf\", \"{dir}/a\"]]")
                .about("commands that spoil the right state from outside, one by one")
                .optional(),
            Entry::new("expect", "[\"changed\", \"ok\"]")
                .about("a word for each call of CheckApply; the last repeats"),
        ],
        inner: Some((
            "[example.fields]".to_owned(),
            own.fields
                .iter()
                .filter_map(|field| suggestion(kind, field))
                .collect(),
        )),
        ..Block::default()
    }
}

/// What a kind is, and what it can do.
fn about(kind: &Described) -> Vec<String> {
    let mut about = vec![format!("{}, {}", kind.kind, kind.type_name)];
    for (what, names) in [("Traits", &kind.traits), ("Methods", &kind.methods)] {
        if !names.is_empty() {
            about.push(format!("{what}: {}", names.join(", ")));
        }
    }
    let unset = kind
        .fields
        .iter()
        .filter(|field| sample(&field.shape).is_none());
    let unset: Vec<String> = unset
        .map(|field| format!("{} ({})", field.key(), field.type_name))
        .collect();
    if !unset.is_empty() {
        about.push(format!("No value here sets: {}", unset.join(", ")));
    }
    about
}

/// A field with its default, or a value of its type. `None` if a description cannot set it.
fn suggestion(kind: &Inspected, field: &Field) -> Option<Entry> {
    if kind.described.field(field.key()) != Some(field) {
        return None;
    }
    let default = kind.defaults.get(&field.name);
    let known = default.and_then(|default| toml(default, &field.shape));
    let told = match (default, &known) {
        (Some(Json::Null), _) => ", nil by default".to_owned(),
        (_, Some(value)) => format!(", {value} by default"),
        _ => String::new(),
    };
    let value = known.or_else(|| sample(&field.shape))?;
    let about = format!("{}{told}", field.type_name);
    Some(Entry::new(field.key(), value).about(&about).optional())
}

/// A value of a type in the language of the file. `None` if the file has no word for it.
fn toml(value: &Json, shape: &Shape) -> Option<String> {
    let inner = |value: &Json| toml(value, shape.elem.as_deref()?);
    let is_number = ["int", "uint", "float"]
        .iter()
        .any(|start| shape.kind.starts_with(start) && !shape.kind.starts_with("inter"));
    match value {
        Json::Bool(truth) if shape.any || shape.kind == "bool" => Some(truth.to_string()),
        Json::Number(number) if shape.any || is_number => {
            let is_float = number.contains(['.', 'e', 'E']);
            let is_small = is_float || number.parse::<i64>().is_ok();
            // TOML has no larger numbers, and the host takes them as texts.
            Some(if is_small {
                number.clone()
            } else {
                quoted(number)
            })
        }
        Json::String(text) if shape.any || shape.kind == "string" => Some(quoted(text.as_str()?)),
        value if shape.kind == "ptr" => inner(value),
        Json::Array(items) if shape.kind == "slice" || shape.kind == "array" => {
            let items: Option<Vec<String>> = items.iter().map(inner).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Json::Object(members) if shape.kind == "map" => {
            let pair =
                |member: &Member| Some((member.key.as_str()?.to_owned(), inner(&member.value)?));
            let pairs: Option<Vec<(String, String)>> = members.iter().map(pair).collect();
            Some(table(
                pairs?.iter().map(|(key, value)| (&**key, value.clone())),
            ))
        }
        Json::Object(members) if shape.kind == "struct" => {
            let fields = shape.members.as_ref()?;
            let pair = |member: &Member| {
                let name = member.key.as_str()?;
                let field = fields.iter().find(|field| field.name == name)?;
                // What is nil is left out.
                Some((field.key(), toml(&member.value, &field.shape)?))
            };
            Some(table(members.iter().filter_map(pair)))
        }
        _ => None,
    }
}
