//! The names of types and of their classes, as Ruby and Puppet write them.

/// The name of the class of a type: `package_key` becomes `PackageKey`.
pub(crate) fn class_name(name: &str) -> String {
    // Ruby drops empty parts at the end; those in between are empty anyway.
    name.split('_').map(capitalize).collect()
}

/// The first letter upper, all others lower, as Ruby's `capitalize`.
fn capitalize(part: &str) -> String {
    let mut characters = part.chars();
    let first = characters.next().into_iter();
    let first = first.flat_map(char::to_uppercase);
    first
        .chain(characters.flat_map(char::to_lowercase))
        .collect()
}

/// Can Ruby use it as the name of a constant?
pub(crate) fn is_constant_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.all(|one| one.is_ascii_alphanumeric() || one == '_' || !one.is_ascii())
}

/// The name by which a type is looked up.
pub(crate) fn lower_name(name: &str) -> String {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => name.to_lowercase(),
    }
}
