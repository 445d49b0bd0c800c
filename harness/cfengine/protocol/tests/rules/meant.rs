//! Text that newer agents send byte by byte.

use cfengine_protocol::meant::{text, value};
use cfengine_protocol::wire::Value;

#[test]
fn bytes_that_arrived_as_characters_are_a_text_again() {
    for meant in ["é", "aäb", "日 𝔘", "\u{2028}"] {
        let arrived: String = meant.bytes().map(char::from).collect();
        assert_eq!(text(arrived.as_bytes()).as_deref(), Some(meant.as_bytes()));
    }
    for itself in ["plain", "é", "日", "ÿ"] {
        assert_eq!(text(itself.as_bytes()), None, "{itself}");
    }
    assert_eq!(text(b"\xff"), None);
}

#[test]
fn containers_are_read_in_depth() {
    let arrived = Value::Object(vec![(
        "Ã©".into(),
        Value::List(vec![Value::text("Ã¤"), Value::Null]),
    )]);
    let meant = Value::Object(vec![(
        "é".into(),
        Value::List(vec![Value::text("ä"), Value::Null]),
    )]);
    assert_eq!(value(&arrived), meant);
}
