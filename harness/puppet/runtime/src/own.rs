//! The types of Puppet itself, and the definitions of those that the runtime has.

use puppet_types::{Definition, Value};

/// Types that come with Puppet 7.
const OWN: [&str; 15] = [
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
    "node",
];

/// Is it a type of Puppet itself?
pub(crate) fn is_puppets(name: &str) -> bool {
    OWN.contains(&name)
}

/// The definition of such a type, if the runtime has it.
pub(crate) fn definition(name: &str) -> Option<Definition> {
    let attributes: &[(&str, Option<&str>)] = match name {
        "notify" => &[
            ("name", Some("namevar")),
            ("message", None),
            ("withpath", Some("parameter")),
        ],
        "resources" => &[
            ("name", Some("namevar")),
            ("purge", Some("parameter")),
            // It is about users, which are of a type of Puppet itself.
            ("unless_system_user", Some("parameter")),
        ],
        _ => return None,
    };
    let attributes = attributes.iter().map(|(name, behaviour)| {
        let own = match behaviour {
            Some("namevar") => "String",
            _ => "Optional[Any]",
        };
        let mut options = vec![("type", Value::string(own)), ("desc", Value::string(*name))];
        options.extend(behaviour.map(|one| ("behaviour", Value::symbol(one))));
        (*name, Value::hash(options))
    });
    let definition = Value::hash([
        ("name", Value::string(name)),
        ("desc", Value::string(name)),
        ("attributes", Value::hash(attributes)),
    ]);
    Some(Definition::of_type(&definition))
}
