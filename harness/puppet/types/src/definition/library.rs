//! What the real library does with a definition: which warnings it gives, and what it raises.

use super::Auto;
use super::read::{RESERVED, TRIGGER, is_ensure_type};
use crate::names::{class_name, is_constant_name};
use crate::parse::{ErrorClass, parse};
use crate::types::Type;
use crate::value::Value;

/// A version of `puppet/resource_api`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Library {
    /// 1.8.16, which Debian ships.
    V1_8_16,
    /// 1.9.2, the newest of 1.9.
    V1_9_2,
    /// 2.0.1
    V2_0_1,
}

impl Library {
    /// The version of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "1.8.16" => Some(Self::V1_8_16),
            "1.9.2" => Some(Self::V1_9_2),
            "2.0.1" => Some(Self::V2_0_1),
            _ => None,
        }
    }
}

/// An exception of Ruby.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    /// Its class.
    pub class: String,
    /// Its message. For exceptions that Ruby raises by itself, the wording may differ.
    pub message: String,
}

/// What registering a definition does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registration {
    /// What it raises. `None` if the definition is taken.
    pub raised: Option<Raised>,
    /// What it warns of before.
    pub warnings: Vec<String>,
}

const DEV_ERROR: &str = "Puppet::DevError";

type Step = Result<(), Raised>;

fn raise(class: &str, message: impl Into<String>) -> Raised {
    Raised {
        class: class.to_owned(),
        message: message.into(),
    }
}

fn dev_error(message: impl Into<String>) -> Raised {
    raise(DEV_ERROR, message)
}

fn no_method(name: &str, receiver: &Value) -> Raised {
    let shown = match receiver {
        Value::Undef
        | Value::Bool(_)
        | Value::Array(_)
        | Value::Hash(_)
        | Value::Integer(_)
        | Value::String(_)
        | Value::Symbol(_)
        | Value::Float(_) => receiver.inspect(),
        other => format!("#<{}>", other.class()),
    };
    let class = receiver.class();
    raise(
        "NoMethodError",
        format!("undefined method `{name}' for {shown}:{class}"),
    )
}

/// What `register_type` does with the definition.
pub fn as_library(definition: &Value, version: Library) -> Registration {
    let mut warnings = Vec::new();
    let raised = register_type(definition, version, &mut warnings).err();
    Registration { raised, warnings }
}

/// What `register_transport` does with the schema, if none of its name is registered yet.
pub fn as_library_transport(schema: &Value, version: Library) -> Registration {
    let mut warnings = Vec::new();
    let raised = register_transport(schema, version, &mut warnings).err();
    Registration { raised, warnings }
}

fn register_type(definition: &Value, version: Library, warnings: &mut Vec<String>) -> Step {
    validate(
        definition,
        "attributes",
        "TypeDefinition",
        version,
        warnings,
    )?;
    let attributes = definition.get("attributes").unwrap_or(&Value::Undef);
    for name in RESERVED.into_iter().filter(|name| *name != TRIGGER) {
        if attributes.get(name).is_some() {
            let message = format!("must not define an attribute called `:{name}`");
            return Err(dev_error(message));
        }
    }
    if let Some(patterns) = definition.get("title_patterns")
        && patterns.as_array().is_none()
    {
        let class = patterns.class();
        let message = format!("`:title_patterns` must be an array, not `{class}`");
        return Err(dev_error(message));
    }
    validate_ensure(attributes)?;
    features(definition, version, warnings)?;
    constant(definition)?;
    behaviours(attributes)?;
    relations(definition)
}

