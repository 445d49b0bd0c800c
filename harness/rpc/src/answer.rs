//! The answer to a request.

use stickler_json::Json;

/// The code with which hosts report that the subject failed. Other codes say that the host refused
/// the request.
const RAISED: i64 = 1;

/// A subject's failure as a dialect reads it: an exception, an error value.
pub trait Raised: Sized {
    /// The dialect's values, as results hold them.
    type Value;

    /// Reads the members `message` and `data` of an error.
    fn read(message: &Json, data: Option<&Json>) -> Self;

    /// Reads a value. `None` if it is none.
    fn value(json: &Json) -> Option<Self::Value>;
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<R> {
    /// The method returned.
    Result(Json),
    /// The subject failed.
    Failed(R),
    /// The host refused the request: a code of JSON-RPC, and why.
    Refused(i64, String),
    /// It is no answer of JSON-RPC; the text says why.
    Broken(&'static str),
}

impl<R: Raised> Answer<R> {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let Ok(message) = stickler_json::parse(line) else {
            return Answer::Broken("it is no JSON");
        };
        if let Some(result) = message.get("result") {
            return Answer::Result(result.clone());
        }
        let Some(error) = message.get("error") else {
            return Answer::Broken("it has neither a result nor an error");
        };
        let code = match error.get("code") {
            Some(Json::Number(number)) => number.parse().ok(),
            _ => None,
        };
        let (Some(code), Some(message)) = (code, error.get("message")) else {
            return Answer::Broken("its error has no code or no message");
        };
        match code {
            RAISED => Answer::Failed(R::read(message, error.get("data"))),
            code => Answer::Refused(code, text(message).unwrap_or_default()),
        }
    }

    /// A member of the result, read as a value of the dialect.
    pub fn value(&self, key: &str) -> Option<R::Value> {
        R::value(self.member(key)?)
    }
}

impl<R> Answer<R> {
    /// A member of the result.
    pub fn member(&self, key: &str) -> Option<&Json> {
        match self {
            Answer::Result(result) => result.get(key),
            _ => None,
        }
    }

    /// A member of the result that is text.
    pub fn text(&self, key: &str) -> Option<String> {
        text(self.member(key)?)
    }

    /// The failure, if the subject failed.
    pub fn failure(&self) -> Option<&R> {
        match self {
            Answer::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}

pub(crate) fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Words(String);

    impl Raised for Words {
        type Value = String;

        fn read(message: &Json, _: Option<&Json>) -> Self {
            Words(text(message).unwrap_or_default())
        }

        fn value(json: &Json) -> Option<String> {
            text(json)
        }
    }

    #[test]
    fn results_failures_and_refusals_are_told_apart() {
        let read = |line: &str| Answer::<Words>::read(line.as_bytes());
        let result = read(r#"{"id":1,"result":{"name":"x"}}"#);
        assert_eq!(result.value("name").as_deref(), Some("x"));
        let failed = read(r#"{"id":1,"error":{"code":1,"message":"no"}}"#);
        assert_eq!(failed, Answer::Failed(Words("no".to_owned())));
        let refused = read(r#"{"id":1,"error":{"code":-32601,"message":"no method"}}"#);
        assert_eq!(refused, Answer::Refused(-32601, "no method".to_owned()));
        for broken in ["", "{}", r#"{"error":{}}"#, r#"{"error":{"code":1}}"#] {
            assert!(matches!(read(broken), Answer::Broken(_)), "{broken}");
        }
    }
}
