//! Rows for resources that are not there.

use puppet_protocol::absent::{absent, is_absent};
use puppet_types::Value;

#[test]
fn a_made_up_absent_state_is_recognized() {
    let name = Value::string("a");
    for is_ensurable in [true, false] {
        assert!(is_absent(&absent(&name, is_ensurable)));
    }
    let names = Value::hash([("pkg", name.clone()), ("mgr", name.clone())]);
    assert!(is_absent(&absent(&names, true)));
    assert!(is_absent(&Value::Undef));
    for row in [
        Value::hash([("name", name.clone())]),
        Value::hash([("name", name.clone()), ("ensure", Value::string("present"))]),
        Value::hash([("title", name.clone()), ("pkg", name)]),
    ] {
        assert!(!is_absent(&row), "{}", row.inspect());
    }
}
