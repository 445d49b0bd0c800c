//! Values as evaluation knows them: texts, lists, calls and containers.

use crate::data::Data;
use std::rc::Rc;

/// A text. Bytes that are no UTF-8 travel as [`cfengine_policy::text`] has it.
pub type Text = Rc<str>;

/// The right-hand side of an attribute, before and after it is expanded.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text, its variables not necessarily expanded.
    Scalar(Text),
    /// A list; its items are scalars and calls.
    List(Rc<Vec<Value>>),
    /// A call that is yet to be evaluated, or that could not be.
    Call(Rc<Call>),
    /// A container.
    Data(Rc<Data>),
}

/// A function, or a body or bundle with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub name: Text,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

impl Value {
    /// A scalar of a text.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Scalar(text.into())
    }

    /// A list of texts.
    pub fn texts<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(Rc::new(items.into_iter().map(Value::text).collect()))
    }

    /// A container.
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

    /// The value as a container.
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

    /// The value as log lines show it, strings in quotes where asked for.
    pub fn show(&self, quoted: bool) -> String {
        match self {
            Self::Scalar(text) if quoted => format!("\"{}\"", text.replace('"', "\\\"")),
            Self::Scalar(text) => text.replace('"', "\\\""),
            // One without items is none for the agent.
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

/// What a variable was declared as.
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
    /// What functions come to that tell whether something holds.
    Class,
}

impl Kind {
    /// The kind of a value that no promise gives another.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Data(_) => Self::Data,
            Value::List(_) => Self::StringList,
            _ => Self::String,
        }
    }

    /// The kind that a word names, as `vars` promises do.
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

    /// The word.
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

    /// Whether it is one of the lists.
    pub fn is_list(self) -> bool {
        matches!(self, Self::StringList | Self::IntList | Self::RealList)
    }

    /// Whether promises are iterated over it.
    pub fn is_iterable(self) -> bool {
        self.is_list() || self == Self::Data
    }

    /// Whether a value has the form that the kind asks for.
    pub fn fits(self, value: &Value) -> bool {
        match value {
            Value::Scalar(_) => !self.is_iterable(),
            Value::List(_) => self.is_list(),
            Value::Data(_) => self == Self::Data,
            Value::Call(_) => false,
        }
    }
}
