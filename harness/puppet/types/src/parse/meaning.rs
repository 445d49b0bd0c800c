//! What a tree means: a type, or why it is none.

mod limits;
mod words;

use super::tree::{Node, Spanned};
use super::{ErrorClass, ParseError, scope::Scope};
use crate::names::lower_name;
use crate::regex::{Fault, Pattern};
use crate::types::{FloatRange, Kind, Member, Parameter, Range, Rare, Text, Type};
use crate::value::Value;
use num_bigint::BigInt;

use limits::{Bound, bound, is_limit};
use words::{class_of, named, number, type_of};

type Read<T> = Result<T, ParseError>;

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) scope: &'t Scope<'t>,
}

impl Reader<'_> {
    pub(super) fn whole(&self, program: &Spanned) -> Read<Type> {
        match self.parameter(program)? {
            Parameter::Type(own) => Ok(own),
            _ => Err(self.no_type(program)),
        }
    }

    /// The name and the target of a definition, if the program is one.
    pub(super) fn definition(&self, program: &Spanned) -> Read<(String, Type)> {
        match &program.node {
            Node::Alias(name, target) => Ok(((*name).to_owned(), self.whole(target)?)),
            _ => Err(self.error(ErrorClass::NoType, "it defines no alias", program)),
        }
    }

    /// What a single name stands for.
    fn named(&self, name: &str) -> Type {
        match named(name) {
            Type::Reference(text) => match self.scope.resolve(&text) {
                Some(found) => found,
                None => Type::Reference(text),
            },
            known => known,
        }
    }

    fn error(&self, class: ErrorClass, message: impl Into<String>, at: &Spanned) -> ParseError {
        ParseError::new(class, message, self.text, at.span.start)
    }

    fn no_type(&self, at: &Spanned) -> ParseError {
        let shown = &self.text[at.span.clone()];
        let message = format!("The expression <{shown}> is not a valid type specification.");
        self.error(ErrorClass::NoType, message, at)
    }

    fn count(&self, name: &str, required: &str, given: usize, at: &Spanned) -> ParseError {
        let message = format!(
            "Invalid number of type parameters specified: {name} requires {required}, \
             {given} provided"
        );
        self.error(ErrorClass::NoType, message, at)
    }

    fn parameter(&self, tree: &Spanned) -> Read<Parameter> {
        let value = |value| Ok(Parameter::Value(value));
        match &tree.node {
            Node::Reference(name) => Ok(Parameter::Type(self.named(name))),
            Node::Access(left, parameters) => self.access(tree, left, parameters),
            Node::Text(text) => value(Value::string(text.as_str())),
            Node::Number(digits) => value(number(digits)),
            Node::Bool(own) => value(Value::Bool(*own)),
            Node::Default => value(Value::symbol("default")),
            Node::Undef => value(Value::Undef),
            Node::Regexp(source) => value(Value::Regexp {
                source: source.clone(),
                options: String::new(),
            }),
            Node::List(items) => {
                let items = items.iter().map(|item| self.parameter(item));
                Ok(Parameter::List(items.collect::<Read<_>>()?))
            }
            Node::Hash(pairs) => {
                let mut all: Vec<(Parameter, Parameter)> = Vec::new();
                for (key, value) in pairs {
                    let (key, value) = (self.parameter(key)?, self.parameter(value)?);
                    match all.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) => *known = value,
                        None => all.push((key, value)),
                    }
                }
                Ok(Parameter::Hash(all))
            }
            Node::Minus(inner) => match self.parameter(inner)? {
                Parameter::Value(Value::Integer(number)) => value(Value::Integer(-number)),
                Parameter::Value(Value::Float(number)) => value(Value::Float(-number)),
                // Ruby freezes a string that is negated.
                Parameter::Value(text @ Value::String(_)) => value(text),
                _ => Err(self.error(ErrorClass::NoMethod, "undefined method `-@'", tree)),
            },
            Node::Alias(_, target) => {
                let target = self.parameter(target)?;
                if !matches!(target, Parameter::Type(_)) {
                    return Err(self.no_type(tree));
                }
                Ok(Parameter::Type(Type::Rare(Rare {
                    kind: Kind::TypeAlias,
                    parameters: vec![target],
                })))
            }
            Node::Other => Err(self.no_type(tree)),
        }
    }

    fn access(&self, at: &Spanned, left: &Spanned, trees: &[Spanned]) -> Read<Parameter> {
        let parameters: Vec<Parameter> = trees
            .iter()
            .map(|tree| self.parameter(tree))
            .collect::<Read<_>>()?;
        let Node::Reference(name) = &left.node else {
            return Err(self.no_type(at));
        };
        // Puppet forgets to refuse such a parameter, and is left with nothing.
        let lower = lower_name(name);
        let is_number = matches!(lower.as_str(), "integer" | "float");
        let fits = |one: &Parameter| match one {
            Parameter::Value(Value::Integer(_) | Value::Symbol(_)) => true,
            Parameter::Value(Value::Float(_)) => lower == "float",
            _ => false,
        };
        if is_number && parameters.len() == 1 && !parameters.iter().all(fits) {
            return Ok(Parameter::Value(Value::Undef));
        }
        self.typed(at, left, &lower, parameters)
            .map(Parameter::Type)
    }

    fn typed(
        &self,
        at: &Spanned,
        left: &Spanned,
        lower: &str,
        mut given: Vec<Parameter>,
    ) -> Read<Type> {
        let count = given.len();
        let wrong = |name: &str, required: &str| Err(self.count(name, required, count, at));
        match lower {
            "array" => match (count, given.as_slice()) {
                (1, [element]) => Ok(Type::array(self.type_in(element, at)?, None)),
                (2, [Parameter::Type(element), size]) => {
                    let size = self.size(std::slice::from_ref(size), at)?;
                    Ok(Type::array(element.clone(), Some(size)))
                }
                // The element type of such an array is a mistake of Puppet's.
                (2, sizes) => Ok(Type::array(Type::Default, Some(self.sizes(sizes, at)?))),
                (3, [element, sizes @ ..]) => {
                    let element = self.type_in(element, at)?;
                    Ok(Type::array(element, Some(self.sizes(sizes, at)?)))
                }
                _ => wrong("Array", "1 to 3"),
            },
            "hash" => match (count, given.as_slice()) {
                (2, [Parameter::Type(key), Parameter::Type(value)]) => {
                    Ok(Type::hash(key.clone(), value.clone(), None))
                }
                (2, sizes) => {
                    let sizes = self.sizes(sizes, at)?;
                    Ok(Type::hash(Type::Default, Type::Default, Some(sizes)))
                }
                (3 | 4, [key, value, sizes @ ..]) => {
                    let early = if count == 3 {
                        Some(self.size(sizes, at)?)
                    } else {
                        sizes.iter().try_for_each(|one| self.check_limit(one, at))?;
                        None
                    };
                    let (key, value) = (self.type_in(key, at)?, self.type_in(value, at)?);
                    let size = match early {
                        Some(size) => size,
                        None => self.sizes(sizes, at)?,
                    };
                    Ok(Type::hash(key, value, Some(size)))
                }
                _ => wrong("Hash", "2 to 4"),
            },
            "collection" => match count {
                1 => Ok(Type::Collection(Some(self.size(&given, at)?.into_size()))),
                2 => Ok(Type::Collection(Some(self.sizes(&given, at)?.into_size()))),
                _ => wrong("Collection", "1 to 2"),
            },
            "string" => match count {
                1 => Ok(Type::String(Text::Size(self.size(&given, at)?.into_size()))),
                2 => Ok(Type::String(Text::Size(
                    self.sizes(&given, at)?.into_size(),
                ))),
                _ => wrong("String", "1 to 2"),
            },
            "integer" => match given.as_slice() {
                [Parameter::Value(Value::Integer(from))] => {
                    Ok(Type::Integer(Range::at_least(from.clone())))
                }
                [Parameter::Value(Value::Symbol(_))] => Ok(Type::INTEGER),
                [_] => Err(self.no_type(at)),
                [from, to] => {
                    self.compared(from, to, at)?;
                    let (from, to) = (bound(from, f64::ceil), bound(to, f64::floor));
                    Ok(Type::Integer(self.range(from, to, at)?))
                }
                _ => wrong("Integer", "1 or 2"),
            },
            "float" => match given.as_slice() {
                [Parameter::Value(Value::Symbol(_))] => Ok(Type::FLOAT),
                [from @ Parameter::Value(Value::Integer(_) | Value::Float(_))] => {
                    let from = self.float(from, f64::NEG_INFINITY, at)?;
                    Ok(Type::Float(FloatRange {
                        from,
                        to: f64::INFINITY,
                    }))
                }
                [_] => Err(self.no_type(at)),
                [from, to] => {
                    let from = self.float(from, f64::NEG_INFINITY, at)?;
                    let to = self.float(to, f64::INFINITY, at)?;
                    if from > to {
                        let shown = (Value::Float(from).inspect(), Value::Float(to).inspect());
                        return Err(self.upside_down(&shown.0, &shown.1, at));
                    }
                    Ok(Type::Float(FloatRange { from, to }))
                }
                _ => wrong("Float", "1 or 2"),
            },
            "enum" => {
                let mut insensitive = false;
                if let Some(Parameter::Value(Value::Bool(last))) = given.last() {
                    insensitive = *last;
                    given.pop();
                }
                if given.is_empty() {
                    return Err(self.count("Enum", "1 or more", 0, at));
                }
                let text = |one: Parameter| match one {
                    Parameter::Value(Value::String(text)) => Some(text),
                    _ => None,
                };
                let values: Option<Vec<String>> = given.into_iter().map(text).collect();
                let message = "Enum parameters must be identifiers or strings";
                values
                    .map(|values| Type::enumeration(values, insensitive))
                    .ok_or_else(|| self.error(ErrorClass::NoType, message, at))
            }
            "pattern" => {
                let mut patterns: Vec<Pattern> = Vec::new();
                for one in &given {
                    for pattern in self.patterns(one, at)? {
                        if !patterns.contains(&pattern) {
                            patterns.push(pattern);
                        }
                    }
                }
                Ok(Type::Pattern(patterns))
            }
            "regexp" => match given.as_slice() {
                [one @ Parameter::Value(Value::Regexp { .. } | Value::String(_))] => {
                    Ok(Type::Regexp(self.patterns(one, at)?.pop()))
                }
                [Parameter::Value(Value::Undef | Value::Bool(false))] => Ok(Type::Regexp(None)),
                [_] => Err(self.error(ErrorClass::Type, "no implicit conversion into String", at)),
                _ => wrong("Regexp", "1"),
            },
            "boolean" => match given.as_slice() {
                [Parameter::Value(Value::Bool(own))] => Ok(Type::Boolean(Some(*own))),
                [_] => {
                    let message = "Boolean parameter must be true or false";
                    Err(self.error(ErrorClass::NoType, message, at))
                }
                _ => wrong("Boolean", "1"),
            },
            "variant" => {
                let types: Read<Vec<Type>> =
                    given.iter().map(|one| self.type_in(one, at)).collect();
                Ok(Type::variant(types?))
            }
            "optional" | "notundef" => {
                let [one] = given.as_slice() else {
                    return if lower == "optional" {
                        wrong("Optional", "1")
                    } else {
                        wrong("NotUndef", "0 to 1")
                    };
                };
                let inner = match one {
                    Parameter::Value(Value::String(text)) => {
                        Type::String(Text::Value(text.clone()))
                    }
                    one => self.type_in(one, at)?,
                };
                Ok(if lower == "optional" {
                    Type::optional(inner)
                } else {
                    Type::not_undef(inner)
                })
            }
            "sensitive" => match given.as_slice() {
                [one] => Ok(Type::sensitive(Some(&self.type_in(one, at)?))),
                _ => wrong("Sensitive", "0 to 1"),
            },
            "type" | "iterable" | "iterator" => {
                let [one] = given.as_slice() else {
                    let name = match lower {
                        "type" => "Type",
                        "iterable" => "Iterable",
                        _ => "Iterator",
                    };
                    return wrong(name, "1");
                };
                let inner = Some(Box::new(self.type_in(one, at)?));
                Ok(match lower {
                    "type" => Type::Type(inner),
                    "iterable" => Type::Iterable(inner),
                    _ => Type::Iterator(inner),
                })
            }
            "struct" => match given.as_slice() {
                [Parameter::Hash(pairs)] => {
                    let members = pairs.iter().map(|(key, value)| self.member(key, value, at));
                    Ok(Type::Struct(members.collect::<Read<_>>()?))
                }
                [_] => Err(self.no_type(at)),
                _ => wrong("Struct", "1"),
            },
            "tuple" => self.tuple(given, at),
            "runtime" => match given.as_slice() {
                [runtime, class] => {
                    let text = |one: &Parameter| match one {
                        Parameter::Value(Value::String(text)) if !text.is_empty() => {
                            Ok(Some(text.clone()))
                        }
                        Parameter::Value(Value::Undef) => Ok(None),
                        _ => Err(self.error(
                            ErrorClass::Assertion,
                            "Runtime 'runtime' has wrong type, expects a String value",
                            at,
                        )),
                    };
                    let (runtime, class) = (text(runtime)?, text(class)?);
                    Ok(Type::Runtime { runtime, class })
                }
                _ => wrong("Runtime", "2"),
            },
            "class" => match given.as_slice() {
                [Parameter::Value(Value::String(name))] => {
                    let name = name.strip_prefix("::").unwrap_or(name);
                    Ok(Type::Class(Some(name.to_owned())))
                }
                [Parameter::Value(Value::Undef)] => Ok(Type::Class(None)),
                [_] => Err(self.error(ErrorClass::NoMethod, "undefined method `sub'", at)),
                _ => wrong("Class", "1"),
            },
            "resource" => self.resource(&given, at),
            "any"
            | "data"
            | "catalogentry"
            | "scalar"
            | "undef"
            | "numeric"
            | "default"
            | "semverrange"
            | "scalardata"
            | "binary"
            | "richdata"
            | "richdatakey"
            | "typereference"
            | "typealias"
            | "puppet::lookupkey"
            | "puppet::lookupvalue" => {
                let shown = &self.text[left.span.clone()];
                let message = format!("Not a parameterized type <{shown}>");
                Err(self.error(ErrorClass::NoType, message, at))
            }
            "object" | "typeset" if count != 1 => wrong("Object", "1"),
            "uri" if count != 1 => wrong("URI", "1"),
            "timespan" if count > 2 => wrong("Timespan", "0 to 2"),
            "timestamp" if count > 2 => wrong("Timestamp", "0 to 2"),
            "init" => {
                if let Some(first) = given.first() {
                    self.type_in(first, at)?;
                }
                Ok(rare(Kind::Init, given))
            }
            "object" => Ok(rare(Kind::Object, given)),
            "typeset" => Ok(rare(Kind::TypeSet, given)),
            "uri" => Ok(rare(Kind::Uri, given)),
            "timespan" => Ok(rare(Kind::Timespan, given)),
            "timestamp" => Ok(rare(Kind::Timestamp, given)),
            "semver" => Ok(rare(Kind::SemVer, given)),
            "callable" => Ok(rare(Kind::Callable, given)),
            _ => match self.scope.resolve(&self.text[left.span.clone()]) {
                Some(Type::Alias(_)) => {
                    let shown = &self.text[left.span.clone()];
                    let message = format!("Not a parameterized type <{shown}>");
                    Err(self.error(ErrorClass::NoType, message, at))
                }
                Some(other) => Ok(other),
                // The text as it was written, with its parameters.
                None => Ok(Type::Reference(self.text[at.span.clone()].to_owned())),
            },
        }
    }

    fn type_in(&self, parameter: &Parameter, at: &Spanned) -> Read<Type> {
        match parameter {
            Parameter::Type(own) => Ok(own.clone()),
            _ => Err(self.no_type(at)),
        }
    }

    fn patterns(&self, parameter: &Parameter, at: &Spanned) -> Read<Vec<Pattern>> {
        match parameter {
            Parameter::Value(value @ (Value::String(_) | Value::Regexp { .. })) => {
                let pattern = Pattern::of(value).unwrap_or_else(|| Pattern::new(""));
                match pattern.fault() {
                    Some(Fault::Invalid(message)) => {
                        Err(self.error(ErrorClass::Regexp, message.clone(), at))
                    }
                    _ => Ok(vec![pattern]),
                }
            }
            Parameter::Type(Type::Regexp(Some(pattern))) => Ok(vec![pattern.clone()]),
            Parameter::Type(Type::Regexp(None)) => Ok(vec![Pattern::new("")]),
            Parameter::Type(Type::Pattern(patterns)) => Ok(patterns.clone()),
            other => {
                let class = class_of(other);
                let message = format!(
                    "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '{class}"
                );
                Err(self.error(ErrorClass::Argument, message, at))
            }
        }
    }

    fn member(&self, key: &Parameter, value: &Parameter, at: &Spanned) -> Read<Member> {
        let value = type_of(value);
        let literal = |inner: Option<&Type>| match inner {
            Some(Type::String(Text::Value(name))) => Some(name.clone()),
            _ => None,
        };
        let (name, optional) = match key {
            Parameter::Value(Value::String(name)) if name.is_empty() => {
                let message = "Struct element key cannot be an empty String";
                return Err(self.error(ErrorClass::Argument, message, at));
            }
            Parameter::Value(Value::String(name)) => (Some(name.clone()), value.accepts_undef()),
            Parameter::Type(Type::Optional(inner)) => (literal(inner.as_deref()), true),
            Parameter::Type(Type::NotUndef(inner)) => (literal(inner.as_deref()), false),
            Parameter::Type(Type::Enum { .. } | Type::String(_)) => (None, false),
            _ => {
                let message = format!(
                    "Illegal Struct member key type. Expected NotUndef, Optional, String, or \
                     Enum. Got: {}",
                    class_of(key)
                );
                return Err(self.error(ErrorClass::Argument, message, at));
            }
        };
        // Puppet means to say what is wrong here, and fails at that.
        let name =
            name.ok_or_else(|| self.error(ErrorClass::NoMethod, "undefined method `string'", at))?;
        Ok(Member {
            name,
            optional,
            value,
        })
    }

    fn tuple(&self, mut given: Vec<Parameter>, at: &Spanned) -> Read<Type> {
        let count = given.len();
        let mut size = None;
        let from = |one: &Parameter| match one {
            Parameter::Value(Value::Integer(number)) => Bound::At(number.clone()),
            _ => Bound::At(BigInt::ZERO),
        };
        if count >= 2 && is_limit(&given[count - 2]) {
            self.check_limit(&given[count - 1], at)?;
            let to = self.limit(&given[count - 1], false, at)?;
            size = Some(self.range(from(&given[count - 2]), to, at)?);
            given.truncate(count - 2);
        } else if count >= 1 && is_limit(&given[count - 1]) {
            size = Some(self.range(from(&given[count - 1]), Bound::Open, at)?);
            given.truncate(count - 1);
        }
        Ok(Type::tuple(given.iter().map(type_of).collect(), size))
    }

    fn resource(&self, given: &[Parameter], at: &Spanned) -> Read<Type> {
        let (name, mut title) = match given.first() {
            Some(Parameter::Value(Value::String(name))) => (name.clone(), None),
            Some(Parameter::Type(Type::Reference(text))) => match text.split_once('[') {
                None => (text.clone(), None),
                Some((name, rest)) => {
                    let rest = rest.trim_end_matches(']').trim_matches(['\'', '"']);
                    (name.to_owned(), Some(rest.to_owned()))
                }
            },
            Some(Parameter::Type(Type::Resource { name, title })) => {
                (name.clone().unwrap_or_default(), title.clone())
            }
            _ => {
                let message = "The type name cannot be of this class";
                return Err(self.error(ErrorClass::Argument, message, at));
            }
        };
        match given {
            [_] => {}
            [_, Parameter::Value(value)] => title = Some(value.to_text()),
            _ => return Err(self.count("Resource", "1 or 2", given.len(), at)),
        }
        let segments: Vec<String> = name
            .split("::")
            .map(|segment| {
                let mut characters = segment.chars();
                let first = characters.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(characters).collect()
            })
            .collect();
        Ok(Type::Resource {
            name: Some(segments.join("::")),
            title,
        })
    }
}

fn rare(kind: Kind, parameters: Vec<Parameter>) -> Type {
    Type::Rare(Rare { kind, parameters })
}
