//! The type aliases that hosts tell with the definitions that name them.

use puppet_types::Aliases;
use stickler_json::Json;

/// The aliases in the result of `load`: only those that its definitions need are there.
pub fn aliases(result: &Json) -> Aliases {
    let texts = match result.get("aliases") {
        Some(Json::Object(members)) => &members[..],
        _ => &[],
    };
    let texts = texts.iter().filter_map(|one| {
        let name = one.key.as_str()?;
        Some((name.to_owned(), text(&one.value)?))
    });
    let modules = match result.get("modules") {
        Some(Json::Array(names)) => &names[..],
        _ => &[],
    };
    Aliases::new(texts, modules.iter().filter_map(text))
}

fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
