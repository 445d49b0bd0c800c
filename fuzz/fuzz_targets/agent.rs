//! The reference agent: no policy makes it panic, or run without end. Programs
//! are not started and files not read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stickler_agent::{Limits, Options, run};

fuzz_target!(|policy: &[u8]| {
    let mut options = Options::new("/policy.cf");
    options.text = Some(policy.to_vec());
    options.effects = false;
    options.skip_unsupported = true;
    options.limits = Limits {
        steps: 20_000,
        depth: 20,
        output: 1 << 20,
        text: 1 << 16,
        input: 1 << 16,
    };
    let _ = run(options, Box::new(std::io::sink()));
});
