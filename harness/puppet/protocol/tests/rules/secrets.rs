//! Which texts are secrets.

use puppet_protocol::shown::is_made_of;

#[test]
fn a_text_made_of_title_parts_is_no_secret() {
    let open = ["/var/lib/keys", "carol", "a"].map(str::to_owned).into();
    assert!(is_made_of("/var/lib/keys@carol", &open));
    assert!(!is_made_of("carol123", &open));
    assert!(!is_made_of("banana", &open));
}
