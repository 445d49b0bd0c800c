//! Any bytes are a case or refused, with a place; what is accepted is then expected.

use mgmt_graph::{Archive, Happened, read_case};

/// The folder of the case.
const DIR: &str = "/tmp/stickler/dir";

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let written = Archive::parse(text).text();
    assert_eq!(Archive::parse(&written).text(), written);
    match read_case(text, DIR) {
        Ok(case) => {
            let mut happened = Happened::default();
            for (name, content) in &case.files {
                let content = content.clone().into_bytes();
                happened.files.insert(name.clone(), content);
            }
            happened.listing.is_bad("something happened".to_owned());
            let accepted = case.accepted(&happened, DIR);
            let again = read_case(&accepted, DIR).expect("a case");
            assert!(again.compare(&happened, DIR).is_empty());
        }
        Err(mistake) => {
            assert!(mistake.place.line > 0 && mistake.place.column > 0);
            assert!(!mistake.message.is_empty());
        }
    }
}
