//! Names that each process chooses anew.

use cfengine_protocol::shape::Shape;

fn shape(one: &str, other: &str) -> Option<Shape> {
    Shape::of(one.as_bytes(), other.as_bytes())
}

#[test]
fn prefix_number_and_random_letters_may_come_in_any_order() {
    for (one, other, third) in [
        (
            "/x/RbjgOx.2.release",
            "/x/13JVeQ.2.release",
            "/x/NMH6Ah.3.release",
        ),
        (
            "/x/stage.9.kwzpqr",
            "/x/stage.12.hnvbty",
            "/x/stage.7.bbbbbb",
        ),
        (
            "/x/9.stage.kwzpqr",
            "/x/12.stage.hnvbty",
            "/x/123.stage.bbbbbb",
        ),
        (
            "/x/kwzpqr-9-stage",
            "/x/hnvbty-12-stage",
            "/x/bbbbbb-7-stage",
        ),
        (
            "/x/.kwzpqr.stage/in",
            "/x/.hnvbty.stage/in",
            "/x/.bbbbbb.stage/in",
        ),
        ("/x/tmpk3_x9a1q", "/x/tmpab12cd3_", "/x/tmp_bbbbbbb"),
        (
            "/x/a20261127-9-1x9k2",
            "/x/a20261127-12-8yq1zz",
            "/x/a20261127-7-9ab1c",
        ),
        ("/var/run/4711/sock", "/var/run/12/sock", "/var/run/7/sock"),
    ] {
        let shape = shape(one, other).expect(one);
        assert!(shape.covers(third.as_bytes()), "{one} {shape:?}");
        let below = format!("{third}/below");
        assert!(shape.covers(below.as_bytes()), "{one} {shape:?}");
    }
}

#[test]
fn other_names_have_another_shape() {
    let stage = shape("/x/9.stage.kwzpqr", "/x/12.stage.hnvbty").expect("a shape");
    for other in [
        "/x/9.store.kwzpqr",
        "/y/9.stage.kwzpqr",
        "/x/stage",
        "/x",
        "/x/9.stage.kw",
    ] {
        assert!(!stage.covers(other.as_bytes()), "{other}");
    }
}

#[test]
fn ordinary_names_have_no_shape_in_common() {
    for (one, other) in [
        ("/x/a", "/x/a"),
        ("/x/a.old", "/x/a.new"),
        ("/x/a", "/x/b"),
        ("/x/a.conf", "/x/a.conf.1"),
        ("/x/a/b", "/x/a"),
    ] {
        assert_eq!(shape(one, other), None, "{one}");
    }
}
