//! Values, abridged for a finding.

use puppet_protocol::brief::brief;
use puppet_types::Value;

fn symbol(name: &str) -> Value {
    Value::Symbol(name.to_owned())
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn row(name: &str, note: &str) -> Value {
    let pairs = [
        ("name", name),
        ("ensure", "present"),
        ("owner", "somebody with a long name"),
        ("note", note),
    ];
    Value::Hash(
        pairs
            .iter()
            .map(|(key, value)| (symbol(key), text(value)))
            .collect(),
    )
}

#[test]
fn an_abbreviated_value_keeps_the_parts_that_a_finding_names() {
    let rows = Value::Array(vec![row("a", "1"), row("b", "2"), row("c", "3")]);
    assert_eq!(
        brief(&rows, &["b", "note"]),
        r#"[{…, :note=>"1"}, {:name=>"b", …, :note=>"2"}, {…, :note=>"3"}]"#
    );
    assert_eq!(brief(&rows, &["b"]), r#"[…, {:name=>"b", …}, …]"#);
}

#[test]
fn without_a_name_all_stays() {
    let rows = Value::Array(vec![row("a", "1"), row("b", "2")]);
    assert_eq!(brief(&rows, &["get"]), rows.inspect());
    let short = Value::Array(vec![text("a"), text("b")]);
    assert_eq!(brief(&short, &["a"]), r#"["a", "b"]"#);
}
