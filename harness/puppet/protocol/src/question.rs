//! Questions of hosts, which wait for the answer in the middle of a request.

use puppet_types::{Aliases, Definition, Value};
use stickler_rpc::{Notification, notification_line};

/// The line that answers a notification, if it is a question: `connecting` asks whether a
/// `connection_info` is one for a schema. The answer follows from the question alone.
pub fn reply(line: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(line, b"\"connecting\"")?;
    let asked = Notification::read(line).filter(|asked| asked.method == "connecting")?;
    let param = |key: &str| Value::from_json(asked.params.get(key)?.clone(), 0).ok();
    let refused = match (param("schema"), param("connection_info")) {
        (Some(schema), Some(info)) => {
            // Aliases of modules are not part of the question.
            let aliases = Aliases::default().open();
            Definition::of_transport_with(&schema, &aliases).refuses_connection(&info)
        }
        // What cannot be read is not judged.
        _ => None,
    };
    let answer = match refused {
        Some(raised) => Value::hash([
            ("class", Value::string(raised.class)),
            ("message", Value::string(raised.message)),
        ]),
        None => Value::Undef,
    };
    let params = Value::hash([("refused", answer)]);
    Some(notification_line("connecting", &params.encode()))
}
