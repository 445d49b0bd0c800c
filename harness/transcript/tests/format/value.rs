//! Values of fields.

use proptest::prelude::*;
use stickler_transcript::Value;

fn values() -> impl Strategy<Value = Value> {
    let text = proptest::collection::vec(any::<u8>(), 0..6);
    let leaf = prop_oneof![
        text.clone().prop_map(Value::Text),
        "[a-z{}\"]{0,6}".prop_map(|text| Value::text(text.into_bytes())),
        "-?[0-9]{1,4}".prop_map(Value::Number),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        let members = (text.clone(), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::List),
            proptest::collection::vec(members, 0..4).prop_map(Value::Object),
        ]
    })
}

proptest! {
    #[test]
    fn files_hold_values_without_loss(value in values()) {
        let text = serde_json::to_string(&value).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Value>(&text).expect("a value"), value);
    }
}

#[test]
fn texts_are_found_at_any_depth_and_words_are_they_and_the_names() {
    let list = Value::List(vec![Value::text("a"), Value::Null, Value::text("b")]);
    let value = Value::Object(vec![
        (b"one".to_vec(), list),
        (b"two".to_vec(), Value::Bool(true)),
    ]);
    assert_eq!(value.texts(), [b"a", b"b"]);
    assert_eq!(value.words(), [&b"one"[..], b"a", b"b", b"two"]);
    assert_eq!(Value::text("alone").texts(), [b"alone"]);
}
