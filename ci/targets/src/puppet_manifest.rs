//! Any text is a manifest or refused, with a place within it.

use puppet_manifest::compile;

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match compile("site.pp", &text) {
        Ok(catalog) => {
            for resource in &catalog.resources {
                assert!(!resource.title.is_empty() && resource.place.is_some());
                assert!(!resource.reference().to_string().is_empty());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            let lines = text.split('\n').count();
            for error in errors {
                assert!(error.line > 0 && error.line as usize <= lines && error.column > 0);
                assert!(!error.message.is_empty());
            }
        }
    }
}
