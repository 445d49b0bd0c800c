//! Stickler: the command line with all dialects of the registry.

use std::process::ExitCode;

fn main() -> ExitCode {
    stickler::run(stickler_dialects::faces(), std::env::args_os())
}
