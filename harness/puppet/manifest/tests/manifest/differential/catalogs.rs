//! Catalogs of manifests that only Puppet compiles: classes, defined types, virtual resources.

use super::peer::Peer;
use puppet_manifest::{Parameter, Reference, read_catalog};
use puppet_types::Value;

const MANIFEST: &str = r#"
class one($v = 1) {
  pka { 'in one': a => $v, tag => 'x' }
  contain two::three
}
class two::three {
  define_it { 'd': b => Sensitive('s') }
  define_it { 'e': require => Define_it['d'] }
}
define define_it($b = undef) {
  pkb { "in ${title}": b => $b, c => Timestamp('2020-01-01T00:00:00.000 UTC'), d => Binary('YWJj'), e => { 1 => default } }
}
include one
@pka { 'virtual': }
@pka { 'realized': a => /x/ }
realize Pka['realized']
pka { 'outer': require => Class['two::three'], before => Define_it['e'] }
"#;

#[test]
fn containers_are_read_as_puppet_knows_them() {
    let mut peer = Peer::start();
    let (json, paths) = peer.paths(MANIFEST);
    let catalog = read_catalog("c.json", json.as_bytes()).expect("a catalog");
    let own = catalog.resources.iter().filter(|one| !one.is_virtual);
    let own: Vec<String> = own
        .map(|one| format!("/{}/{}", one.path.join("/"), one.reference()))
        .collect();
    assert_eq!(own, paths);
    let names: Vec<String> = catalog
        .containers
        .iter()
        .map(|one| one.reference().to_string())
        .collect();
    let known = [
        "Stage[main]",
        "Class[Settings]",
        "Class[Main]",
        "Class[One]",
        "Class[Two::Three]",
        "Define_it[d]",
        "Define_it[e]",
    ];
    assert_eq!(names, known);
    let resource = |title: &str| {
        let mut named = catalog.resources.iter().filter(|one| one.title == title);
        named.next().expect("the resource")
    };
    let outer = resource("outer");
    let required = vec![Reference::new("class", "two::three")];
    assert_eq!(
        outer.parameter("require"),
        Some(&Parameter::References(required))
    );
    let before = vec![Reference::new("define_it", "e")];
    assert_eq!(
        outer.parameter("before"),
        Some(&Parameter::References(before))
    );
    let inner = resource("in d");
    let value = |name: &str| match inner.parameter(name) {
        Some(Parameter::Value(value)) => value.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(value("b"), Value::Sensitive(Box::new(Value::from("s"))));
    assert!(
        matches!(value("c"), Value::Object { class, .. } if class == "Puppet::Pops::Time::Timestamp")
    );
    assert!(matches!(value("d"), Value::Object { text, .. } if text == "YWJj"));
    let hash = vec![(Value::from(1), Value::symbol("default"))];
    assert_eq!(value("e"), Value::Hash(hash));
    assert!(inner.tags.contains(&"two::three".to_owned()));
    let pattern = resource("realized").parameter("a").cloned();
    let regexp = Value::Regexp {
        source: "x".to_owned(),
        options: String::new(),
    };
    assert_eq!(pattern, Some(Parameter::Value(regexp)));
}
