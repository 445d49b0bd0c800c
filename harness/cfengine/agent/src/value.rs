//! Values during evaluation: texts, lists, calls and containers.

use crate::data::Data;
use std::rc::Rc;

/// A text. [`cfengine_policy::text`] encodes bytes that are no UTF-8.
pub type Text = Rc<str>;

/// The right-hand side of an attribute, before and after it is expanded.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text; its variables may not be expanded yet.
    Scalar(Text),
    /// A list; its items are scalars and calls.
    List(Rc<Vec<Value>>),
    /// A call that is not evaluated yet, or that failed.
    Call(Rc<Call>),
    /// A container.
    Data(Rc<Data>),
}

/// A function, or a body or bundle with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name.
    pub name: Text,
    /// The arguments.
    pub arguments: Vec<Value>,
}

impl Value {
    /// Creates a scalar.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Scalar(text.into())
    }

    /// Creates a list of texts.
    pub fn texts<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(Rc::new(items.into_iter().map(Value::text).collect()))
    }

    /// Creates a container.
    pub fn data(data: Data) -> Self {
        Self::Data(Rc::new(data))
    }

    /// The text of a scalar.
    pub fn scalar(&self) -> Option<&Text> {
        match self {
            Self::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Converts the value to a container.
    pub fn to_data(&self) -> Data {
        match self {
            Self::Scalar(text) => Data::String(text.clone()),
            Self::List(items) => Data::Array(items.iter().map(Value::to_data).collect()),
            Self::Data(data) => Data::clone(data),
            Self::Call(call) => {
                let arguments = call.arguments.iter().map(Value::to_data).collect();
                let name = (Text::from("name"), Data::String(call.name.clone()));
                let arguments = (Text::from("arguments"), Data::Array(arguments));
                Data::Object([name, arguments].into_iter().collect())
            }
        }
    }

    /// The value as log lines show it, optionally with strings in quotes.
    pub fn show(&self, quoted: bool) -> String {
        match self {
            Self::Scalar(text) if quoted => format!("\"{}\"", text.replace('"', "\\\"")),
            Self::Scalar(text) => text.replace('"', "\\\""),
            // cf-agent shows nothing for an empty list.
            Self::List(items) if items.is_empty() => String::new(),
            Self::List(items) => show_list(items),
            Self::Call(call) => call.show(),
            Self::Data(data) => data.pretty(),
        }
    }
}

/// A list as log lines show it.
pub fn show_list(items: &[Value]) -> String {
    let items: Vec<_> = items.iter().map(|item| item.show(true)).collect();
    format!(" {{{}}}", items.join(","))
}

impl Call {
    /// The call as log lines show it.
    pub fn show(&self) -> String {
        let arguments: Vec<_> = self.arguments.iter().map(|item| item.show(true)).collect();
        format!("{}({})", self.name, arguments.join(","))
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `string`
    String,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `slist`
    StringList,
    /// `ilist`
    IntList,
    /// `rlist`
    RealList,
    /// `data`
    Data,
    /// The result type of functions that return a class.
    Class,
}

impl Kind {
    /// The default type of a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Data(_) => Self::Data,
            Value::List(_) => Self::StringList,
            _ => Self::String,
        }
    }

    /// The type of this name in a `vars` promise.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "string" => Self::String,
            "int" => Self::Int,
            "real" => Self::Real,
            "slist" => Self::StringList,
            "ilist" => Self::IntList,
            "rlist" => Self::RealList,
            "data" => Self::Data,
            _ => return None,
        })
    }

    /// The type's name.
    pub fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Real => "real",
            Self::StringList => "slist",
            Self::IntList => "ilist",
            Self::RealList => "rlist",
            Self::Data => "data",
            Self::Class => "context",
        }
    }

    /// Whether it is a list type.
    pub fn is_list(self) -> bool {
        matches!(self, Self::StringList | Self::IntList | Self::RealList)
    }

    /// Whether promises iterate over values of this type.
    pub fn is_iterable(self) -> bool {
        self.is_list() || self == Self::Data
    }

    /// Whether a value is valid for the type.
    pub fn fits(self, value: &Value) -> bool {
        match value {
            Value::Scalar(_) => !self.is_iterable(),
            Value::List(_) => self.is_list(),
            Value::Data(_) => self == Self::Data,
            Value::Call(_) => false,
        }
    }
}
