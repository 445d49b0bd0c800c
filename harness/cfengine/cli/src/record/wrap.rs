//! `stickler record --wrap`: writes an executable that a promise block can name instead of a
//! module.

use crate::args::RecordArgs;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;
use stickler_face::args::SubjectArgs;
use stickler_face::{Chosen, Failure, Interrupt, subject, terminal};

/// Writes the executable.
pub fn write(chosen: &Chosen<'_>, args: &RecordArgs, module: &Path) -> Result<ExitCode, Failure> {
    let subject = SubjectArgs {
        module: Some(module.to_owned()),
        interpreter: args.interpreter.clone(),
        ..SubjectArgs::default()
    };
    let config = subject::describe(chosen, &subject)?;
    let argv = subject::prepare(chosen.face.dialect(), &config, &Interrupt::default())?;
    let wrapper = std::path::absolute(&args.out).map_err(anyhow::Error::from)?;
    let recordings = match &args.recordings {
        Some(folder) => std::path::absolute(folder).map_err(anyhow::Error::from)?,
        None => wrapper.with_file_name("recordings"),
    };
    let stickler = std::env::current_exe().map_err(anyhow::Error::from)?;
    let words: Vec<Vec<u8>> = argv.iter().map(|word| word.to_vec()).collect();
    let script = script(
        stickler.as_os_str().as_bytes(),
        recordings.as_os_str().as_bytes(),
        &file_name(module),
        args.limit,
        &words,
    );
    // Never overwrites a file: it may be the module itself.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o755)
        .open(&wrapper)
        .map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::AlreadyExists => "; remove it first, or name another file",
                _ => "",
            };
            Failure::usage(format!("{}: {error}{hint}", wrapper.display()))
        })?;
    file.write_all(&script).map_err(anyhow::Error::from)?;
    let without = if args.interpreter.is_some() {
        ", without `interpreter`"
    } else {
        ""
    };
    terminal::note(&format!(
        "name {} as `path` in the promise block{without}; transcripts go to {}",
        wrapper.display(),
        recordings.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn script(
    stickler: &[u8],
    recordings: &[u8],
    name: &[u8],
    limit: u64,
    command: &[Vec<u8>],
) -> Vec<u8> {
    let command: Vec<Vec<u8>> = command.iter().map(|word| quoted(word)).collect();
    [
        b"#!/bin/sh\n# Written by `stickler record --wrap`: passes everything on, and records it.\nrecordings=".to_vec(),
        quoted(recordings),
        b"\nrecordings=${STICKLER_RECORDINGS:-\"$recordings\"}\nmkdir -p -- \"$recordings\"\nexec ".to_vec(),
        quoted(stickler),
        format!(" record --limit {limit} --out \"$recordings/\"").into_bytes(),
        quoted(name),
        b" -- ".to_vec(),
        command.join(&b' '),
        b" \"$@\"\n".to_vec(),
    ]
    .concat()
}

/// The file name `NAME-{n}.jsonl`.
fn file_name(module: &Path) -> Vec<u8> {
    let stem = module.file_stem().unwrap_or_default().to_owned();
    let mut name = stem.into_vec();
    // Braces would be treated as placeholders.
    name.iter_mut()
        .filter(|byte| matches!(**byte, b'{' | b'}'))
        .for_each(|byte| *byte = b'_');
    name.extend_from_slice(b"-{n}.jsonl");
    name
}

/// Quotes any word for a shell script.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for byte in word {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            other => out.push(*other),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted(b"a b"), b"'a b'");
        assert_eq!(quoted(b"it's"), b"'it'\\''s'");
    }
}