fn register_transport(schema: &Value, version: Library, warnings: &mut Vec<String>) -> Step {
    if schema.as_hash().is_none() {
        let message = format!("requires a hash as schema, not `{}`", schema.class());
        return Err(dev_error(message));
    }
    for (key, message) in [
        ("name", "requires a `:name`"),
        ("desc", "requires `:desc`"),
        ("connection_info", "requires `:connection_info`"),
    ] {
        if schema.get(key).is_none() {
            return Err(dev_error(message));
        }
    }
    if let Some(info) = schema.get("connection_info")
        && info.as_hash().is_none()
    {
        let message = format!("`:connection_info` must be a hash, not `{}`", info.class());
        return Err(dev_error(message));
    }
    if let Some(order) = schema.get("connection_info_order")
        && !order.is_nil()
        && order.as_array().is_none()
    {
        let class = order.class();
        let message = format!("`:connection_info_order` must be an array, not `{class}`");
        return Err(dev_error(message));
    }
    validate(
        schema,
        "connection_info",
        "TransportSchemaDef",
        version,
        warnings,
    )
}

/// What both have in common.
fn validate(
    definition: &Value,
    key: &str,
    class: &str,
    version: Library,
    warnings: &mut Vec<String>,
) -> Step {
    let class = format!("Puppet::ResourceApi::{class}");
    if definition.as_hash().is_none() {
        let other = definition.class();
        return Err(dev_error(format!("{class} must be a Hash, not `{other}`")));
    }
    let Some(name) = definition.get("name") else {
        return Err(dev_error(format!("{class} must have a name")));
    };
    let name = name.to_text();
    let Some(attributes) = definition.get(key) else {
        // The message about it is broken.
        let message = match version {
            Library::V1_8_16 => "key{attr_key} not found",
            Library::V1_9_2 | Library::V2_0_1 => "key<attr_key> not found",
        };
        return Err(raise("KeyError", message));
    };
    let Some(pairs) = attributes.as_hash() else {
        let other = attributes.class();
        let message = format!("`{name}.{key}` must be a hash, not `{other}`");
        return Err(dev_error(message));
    };
    let has = |key: &str| definition.get(key).is_some();
    if has("docs") && definition.get("desc").is_some_and(Value::is_truthy) {
        let message = format!("`{name}` has both `desc` and `docs`, prefer using `desc`");
        return Err(dev_error(message));
    }
    if !has("desc") && !has("docs") {
        warnings.push(format!(
            "`{name}` has no documentation, add it using a `desc` key"
        ));
    }
    for (key, attribute) in pairs {
        validate_attribute(&name, key, attribute, warnings)?;
    }
    Ok(())
}

fn validate_attribute(
    name: &str,
    key: &Value,
    attribute: &Value,
    warnings: &mut Vec<String>,
) -> Step {
    if key.as_symbol() == Some(TRIGGER) {
        return Err(dev_error(
            "`rsapi_custom_insync_trigger` cannot be specified as an attribute; it is reserved \
             for propertyless types with the custom_insync feature",
        ));
    }
    let key = key.to_text();
    if attribute.as_hash().is_none() {
        let class = attribute.class();
        return Err(dev_error(format!(
            "`{name}.{key}` must be a Hash, not a {class}"
        )));
    }
    let Some(own) = attribute.get("type") else {
        return Err(dev_error(format!("`{name}.{key}` has no type")));
    };
    if attribute.get("desc").is_none() {
        warnings.push(format!(
            "`{name}.{key}` has no documentation, add it using a `desc` key"
        ));
    }
    parse_type(&key, own)?;
    let truthy = |key: &str| attribute.get(key).is_some_and(Value::is_truthy);
    if truthy("behavior") && truthy("behaviour") {
        return Err(dev_error(format!(
            "the '{key}' attribute has both a `behavior` and a `behaviour`, only use one"
        )));
    }
    Ok(())
}

fn parse_type(key: &str, own: &Value) -> Result<Type, Raised> {
    let Some(text) = own.as_str() else {
        return Err(no_method("getbyte", own));
    };
    parse(text).map_err(|error| {
        let message = error.message;
        let head = format!("The type of the `{key}` attribute `{text}`");
        match error.class {
            ErrorClass::Syntax => dev_error(format!("{head} could not be parsed: {message}")),
            ErrorClass::NoType => dev_error(format!("{head} is not recognised: {message}")),
            other => raise(other.name(), message),
        }
    })
}

