//! Questions of hosts, which wait for the answer in the middle of a request.

use puppet_types::definition::{Library, as_library_transport};
use puppet_types::{Aliases, Definition, Value};
use stickler_rpc::{Notification, notification_line};

/// The line that answers a notification, if it is a question: `connecting` asks whether a
/// `connection_info` is one for a schema, `checking` whether a row is one for a type, `registering` whether the
/// library takes a schema. The answer follows from the question alone.
pub fn reply(line: &[u8]) -> Option<Vec<u8>> {
    let is_in = |name: &[u8]| memchr::memmem::find(line, name).is_some();
    let questions = [&b"\"connecting\""[..], b"\"checking\"", b"\"registering\""];
    if !questions.into_iter().any(is_in) {
        return None;
    }
    let asked = Notification::read(line)?;
    let params = match &*asked.method {
        "connecting" => connecting(&asked),
        "checking" => checking(&asked),
        "registering" => registering(&asked),
        _ => return None,
    };
    Some(notification_line(&asked.method, &params.encode()))
}

fn param(asked: &Notification, key: &str) -> Option<Value> {
    Value::from_json(asked.params.get(key)?.clone(), 0).ok()
}

/// What is wrong with a row, in the words of the library.
fn checking(asked: &Notification) -> Value {
    let misfits = match (param(asked, "schema"), param(asked, "resource")) {
        (Some(schema), Some(row)) => {
            let aliases = Aliases::default().open();
            let definition = Definition::of_type_with(&schema, &aliases);
            definition.misfits(&row, true).unwrap_or_default()
        }
        _ => Default::default(),
    };
    let list = |lines: Vec<String>| Value::Array(lines.into_iter().map(Value::string).collect());
    Value::hash([("unknown", list(misfits.0)), ("wrong", list(misfits.1))])
}

/// What the library does with the schema of a transport.
fn registering(asked: &Notification) -> Value {
    let runtime = asked.text("runtime").unwrap_or_default();
    let library = Library::named(&runtime).unwrap_or(Library::V2_0_1);
    let schema = param(asked, "schema").unwrap_or(Value::Undef);
    let registration = as_library_transport(&schema, library);
    let warnings = registration.warnings.into_iter().map(Value::string);
    let raised = registration.raised.as_ref();
    Value::hash([
        ("warnings", Value::Array(warnings.collect())),
        (
            "refused",
            refused(raised.map(|one| (&*one.class, &*one.message))),
        ),
    ])
}

fn refused(raised: Option<(&str, &str)>) -> Value {
    raised.map_or(Value::Undef, |(class, message)| {
        Value::hash([
            ("class", Value::string(class)),
            ("message", Value::string(message)),
        ])
    })
}

/// What refuses a `connection_info`.
fn connecting(asked: &Notification) -> Value {
    let raised = match (param(asked, "schema"), param(asked, "connection_info")) {
        (Some(schema), Some(info)) => {
            // Aliases of modules are not part of the question.
            let aliases = Aliases::default().open();
            Definition::of_transport_with(&schema, &aliases).refuses_connection(&info)
        }
        // What cannot be read is not judged.
        _ => None,
    };
    let answer = raised.map(|one| (one.class, one.message));
    let answer = answer.as_ref();
    let answer = refused(answer.map(|(class, message)| (&**class, &**message)));
    Value::hash([("refused", answer)])
}

#[cfg(test)]
mod tests {
    use super::reply;

    fn answered(method: &str, params: &str) -> Option<String> {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let answer = reply(line.as_bytes())?;
        Some(String::from_utf8_lossy(&answer).trim_end().to_owned())
    }

    #[test]
    fn rows_are_checked_against_their_type() {
        let schema =
            r#"{"name":"t","attributes":{"name":{"type":"String"},"v":{"type":"Integer"}}}"#;
        let ask = |row: &str| {
            let params = format!(r#"{{"schema":{schema},"resource":{row}}}"#);
            answered("checking", &params).expect("an answer")
        };
        assert!(ask(r#"{"name":"a","v":1,"title":"a"}"#).contains(r#""unknown":[],"wrong":[]"#));
        let misfit = ask(r#"{"name":"a","v":"x","z":1}"#);
        assert!(misfit.contains(r#""unknown":["z"]"#), "{misfit}");
        assert!(
            misfit.contains("v: x (expects an Integer value, got String)"),
            "{misfit}"
        );
        // What cannot be read is not judged.
        assert!(
            answered("checking", "{}")
                .expect("an answer")
                .contains(r#""wrong":[]"#)
        );
    }

    #[test]
    fn schemas_of_transports_are_those_that_the_library_takes() {
        let ask = |schema: &str| {
            let params = format!(r#"{{"schema":{schema},"runtime":"2.0.1"}}"#);
            answered("registering", &params).expect("an answer")
        };
        let sound =
            r#"{"name":"t","desc":"d","connection_info":{"host":{"type":"String","desc":"d"}}}"#;
        assert!(ask(sound).contains(r#""refused":null"#));
        assert!(ask(&sound.replace(r#","desc":"d"}}"#, "}}")).contains("has no documentation"));
        assert!(ask(&sound.replacen(r#""desc":"d","#, "", 1)).contains("requires `:desc`"));
        assert!(ask(&sound.replace("String", "Zork[")).contains("Puppet::"));
        assert!(ask("null").contains("refused"));
    }

    #[test]
    fn other_notifications_are_no_questions() {
        assert_eq!(answered("log", r#"{"event":"checking"}"#), None);
        assert_eq!(
            answered("log", r#"{"event":"log","arguments":["connecting"]}"#),
            None
        );
    }
}
