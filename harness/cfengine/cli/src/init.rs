//! What `init` finds out about a promise module.

use crate::args::InitOptions;
use crate::look::{Look, look};
use crate::promise_type;
use crate::promised::{self, FromPolicy};
use crate::promises::module_of;
use cfengine_protocol::wire::{Encode as _, Protocol, Style, Value};
use cfengine_protocol::words::{shown, visible};
use cfengine_protocol::{Ended, Session};
use cfengine_suite::{Shown, VOCABULARY};
use std::path::{Path, PathBuf};
use stickler_face::args::InitArgs;
use stickler_face::chosen::unclaimed;
use stickler_face::init::output::{refuse_existing, to_stdout, write};
use stickler_face::init::starter::{
    Block, Entry, MARK, Starter, SuggestedException, list, quoted, table,
};
use stickler_face::library::{Library, portable};
use stickler_face::{CONFIG, Chosen, Done, Failure, Interrupt, guess, subject, terminal};
use stickler_judge::{AnySession, Exit};
use stickler_suite::config::{Config, Example, Subject};
use stickler_suite::{Bench, first_look};
use stickler_transcript::ExitCause;

/// How many characters are shown of output instead of a header.
const SAID: usize = 100;

/// How many libraries are looked for at most.
const LIBRARIES: usize = 4;

/// Runs `init` for a promise module.
///
/// # Errors
/// If there is no module, or if the file cannot be written.
pub fn run(chosen: &Chosen<'_>, args: &InitArgs) -> Done {
    let dialect = chosen.face.dialect();
    let own: InitOptions = args.given.options()?;
    let promised = own
        .policy
        .as_deref()
        .map(|policy| promised::read(policy, args.module.as_deref(), &own.promise_types))
        .transpose()?;
    let module = module(chosen, args, &own, promised.as_ref())?;
    refuse_existing(args, &args.output)?;
    let interpreter = match &promised {
        Some(promised) if args.interpreter.is_none() => promised.interpreter.clone(),
        _ => guess::interpreter(&module, args.interpreter.as_deref())?,
    };
    let mut config = Config {
        dir: PathBuf::from("."),
        subject: Subject {
            path: Some(module.clone()),
            interpreter: interpreter.clone(),
            kinds: own.promise_types.clone(),
            ..Subject::default()
        },
        ..Config::default()
    };
    let argv = subject::prepare(dialect, &config, &Interrupt::default())?;
    let host = subject::host(dialect, &args.sandbox, &config)?;
    let first = |config: &Config| {
        first_look(&Bench {
            dialect,
            host: &host,
            config,
            argv: &argv,
        })
    };
    let (mut session, mut knowledge) = first(&config)?;
    let folders = chosen.face.library_folders();
    let missed = |session: &AnySession, config: &Config| {
        Library::missed_by(session, config, &argv, &folders)
    };
    let mut libraries = Vec::new();
    while !knowledge.common.understood
        && libraries.len() < LIBRARIES
        && let Some(library) = missed(&session, &config)
        && let Some((name, value)) = library.variable(&config)
    {
        config.subject.env.retain(|(known, _)| known != name);
        config.subject.env.push((name.to_owned(), value));
        libraries.push(format!("library       {}", library.told()));
        (session, knowledge) = first(&config)?;
    }
    if !knowledge.common.understood
        && let Some(library) = missed(&session, &config)
    {
        let config = Config {
            file: (!to_stdout(args)).then(|| args.output.clone()),
            ..config.clone()
        };
        libraries.push(format!("library       {}", library.hint("module", &config)));
    }
    let (promise_types, source_of_type) = if let Some(promised) = &promised {
        (promised.promise_types.clone(), "in the policy")
    } else if own.promise_types.is_empty() {
        let header = session
            .typed::<Session>()
            .headers()
            .find_map(|exchange| Some(visible(exchange.header()?.name()?)));
        let (name, source) = promise_type::guess(&module, header.as_deref());
        (vec![name], source)
    } else {
        (own.promise_types.clone(), "as given")
    };
    config.subject.kinds.clone_from(&promise_types);
    let bench = Bench {
        dialect,
        host: &host,
        config: &config,
        argv: &argv,
    };
    let look = look(&bench, session, knowledge)?;
    let folder = folder_of(args)?;
    let env = config.subject.env.iter();
    let env = env.map(|(name, value)| (name.clone(), portable(value, &folder)));
    let described = Described {
        module: file_name(&module),
        path: guess::relative(&folder, &module),
        interpreter,
        env: env.collect(),
        promise_types,
        protocol: look.known.own::<Shown>().protocol,
        action_policy: look.known.common.dry,
        required: look.required.clone(),
        others: look.others.clone(),
        examples: promised
            .as_ref()
            .map_or_else(Vec::new, |promised| promised.examples.clone()),
    };
    let text = described
        .starter()
        .text(&folder.join(CONFIG), &VOCABULARY)?;
    let why = guess::not_direct(&module);
    let mut found = found(&look, &described, source_of_type, why);
    found.splice(1..1, libraries);
    found.insert(1, format!("dialect       {chosen}"));
    if let Some(promised) = &promised {
        found.push(format!(
            "examples      {} from the policy",
            promised.examples.len()
        ));
        found.extend(promised.notes.iter().cloned());
    }
    if write(args, &args.output, &text)? {
        let next = next(args, &look, !described.examples.is_empty());
        terminal::print(format!("{}\n\n{next}", found.join("\n")))?;
    } else {
        for line in &found {
            terminal::note(line);
        }
    }
    Ok(Exit::Success)
}

