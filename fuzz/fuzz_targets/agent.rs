//! The reference agent: no policy makes it panic, or run without end. Programs
//! are not started and files not read.
#![no_main]

use cfengine_agent::{Options, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|policy: &[u8]| {
    let options = Options::harmless(policy.to_vec());
    let _ = run(options, Box::new(std::io::sink()));
});
