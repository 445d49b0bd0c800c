//! The names of classes and files that belong to a type, as the library looks for them.

/// The name of the class of a type: `package_key` becomes `PackageKey`.
pub fn class_name(name: &str) -> String {
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
pub fn is_constant_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.all(|one| one.is_ascii_alphanumeric() || one == '_' || !one.is_ascii())
}

/// Where the autoloader looks for a type's definition, below `lib`.
pub fn type_file(name: &str) -> String {
    format!("puppet/type/{name}.rb")
}

/// Where the autoloader looks for a type's provider. A provider of remote resources is named after
/// the transport.
pub fn provider_file(name: &str, transport: Option<&str>) -> String {
    format!("puppet/provider/{name}/{}.rb", transport.unwrap_or(name))
}

/// The class that the provider has to define.
pub fn provider_class(name: &str, transport: Option<&str>) -> String {
    format!(
        "Puppet::Provider::{}::{}",
        class_name(name),
        class_name(transport.unwrap_or(name))
    )
}

/// Where a transport's schema is looked for.
pub fn schema_file(name: &str) -> String {
    format!("puppet/transport/schema/{name}.rb")
}

/// Where a transport's class is looked for.
pub fn transport_file(name: &str) -> String {
    format!("puppet/transport/{name}.rb")
}

/// The class that the transport has to define.
pub fn transport_class(name: &str) -> String {
    format!("Puppet::Transport::{}", class_name(name))
}

/// Where the shim for `puppet device` is looked for.
pub fn device_file(name: &str) -> String {
    format!("puppet/util/network_device/{name}/device.rb")
}

/// The class that the shim has to define.
pub fn device_class(name: &str) -> String {
    format!("Puppet::Util::NetworkDevice::{}::Device", capitalize(name))
}

/// The name by which a type is looked up.
pub(crate) fn lower_name(name: &str) -> String {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name.is_ascii() {
        true => name.to_ascii_lowercase(),
        false => name.to_lowercase(),
    }
}
