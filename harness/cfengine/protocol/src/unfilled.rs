//! Places in a text that were meant for a value and never got one.

/// Words for what messages name. A place with another name may be what the message is about.
const NAMES: &[&str] = &[
    "attr",
    "attribute",
    "cmd",
    "code",
    "command",
    "dest",
    "destination",
    "dir",
    "directory",
    "e",
    "err",
    "error",
    "ex",
    "exc",
    "exception",
    "file",
    "filename",
    "folder",
    "group",
    "key",
    "line",
    "message",
    "mode",
    "msg",
    "name",
    "output",
    "owner",
    "path",
    "promiser",
    "rc",
    "result",
    "source",
    "status",
    "stderr",
    "target",
    "value",
];

/// Messages with these words are about formats, commands or data.
const ABOUT: &[&str] = &[
    "-exec",
    "contain",
    "expand",
    "format",
    "json",
    "pattern",
    "placeholder",
    "printf",
    "regex",
    "template",
    "variable",
    "xargs",
];

/// The first place that was never filled in: `{}`, `{0}`, `{path}`, `${path}`, `%s`, `'None'`.
/// `names` are the attributes of the promise.
pub fn find<'m>(message: &'m str, names: &[&[u8]]) -> Option<&'m str> {
    // Go marks its own mistakes.
    for known in ["%!s(MISSING)", "%!d(MISSING)", "%!v(MISSING)", "<nil>"] {
        if let Some(at) = message.find(known) {
            return message.get(at..at + known.len());
        }
    }
    let lower = message.to_ascii_lowercase();
    if ABOUT.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let is_name = |name: &str| NAMES.contains(&name) || names.contains(&name.as_bytes());
    braces(message, is_name)
        .or_else(|| percent(message))
        .or_else(|| nothing(message))
}

/// `{}`, `{0}`, `{path}`, `{e.strerror}`, `${path}`. All braces of the message must be such places:
/// other braces are data.
fn braces(message: &str, is_name: impl Fn(&str) -> bool) -> Option<&str> {
    let mut first = None;
    let mut from = 0;
    while let Some(open) = message[from..].find(['{', '}']) {
        let open = from + open;
        let close = open + message[open..].find('}')?;
        let inner = message.get(open + 1..close)?;
        let start = open - usize::from(message[..open].ends_with('$'));
        let before = message[..start].trim_end_matches(' ');
        let is_dollar = start < open;
        let is_place = if inner.is_empty() {
            // After these signs it may be an empty object.
            !is_dollar && !before.ends_with([':', '=', ',', '(', '['])
        } else if inner.len() == 1 && inner.as_bytes()[0].is_ascii_digit() {
            !is_dollar
        } else {
            // `{e.strerror}` and `{path!r}` are code, whatever their beginning.
            let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (name, rest) = inner.split_at(end.unwrap_or(inner.len()));
            is_name(name) && (rest.is_empty() || rest.starts_with(['.', '!', '[', ':']))
        };
        if !is_place || !stands_alone(message, start, close + 1) {
            return None;
        }
        first = first.or(message.get(start..=close));
        from = close + 1;
    }
    first
}

/// `%s` and `%d` between blanks or quotes. Other signs beside it are a date or a format.
fn percent(message: &str) -> Option<&str> {
    let mut first = None;
    for (at, _) in message.match_indices('%') {
        let place = message.get(at..at + 2)?;
        // An option of a command before it makes it an argument.
        let word = message[..at].trim_end_matches([' ', '\'', '"']);
        let word = word.rsplit(' ').next().unwrap_or_default();
        let is_argument = word.starts_with('-');
        if !matches!(place, "%s" | "%d") || is_argument || !stands_alone(message, at, at + 2) {
            return None;
        }
        first = first.or(Some(place));
    }
    first
}

/// What programs print in place of a value that they do not have.
fn nothing(message: &str) -> Option<&str> {
    for quote in ['\'', '"', '`'] {
        for known in ["None", "undefined"] {
            let quoted = format!("{quote}{known}{quote}");
            if let Some(at) = message.find(&quoted) {
                return message.get(at + 1..at + 1 + known.len());
            }
        }
    }
    None
}

/// Are there blanks, quotes or other punctuation on both sides?
fn stands_alone(message: &str, start: usize, end: usize) -> bool {
    let before = message[..start].chars().next_back();
    let after = message[end..].chars().next();
    before.is_none_or(|c| c == ' ' || "'\"`«“/(<".contains(c))
        && after.is_none_or(|c| c == ' ' || "'\"`»”/)>.,:;!?".contains(c))
}
