//! What only developers understand in a log message.

use cfengine_protocol::internals::{OBJECT, internals};

#[test]
fn addresses_of_objects_are_found_but_plain_numbers_are_not() {
    for (message, part) in [
        (
            "Calling <function read at 0x7f3a12bc4d30>",
            "<function read at 0x7f3a12bc4d30",
        ),
        (
            "no #<Entry:0x000055d1a2b3c4d8>",
            "#<Entry:0x000055d1a2b3c4d8",
        ),
        ("Got Entry=HASH(0x55d1a2b3)", "HASH(0x55d1a2b3"),
        ("value table: 0x55d1a2b3c4d0", "table: 0x55d1a2b3c4d0"),
        ("Wrote [object Object]", "[object Object]"),
        ("not written: Os { code: 30, kind: R }", "Os { code: "),
    ] {
        assert_eq!(internals(message, "module"), [(OBJECT, part)], "{message}");
    }
    for message in [
        "Wrote 0x7f3a12bc4d30 to the register",
        "The flag at 0x10 of <greeting> is set",
        "The entry at 0x7f3a12bc4d30 is free",
        "<a> and HASH(0x1)",
    ] {
        assert_eq!(internals(message, "module"), [], "{message}");
    }
}
