//! What rules need.

use stickler_judge::Need;

/// An example.
pub const EXAMPLE: Need = Need {
    name: "example",
    lacking: "without an [[example]] in stickler.toml, nothing is applied",
};
/// An example, or an invalid one.
pub const DECLARED: Need = Need {
    name: "declared",
    lacking: "without an [[example]] in stickler.toml, nothing is declared",
};
/// A kind with the method `Copy`.
pub const COPY: Need = Need {
    name: "copy",
    lacking: "no kind has the method `Copy`",
};
/// A kind with the trait Edgeable.
pub const EDGEABLE: Need = Need {
    name: "edgeable",
    lacking: "no kind has the trait Edgeable",
};
