//! `stickler schema`: the published schemas.

use crate::args::{SchemaArgs, SchemaOf};
use crate::face;
use crate::failure::Done;
use crate::terminal;
use stickler_judge::Exit;

pub fn run(args: &SchemaArgs) -> Done {
    match args.of {
        SchemaOf::Config => {
            let words = face::named(&args.dialect)?.vocabulary();
            terminal::print(stickler_suite::config::json_schema(words))?;
        }
        SchemaOf::Report => terminal::print(stickler_report::json_schema())?,
        #[cfg(feature = "campaign")]
        SchemaOf::Fuzz => terminal::print(stickler_fuzz::json_schema())?,
        SchemaOf::Diff => terminal::print(stickler_oracle::json_schema())?,
        SchemaOf::Graph => terminal::print(mgmt_graph::json_schema())?,
        SchemaOf::Equal => terminal::print(stickler_suite::equal::json_schema())?,
        SchemaOf::EqualCase => {
            let dialects = stickler_dialects::words();
            terminal::print(stickler_suite::config::equal_schema(&dialects))?;
        }
        SchemaOf::Transcript => terminal::print(stickler_transcript::schema())?,
    }
    Ok(Exit::Success)
}
