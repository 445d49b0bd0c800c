//! Names of exchanges.

use stickler_transcript::{Key, Purpose};

#[test]
fn keys_keep_the_text_form_of_older_transcripts() {
    let evaluation = Purpose::EVALUATE.nth(2).of("e1");
    assert_eq!(evaluation.to_string(), "e2:e1");
    assert_eq!(evaluation.part("get").as_str(), "e2-get:e1");
    assert_eq!(Purpose::EVALUATE.nth(1), Purpose::EVALUATE.into());
    assert_eq!(Purpose::WARNED.turn(0).as_str(), "warned0");
    assert_eq!(evaluation.of("e2").as_str(), "e2:e2");
}

#[test]
fn a_key_is_for_one_verb() {
    let key = |text| Key::parse(text);
    assert!(key("e:e1").is(Purpose::EVALUATE) && !key("e2:e1").is(Purpose::EVALUATE));
    assert!(!key("e-get:e1").is(Purpose::EVALUATE));
    assert_eq!(key("e2:e1").turn_of(Purpose::EVALUATE), Some(2));
    assert_eq!(key("e:a:b").turn_of(Purpose::EVALUATE), Some(1));
    assert_eq!(key("e:a:b").label(), Some("a:b"));
    assert_eq!(key("evaluate").turn_of(Purpose::EVALUATE), None);
    assert_eq!(key("after-x:e1").part_of(Purpose::AFTER), Some("x"));
    let after = Purpose::AFTER.part("e1~near:path").of("e1");
    assert_eq!(after.as_str(), "after-e1~near:path:e1");
    for after in [&after, &key("after-e1~near:path:e1")] {
        assert!(after.is_part(Purpose::AFTER, "e1~near:path"));
        assert!(!after.is_part(Purpose::AFTER, "e1~near:pa"));
        assert!(!after.is(Purpose::AFTER));
    }
    assert_eq!(after, key("after-e1~near:path:e1"));
    assert_eq!(key("after:e1").part_of(Purpose::AFTER), None);
    let (whole, part) = (key("e-canonical-2:e1").parted().0, Some("canonical-2"));
    assert_eq!(whole, key("e:e1"));
    assert_eq!(key("e-canonical-2:e1").parted().1, part);
}
