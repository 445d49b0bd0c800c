//! `stickler schema`: the published schemas.

use crate::args::SchemaArgs;
use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser};
use stickler_face::{Dialects, Done, Face, Schema, terminal};
use stickler_judge::Exit;
use stickler_suite::config;

/// The name of the schema that differs between dialects.
const CONFIG: &str = "config";

/// The neutral schemas, apart from that of `stickler.toml`.
const NEUTRAL: &[Schema] = &[
    Schema {
        name: "report",
        about: "A line of a report in the format `json`",
        place: 20,
        text: |_| stickler_report::json_schema().to_owned(),
    },
    #[cfg(feature = "campaign")]
    Schema {
        name: "fuzz",
        about: "A line of `stickler fuzz --format json`",
        place: 30,
        text: |_| stickler_fuzz::json_schema().to_owned(),
    },
    Schema {
        name: "diff",
        about: "A line of `stickler diff --format json`",
        place: 40,
        text: |_| stickler_oracle::json_schema().to_owned(),
    },
    Schema {
        name: "equal",
        about: "A line of `stickler equal --format json`",
        place: 50,
        text: |_| stickler_suite::equal::json_schema().to_owned(),
    },
    Schema {
        name: "equal-case",
        about: "The file of `stickler equal`",
        place: 60,
        text: |dialects| config::equal_schema(&dialects.words()),
    },
    Schema {
        name: "transcript",
        about: "A line of a transcript",
        place: 70,
        text: |_| stickler_transcript::schema().to_owned(),
    },
];

/// The command line with the schemas and the names that dialects bring.
pub fn completed(command: Command, faces: &[Box<dyn Face>]) -> Command {
    let mut schemas = NEUTRAL.to_vec();
    schemas.extend(faces.iter().flat_map(|face| face.schemas()));
    schemas.sort_by_key(|schema| schema.place);
    let named = |schema: Schema| PossibleValue::new(schema.name).help(schema.about);
    let mut values = vec![PossibleValue::new(CONFIG).help("`stickler.toml`")];
    values.extend(schemas.into_iter().map(named));
    let usual = faces.first().map(|face| face.vocabulary().dialect);
    command.mut_subcommand("schema", |command| {
        command
            .mut_arg("of", |of| {
                of.value_parser(PossibleValuesParser::new(values))
            })
            .mut_arg("dialect", |dialect| dialect.default_value(usual))
    })
}

pub fn run(dialects: &Dialects, args: &SchemaArgs) -> Done {
    let all = dialects.all().flat_map(Face::schemas);
    let mut all = NEUTRAL.iter().copied().chain(all);
    terminal::print(match all.find(|schema| schema.name == args.of) {
        Some(schema) => (schema.text)(dialects),
        None => config::json_schema(dialects.named(&args.dialect)?.face.vocabulary()),
    })?;
    Ok(Exit::Success)
}
