//! What a host says: answers, panics, notifications.

use stickler_json::Json;
use stickler_rpc::Raised;

/// The answer to a request.
pub type Answer = stickler_rpc::Answer<Panic>;

/// A panic of the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panic {
    /// Its text.
    pub text: String,
    /// The stack, as Go writes it.
    pub stack: String,
    /// What the resource used that only mgmt itself can give.
    pub needs: Option<String>,
}

impl Panic {
    /// The panic in words, in one line.
    pub fn in_words(&self) -> String {
        let line = self.text.lines().next().unwrap_or_default();
        format!("panic: {line}{}", self.place())
    }

    /// The first place of the stack in the author's code, as it follows other words: ` at FILE:LINE`.
    fn place(&self) -> String {
        let frames = self.stack.lines().filter_map(|line| {
            let place = line.strip_prefix('\t')?.split(' ').next()?;
            let is_theirs = !place.contains("/sticklerhost/") && !place.contains("/src/runtime/");
            is_theirs.then_some(place)
        });
        let own = frames
            .into_iter()
            .find(|place| !place.contains("/src/reflect/"));
        own.map_or_else(String::new, |place| {
            let file = place.rsplit('/').next().unwrap_or(place);
            format!(" at {file}")
        })
    }
}

impl Raised for Panic {
    type Value = Json;

    fn value(json: &Json) -> Option<Json> {
        Some(json.clone())
    }

    fn read(message: &Json, data: Option<&Json>) -> Self {
        let of_data = |key: &str| data.and_then(|data| text(data.get(key)?));
        Panic {
            text: of_data("panic")
                .or_else(|| text(message))
                .unwrap_or_default(),
            stack: of_data("stack").unwrap_or_default(),
            needs: of_data("needs"),
        }
    }
}

/// A value as text, whatever the order of its members: equal values have equal texts.
pub(crate) fn plain(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(truth) => truth.to_string(),
        Json::Number(number) => number.clone(),
        Json::String(text) => format!("{:?}", text.as_bytes()),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(members) => {
            let written = members
                .iter()
                .map(|member| format!("{:?}:{}", member.key.as_bytes(), plain(&member.value)));
            let mut written: Vec<String> = written.collect();
            written.sort();
            format!("{{{}}}", written.join(","))
        }
    }
}

/// The text of a JSON string.
pub(crate) fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
