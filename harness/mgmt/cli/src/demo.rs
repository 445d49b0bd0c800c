//! The Go packages of `stickler demo`.

use stickler_face::demo::{Demo, Mistake};

const RESOURCE: &str = "note.go";

/// A package with a resource that writes a file. The part of mgmt that it needs stands beside it, so that it builds
/// without network.
pub const DEMO: Demo = Demo {
    system: "mgmt",
    module: &[
        (
            "go.mod",
            "module example.com/note\n\ngo 1.19\n\nrequire github.com/purpleidea/mgmt v0.0.0\n\n\
             // Stands in for mgmt. Your own package needs no such line.\n\
             replace github.com/purpleidea/mgmt => ../mgmt\n",
        ),
        (
            RESOURCE,
            include_str!("../../../../fixtures/resources/note/note.go"),
        ),
        (
            "other.go",
            include_str!("../../../../fixtures/resources/note/other.go"),
        ),
        (
            "stickler.toml",
            include_str!("../../../../fixtures/resources/note/stickler.toml"),
        ),
    ],
    beside: &[
        (
            "mgmt/go.mod",
            include_str!("../../../../fixtures/resources/era_context/mgmt/go.mod"),
        ),
        (
            "mgmt/engine/engine.go",
            include_str!("../../../../fixtures/resources/era_context/mgmt/engine/engine.go"),
        ),
        (
            "mgmt/engine/optional.go",
            include_str!("../../../../fixtures/resources/era_context/mgmt/engine/optional.go"),
        ),
        (
            "mgmt/engine/traits/traits.go",
            include_str!("../../../../fixtures/resources/era_context/mgmt/engine/traits/traits.go"),
        ),
    ],
    mistakes: &[
        Mistake {
            file: RESOURCE,
            sound: "\tfound, _ := os.ReadFile(obj.Name())\n\treturn info.Mode().String() + string(found)\n",
            broken: "\treturn info.Mode().String()\n",
        },
        Mistake {
            file: RESOURCE,
            sound: "\tif !apply {\n\t\treturn false, nil\n\t}\n",
            broken: "",
        },
        Mistake {
            file: RESOURCE,
            sound: "\tif obj.Mode != res.Mode {\n\t\treturn fmt.Errorf(\"the mode differs\")\n\t}\n",
            broken: "",
        },
    ],
};
