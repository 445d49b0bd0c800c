//! The promise modules of `stickler demo`.

use stickler_face::demo::{Demo, Mistake};

const MODULE: &str = "greeting.py";

/// A module that writes a message into a file.
pub const DEMO: Demo = Demo {
    system: "cfengine",
    module: &[
        (
            MODULE,
            include_str!("../../../../fixtures/modules/greeting_py/greeting.py"),
        ),
        (
            "stickler.toml",
            include_str!("../../../../fixtures/modules/greeting_py/stickler.toml"),
        ),
    ],
    beside: &[],
    mistakes: &[
        Mistake {
            file: MODULE,
            sound: "        if found == content:",
            broken: "        if found == content.strip():",
        },
        Mistake {
            file: MODULE,
            sound: "            return \"not_kept\", []\n        replace(",
            broken: "        replace(",
        },
        Mistake {
            file: MODULE,
            sound: "        if not isinstance(value, str):\n            return \"Attribute '%s' must be text\" % name\n",
            broken: "",
        },
    ],
};
