use super::*;

fn catalog(text: &str) -> Catalog {
    read_catalog("c.json", text.as_bytes()).expect("a catalog")
}

fn error(text: &str) -> String {
    read_catalog("c.json", text.as_bytes())
        .expect_err("no catalog")
        .to_string()
}

const WHOLE: &str = r#"Notice: Compiled catalog
{ "version": 12, "environment": "production",
  "resources": [
    {"type": "Stage", "title": "main", "tags": ["stage"]},
    {"type": "Class", "title": "main"},
    {"type": "Foo::Bar", "title": "x", "kind": "defined_type"},
    {"type": "Pka", "title": "a", "tags": ["pka"], "file": "/f.pp", "line": 3, "kind": "compilable_type",
     "parameters": {
       "v": [1, 2.0, null, {"__ptype": "Hash", "__pvalue": [1, {"__ptype": "Default"}]}],
       "w": "secret", "x": {"__ptype": "Sensitive", "__pvalue": "q"}, "y": {"__ptype": "Regexp", "__pvalue": "a/b"},
       "z": null, "require": ["Class[main]", "Pka[b]"], "before": "Foo::Bar[x]"},
     "sensitive_parameters": ["w"]}],
  "edges": [
    {"source": "Stage[main]", "target": "Class[main]"},
    {"source": "Class[main]", "target": "Foo::Bar[x]"},
    {"source": "Foo::Bar[x]", "target": "Pka[a]"}]}"#;

#[test]
fn a_catalog_is_read() {
    let own = catalog(WHOLE);
    assert_eq!(own.version.as_deref(), Some("12"));
    assert_eq!(own.environment.as_deref(), Some("production"));
    assert_eq!(own.containers.len(), 3);
    let [one] = own.resources.as_slice() else {
        panic!("{:?}", own.resources);
    };
    assert_eq!(one.path, ["Stage[main]", "Main", "Foo::Bar[x]"]);
    assert_eq!(one.place.as_ref().map(|place| place.line), Some(3));
    let names: Vec<&str> = one
        .parameters
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["v", "w", "x", "y", "require", "before"]);
    let hidden = |text: &str| Parameter::Value(Value::Sensitive(Box::new(Value::from(text))));
    assert_eq!(one.parameter("w"), Some(&hidden("secret")));
    assert_eq!(one.parameter("x"), Some(&hidden("q")));
    let hash = Value::Hash(vec![(Value::from(1), Value::symbol("default"))]);
    let list = vec![Value::from(1), Value::Float(2.0), Value::Undef, hash];
    assert_eq!(
        one.parameter("v"),
        Some(&Parameter::Value(Value::Array(list)))
    );
    let required = vec![Reference::new("class", "main"), Reference::new("pka", "b")];
    assert_eq!(
        one.parameter("require"),
        Some(&Parameter::References(required))
    );
}

#[test]
fn catalogs_are_wrapped_in_several_ways() {
    let own = catalog(
        r#"{"document_type":"Catalog","data":{"resources":[{"type":"Foo","title":"a"},{"type":"Bar","title":5}],
            "edges":[{"source":{"type":"Foo","title":"a"},"target":{"type":"Bar","title":"5"},"relationship":"contains"}]}}"#,
    );
    assert_eq!(own.containers[0].kind, "foo");
    assert_eq!(own.resources[0].path, ["Foo[a]"]);
    let own = catalog(
        r#"{"resources":{"href":"/x","data":[{"type":"Foo","title":"a"},{"type":"Bar","title":"b"}]},
            "edges":{"data":[{"source_type":"Foo","source_title":"a","target_type":"Bar","target_title":"b","relationship":"before"}]}}"#,
    );
    assert_eq!(own.resources.len(), 2);
}

#[test]
fn catalog_errors_name_their_place_and_cause() {
    assert_eq!(
        error("x\n{\"a\":}"),
        "c.json:2:6: no catalog: expected a value"
    );
    assert_eq!(
        error("{}"),
        "c.json:1:1: no catalog: it has no list of `resources`"
    );
    let one = |parameters: &str| {
        format!(
            "{{\"resources\":[{{\"type\":\"Foo\",\"title\":\"a\",\"parameters\":{parameters}}}]}}"
        )
    };
    assert_eq!(
        error(&one(r#"{"b":{"__ptype":"Deferred","name":5}}"#)),
        "c.json:1:2: Foo[a]: the parameter 'b' has a malformed value of the type 'Deferred'"
    );
    assert_eq!(
        error(&one(r#"{"noop":"x"}"#)),
        "c.json:1:2: Parameter noop failed on Foo[a]: Invalid value \"x\". Valid values are true, false."
    );
    assert_eq!(
        error(&one(r#"{"require":"x"}"#)),
        "c.json:1:2: No title provided and \"x\" is not a valid resource reference"
    );
    assert_eq!(
        error(r#"{"resources":[{"type":"Foo","title":"a"},{"type":"foo","title":"a"}]}"#),
        "c.json:1:2: Duplicate declaration: Foo[a] is already declared; cannot redeclare"
    );
    let cycle = r#"{"resources":[{"type":"Foo","title":"a"}],"edges":[{"source":"Foo[a]","target":"Foo[a]"}]}"#;
    assert!(error(cycle).contains("contained in itself"));
    let edge = r#"{"resources":[],"edges":[{"source":"Foo[a]","target":"Foo[b]"}]}"#;
    assert!(error(edge).contains("Could not find relationship source \"Foo[a]\" for Foo[b]"));
}