fn validate_ensure(attributes: &Value) -> Step {
    let Some(ensure) = attributes.get("ensure") else {
        return Ok(());
    };
    let own = parse_type("ensure", ensure.get("type").unwrap_or(&Value::Undef))?;
    if is_ensure_type(&own) {
        return Ok(());
    }
    Err(dev_error(
        "`:ensure` attribute must have a type of: `Enum[present, absent]` or \
         `Optional[Enum[present, absent]]`",
    ))
}

fn features(definition: &Value, version: Library, warnings: &mut Vec<String>) -> Step {
    let given = match definition.get("features") {
        Some(given) if given.is_truthy() => given,
        _ => return Ok(()),
    };
    let Some(items) = given.as_array() else {
        return Err(match given {
            Value::Integer(_) | Value::Float(_) => {
                raise("TypeError", "Array can't be coerced into Integer")
            }
            other => no_method("-", other),
        });
    };
    let known = |item: &&Value| {
        let known = super::FEATURES.contains(&item.as_str().unwrap_or_default());
        known && (version >= Library::V1_9_2 || item.as_str() != Some("custom_generate"))
    };
    let unknown: Vec<Value> = items.iter().filter(|item| !known(item)).cloned().collect();
    if !unknown.is_empty() {
        let shown = Value::Array(unknown).inspect();
        warnings.push(format!("Unknown feature detected: {shown}"));
    }
    Ok(())
}

/// A module of the type's name is made for its provider.
fn constant(definition: &Value) -> Step {
    let value = definition.get("name").unwrap_or(&Value::Undef);
    let name = class_name(&value.to_text());
    if !is_constant_name(&name) {
        return Err(raise("NameError", format!("wrong constant name {name}")));
    }
    match value {
        Value::String(_) | Value::Symbol(_) => Ok(()),
        other => Err(no_method("to_sym", other)),
    }
}

fn behaviours(attributes: &Value) -> Step {
    for (_, attribute) in attributes.as_hash().unwrap_or_default() {
        let set = |key: &str| attribute.get(key).filter(|value| value.is_truthy());
        if let Some(value) = set("behaviour").or(set("behavior"))
            && value
                .as_symbol()
                .is_none_or(|name| super::Behaviour::of(name).is_none())
        {
            let message = format!("`{}` is not a valid behaviour value", value.to_text());
            return Err(raise("Puppet::ResourceError", message));
        }
        let read_only = set("behaviour")
            .or(set("behavior"))
            .and_then(Value::as_symbol);
        if read_only != Some("read_only") && attribute.get("default").is_some_and(has_proc) {
            return Err(raise(
                "TypeError",
                "no _dump_data is defined for class Proc",
            ));
        }
    }
    Ok(())
}

/// A default is copied, which code cannot be.
fn has_proc(value: &Value) -> bool {
    match value {
        Value::Proc(_) => true,
        Value::Array(items) => items.iter().any(has_proc),
        Value::Hash(pairs) => pairs
            .iter()
            .any(|(key, value)| has_proc(key) || has_proc(value)),
        Value::Sensitive(inner) => has_proc(inner),
        _ => false,
    }
}

fn relations(definition: &Value) -> Step {
    for auto in Auto::ALL {
        let Some(given) = definition.get(auto.key()).filter(|one| one.is_truthy()) else {
            continue;
        };
        let keys: Vec<&Value> = match given {
            Value::Hash(pairs) => pairs.iter().map(|(key, _)| key).collect(),
            // The first element of a list stands for the type.
            Value::Array(items) => items
                .iter()
                .map(|item| match item {
                    Value::Array(inner) => inner.first().unwrap_or(&Value::Undef),
                    other => other,
                })
                .collect(),
            other => return Err(no_method("each", other)),
        };
        for key in keys {
            if !matches!(key, Value::String(_) | Value::Symbol(_)) {
                return Err(no_method("downcase", key));
            }
        }
    }
    Ok(())
}
