//! What `libFuzzer` follows: the marks of a session, as its extra counters, and nothing else.

use stickler_fuzz::MAP;

/// `libFuzzer` clears the bytes of this section before each run, and reads them after it.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static mut COUNTERS: [u8; MAP] = [0; MAP];

unsafe extern "C" {
    /// The counters of the harness's own code: the compiler makes them, the linker names their ends.
    #[link_name = "__start___sancov_cntrs"]
    static mut OWN: u8;
    #[link_name = "__stop___sancov_cntrs"]
    static mut OWN_END: u8;
}

/// Shows the marks of a session. What the harness's own code did is forgotten: it is not what is
/// fuzzed, and differs with the time that a module takes.
pub fn show(map: &[u8]) {
    let count = map.len().min(MAP);
    // SAFETY: The target runs in `libFuzzer`'s only thread that touches counters, which is here in a
    // call of the target. COUNTERS has MAP bytes. OWN and OWN_END are the ends of one section of
    // bytes, which always exists since cargo-fuzz instruments this file, too.
    unsafe {
        let to = (&raw mut COUNTERS).cast::<u8>();
        std::ptr::copy_nonoverlapping(map.as_ptr(), to, count);
        let (start, end) = (&raw mut OWN, &raw mut OWN_END);
        std::ptr::write_bytes(start, 0, end.addr() - start.addr());
    }
}