/// The module that the arguments or the policy name.
fn module(
    chosen: &Chosen<'_>,
    args: &InitArgs,
    own: &InitOptions,
    promised: Option<&FromPolicy>,
) -> Result<PathBuf, Failure> {
    let module = match (&args.module, promised, &own.policy) {
        (Some(module), ..) => module.clone(),
        (None, Some(promised), Some(policy)) => module_of(promised, policy)?,
        _ => {
            return Err(Failure::usage(format!(
                "name a module, or a policy with --policy: {}",
                unclaimed(chosen.dialects)
            )));
        }
    };
    if !module.exists() {
        return Err(stickler_face::missing::missing(&module));
    }
    if module.is_dir() {
        return Err(Failure::usage(format!(
            "{} is a folder, and {}; name the module in it",
            module.display(),
            unclaimed(chosen.dialects)
        )));
    }
    std::path::absolute(&module).map_err(|error| anyhow::Error::from(error).into())
}

fn file_name(module: &Path) -> String {
    module
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn folder_of(args: &InitArgs) -> Result<PathBuf, Failure> {
    let folder = match args.output.parent() {
        Some(folder) if !to_stdout(args) && !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::canonicalize(folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}

/// The results, one line each.
fn found(
    look: &Look,
    described: &Described,
    source_of_type: &str,
    why: Option<String>,
) -> Vec<String> {
    let mut lines = vec![format!(
        "module        {}{}",
        stickler_report::visible(&described.module),
        match &described.interpreter {
            Some(interpreter) => format!(", run by {interpreter}{}", because(why)),
            None => ", run directly".to_owned(),
        }
    )];
    let header = look
        .session
        .typed::<Session>()
        .headers()
        .find_map(|exchange| Some((exchange.header()?, exchange)));
    match (look.known.own::<Shown>().protocol, header) {
        (Some(protocol), Some((header, _))) => {
            let flag = match protocol {
                Protocol::Json => "JSON protocol",
                Protocol::Line => "line protocol",
            };
            let policy = if look.known.common.dry {
                ", understands action_policy"
            } else {
                ""
            };
            lines.push(format!("header        {}", visible(header.line)));
            lines.push(format!("              {flag}{policy}"));
        }
        _ => lines.extend(no_header(look.session.typed())),
    }
    lines.push(format!(
        "promise type  {} ({source_of_type})",
        described.promise_types.join(", ")
    ));
    if !look.required.is_empty() {
        lines.push(format!(
            "attributes    {} (validation asks for {})",
            look.required.join(", "),
            if look.required.len() == 1 {
                "it"
            } else {
                "them"
            }
        ));
    }
    if !look.others.is_empty() {
        let name = if look.required.is_empty() {
            "attributes"
        } else {
            ""
        };
        lines.push(format!(
            "{name:<14}{} (in the source)",
            look.others.join(", ")
        ));
    }
    if look.required.is_empty() && look.others.is_empty() {
        lines.push(
            "attributes    none found, neither in the source nor in error messages".to_owned(),
        );
    }
    lines
}

/// Why the module needs an interpreter, after the interpreter.
fn because(why: Option<String>) -> String {
    why.map(|why| format!(": {why}")).unwrap_or_default()
}

fn no_header(session: &Session) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(exchange) = session.exchanges.first() else {
        return vec!["header        none".to_owned()];
    };
    let how = match exchange.ended {
        Ended::Exited(ExitCause::Code(code)) => format!("the module exited with status {code}"),
        Ended::Exited(_) => "a signal ended the module".to_owned(),
        Ended::Silent(_) => "the module did not answer in time".to_owned(),
        Ended::ClosedOutput => "the module closed its output".to_owned(),
        _ => "its output names neither json_based nor line_based".to_owned(),
    };
    lines.push(format!("header        no usable header: {how}"));
    for (name, bytes) in [
        ("on stdout", &exchange.output),
        ("on stderr", &exchange.errors),
    ] {
        // The last line of a traceback says most.
        let last = bytes
            .split(|byte| *byte == b'\n')
            .rfind(|line| !line.is_empty());
        if let Some(last) = last {
            lines.push(format!(
                "              {name}: {}",
                shown(last, session.case(), SAID)
            ));
        }
    }
    lines
}

fn next(args: &InitArgs, look: &Look, has_examples: bool) -> String {
    let output = args.output.display();
    let mut text = format!("wrote {output}\n");
    let check = if args.output.as_os_str() == CONFIG {
        "stickler check".to_owned()
    } else {
        format!("stickler check --config {output}")
    };
    if look.known.own::<Shown>().protocol.is_none() {
        text.push_str(&format!(
            "next: `{check}` shows what is wrong with the header\n"
        ));
        return text;
    }
    if look.answer.is_none() {
        text.push_str(
            "the module did not answer a validation with a result; the first check shows more\n",
        );
    }
    if has_examples {
        text.push_str(&format!(
            "next: `{check}`; its [[example]]s are the policy's promises\n"
        ));
        return text;
    }
    text.push_str(&format!(
        "next: `{check}` for a first look; then fill in the [[example]] with one of your promises,\n\
         \u{20}     so that Stickler also judges evaluation and effects\n"
    ));
    text
}

/// What was found out.
struct Described {
    module: String,
    path: PathBuf,
    interpreter: Option<String>,
    /// Variables of the environment without which the module does not find its libraries.
    env: Vec<(String, String)>,
    promise_types: Vec<String>,
    protocol: Option<Protocol>,
    action_policy: bool,
    /// Attributes that validation asks for.
    required: Vec<String>,
    /// Attributes named in the source.
    others: Vec<String>,
    /// Promises from a policy.
    examples: Vec<Example>,
}

impl Described {
    fn starter(&self) -> Starter {
        let mut blocks = match &self.examples[..] {
            [] => vec![self.example()],
            examples => promises(examples),
        };
        blocks.push(self.invalid());
        Starter {
            describes: self.module.clone(),
            subject: self.subject(),
            blocks,
            rules: [
                SuggestedException::new("PM805", "leaves its log, ticket 12"),
                SuggestedException::new("PM907", "any attribute is a header"),
            ],
        }
    }

    fn subject(&self) -> Vec<Entry> {
        let mut entries = vec![match &self.promise_types[..] {
            [one] => Entry::text("promise_type", one),
            several => Entry::new("promise_types", list(several)),
        }];
        let interpreter = self.interpreter.iter();
        entries.extend(interpreter.map(|one| Entry::text("interpreter", one)));
        entries.push(Entry::text("path", &self.path.to_string_lossy()));
        let about = "the module sees PATH, HOME, TMPDIR, LANG, and these";
        entries.push(match self.env.is_empty() {
            true => Entry::new("env", "{ NAME = \"value\" }")
                .about(about)
                .optional(),
            false => {
                let pairs = self.env.iter();
                Entry::new(
                    "env",
                    table(pairs.map(|(name, value)| (&name[..], quoted(value)))),
                )
            }
        });
        let further = [
            (
                "sensitive",
                "[\"password\"]",
                "attributes whose values are secrets: never stored or shown",
            ),
            (
                "executes",
                "[\"command\"]",
                "attributes (or \"promiser\") that hold commands to run",
            ),
            (
                "open_attributes",
                "true",
                "the module accepts any attribute name",
            ),
            (
                "deadlines",
                "{ evaluate = 60 }",
                "seconds; also header, validate, terminate",
            ),
        ];
        let further = further.into_iter();
        entries.extend(
            further.map(|(name, value, about)| Entry::new(name, value).about(about).optional()),
        );
        entries
    }

    fn example(&self) -> Block {
        let mut about = vec![
            "A valid promise, as in a policy. Without an example, Stickler judges only the header, \
             the framing and validation. {dir} is an empty folder, new in each session.",
        ];
        if self.action_policy {
            about.push(
                "The module understands action_policy: Stickler also evaluates a `repaired` example \
                 under `warn` and `nop`, where the module must change nothing.",
            );
        }
        if self.protocol == Some(Protocol::Line) {
            about.push("The line protocol carries only text: no lists, no newlines.");
        }
        let mut entries = vec![
            Entry::text("name", "what this example shows"),
            Entry::text("promiser", &format!("{{dir}}/{MARK}")),
            expect(),
        ];
        entries.extend(surroundings());
        let value = |name: &String| Entry::text(name, MARK);
        let required = self.required.iter().map(value);
        let required = required.map(|one| one.about("validation asks for it"));
        let others = self.others.iter().map(value);
        let others = others.map(|one| one.about("named in the source").optional());
        Block {
            about: about.into_iter().map(str::to_owned).collect(),
            heading: "[[example]]".to_owned(),
            entries,
            inner: Some((
                "[example.attributes]".to_owned(),
                required.chain(others).collect(),
            )),
            ..Block::default()
        }
    }

    fn invalid(&self) -> Block {
        let (name, promiser) = match self.required.first() {
            Some(name) => (format!("no {name}"), format!("{{dir}}/{MARK}")),
            None => ("relative path".to_owned(), MARK.to_owned()),
        };
        Block {
            about: vec!["A promise that validation must reject.".to_owned()],
            heading: "[[invalid]]".to_owned(),
            entries: vec![
                Entry::text("name", &name),
                Entry::text("promiser", &promiser),
                Entry::new("attributes", "{}"),
            ],
            ..Block::default()
        }
    }
}

fn expect() -> Entry {
    Entry::new("expect", "[\"repaired\", \"kept\"]")
        .about("one result per evaluation; the last repeats")
}

/// What else an example may say.
fn surroundings() -> impl Iterator<Item = Entry> {
    [
        (
            "setup",
            "[[\"mkdir\", \"-p\", \"{dir}/sub\"]]",
            "commands that prepare {dir}",
        ),
        (
            "creates",
            "{ \"{dir}/file\" = { mode = \"0644\" } }",
            "must exist afterwards",
        ),
        ("absent", "[\"{dir}/old\"]", "must not exist afterwards"),
        (
            "verify",
            "[[\"test\", \"-s\", \"{dir}/file\"]]",
            "commands that must succeed afterwards",
        ),
    ]
    .into_iter()
    .map(|(name, value, about)| Entry::new(name, value).about(about).optional())
}

/// A policy's promises as examples.
fn promises(examples: &[Example]) -> Vec<Block> {
    let mut blocks: Vec<Block> = examples.iter().map(promise).collect();
    if let Some(first) = blocks.first_mut() {
        first.about = vec![
            "The promises of the policy, as an agent sends them. {dir} is an empty folder, new in \
             each session. A promiser below {dir} exercises more rules than a fixed path."
                .to_owned(),
        ];
        first.entries.push(expect().optional());
        first.entries.extend(surroundings());
    }
    blocks
}

fn promise(example: &Example) -> Block {
    let mut entries = vec![Entry::text("name", &example.name)];
    let kind = example.kind.iter();
    entries.extend(kind.map(|kind| Entry::text("promise_type", kind)));
    let promiser = example
        .identity
        .first()
        .and_then(|(_, value)| value.as_text());
    let promiser = String::from_utf8_lossy(promiser.unwrap_or_default());
    entries.push(Entry::text("promiser", &promiser));
    let (plain, raw): (Vec<_>, Vec<_>) = example
        .attributes
        .iter()
        .map(|(name, value)| (name, value, plain(value)))
        .partition(|(_, _, plain)| plain.is_some());
    if !plain.is_empty() {
        let plain = plain.iter();
        let pairs = plain.filter_map(|(name, _, text)| Some((name.as_str(), text.clone()?)));
        entries.push(Entry::new("attributes", table(pairs)));
    }
    if !raw.is_empty() {
        let members = raw
            .into_iter()
            .map(|(name, value, _)| (name.clone().into_bytes(), value.clone()))
            .collect();
        let json = Value::Object(members).encode(Style::Ascii);
        entries.push(Entry::text(
            "raw_attributes",
            &String::from_utf8_lossy(&json),
        ));
    }
    Block {
        heading: "[[example]]".to_owned(),
        is_complete: true,
        entries,
        ..Block::default()
    }
}

/// A text or a list of texts in TOML.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Text(bytes) => Some(quoted(std::str::from_utf8(bytes).ok()?)),
        Value::List(items) => {
            let items = items.iter().map(|item| match item {
                Value::Text(_) => plain(item),
                _ => None,
            });
            let items = items.collect::<Option<Vec<_>>>()?;
            Some(format!("[{}]", items.join(", ")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stickler_suite::config::from_text;

    fn described(folder: &Path, required: &[&str], others: &[&str]) -> Described {
        std::fs::write(folder.join("it's \"mine\".py"), "").expect("written");
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Described {
            module: "it's \"mine\".py".into(),
            path: "it's \"mine\".py".into(),
            interpreter: Some("python3".into()),
            env: Vec::new(),
            promise_types: vec!["mine".into()],
            protocol: Some(Protocol::Json),
            action_policy: true,
            required: own(required),
            others: own(others),
            examples: Vec::new(),
        }
    }

    #[test]
    fn the_file_is_valid_as_it_is_and_with_its_examples() {
        let folder = tempfile::tempdir().expect("a folder");
        let many: Vec<String> = (0..30).map(|n| format!("attribute_{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (required, others) in [
            (&["a", "b"][..], &["c"][..]),
            (&[], &["c", "d"]),
            (&[], &[]),
            (&["a"], &many),
        ] {
            let file = folder.path().join("stickler.toml");
            let starter = described(folder.path(), required, others).starter();
            // It also reads the text with its suggestions.
            let text = starter.text(&file, &VOCABULARY);
            let text = text.unwrap_or_else(|failure| panic!("{}", failure.message));
            let config = from_text(&file, &text, &VOCABULARY).expect("valid");
            assert!(config.examples.is_empty());
            let (own, _) = text.split_once("\n## Replacements").expect("more");
            let filled = own.replace("\n# ", "\n");
            let config = from_text(&file, &filled, &VOCABULARY).expect("valid");
            assert_eq!((config.examples.len(), config.invalid.len()), (1, 1));
            assert!(
                text.lines().all(|line| line.chars().count() <= 101),
                "{text}"
            );
        }
    }
}
