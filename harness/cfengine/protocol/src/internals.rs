//! Internals of a program in a message: stack frames, places in source code, objects, protocol text.

use stickler_judge::Variant;

/// A kind of internals, and its name in messages.
pub type Kind = (Variant, &'static str);

/// A frame of a stack.
pub const FRAME: Kind = (Variant::new("stack-frame"), "a stack frame");
/// A source file with a line number.
pub const SOURCE: Kind = (Variant::new("source-place"), "a place in source code");
/// An object without a text form.
pub const OBJECT: Kind = (Variant::new("object"), "an object of the program");
/// Text of the protocol.
pub const PROTOCOL: Kind = (Variant::new("protocol-text"), "protocol text");

/// A kind of internals, and the part of the message that shows it.
pub type Found<'m> = (Kind, &'m str);

/// The internals of a program in a message.
pub fn internals<'m>(message: &'m str, subject: &str) -> Vec<Found<'m>> {
    let mut found = Vec::new();
    for known in [
        "Traceback (most recent call last)",
        "panicked at ",
        "stack backtrace:",
    ] {
        found.extend(find(message, known).map(|part| (FRAME, part)));
    }
    found.extend(go_frame(message));
    found.extend(python_frame(message));
    found.extend(message.lines().filter_map(call_frame));
    found.extend(call_within(message));
    found.extend(tokens(message).filter_map(|token| source_line(token, subject)));
    found.extend(numbered_line(message, subject));
    found.extend(dash_line(message, subject));
    for known in ["[object Object]", "Os { code: "] {
        found.extend(find(message, known).map(|part| (OBJECT, part)));
    }
    found.extend(addressed(message));
    for known in [
        "\"operation\":",
        "\"operation\" :",
        "operation=terminate",
        "validate_promise",
        "evaluate_promise",
    ] {
        found.extend(find(message, known).map(|part| (PROTOCOL, part)));
    }
    found
}

fn find<'m>(message: &'m str, part: &str) -> Option<&'m str> {
    let at = message.find(part)?;
    message.get(at..at + part.len())
}

/// `goroutine 1 [running]`
fn go_frame(message: &str) -> Option<Found<'_>> {
    let at = message.find("goroutine ")?;
    let rest = &message[at + "goroutine ".len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && rest[digits..].starts_with(" [")).then_some((FRAME, "goroutine "))
}

/// `File "git.py", line 12`
fn python_frame(message: &str) -> Option<Found<'_>> {
    let start = message.find("File \"")?;
    let rest = &message[start..];
    let at = rest.find("\", line ")?;
    let end = at + "\", line ".len();
    let digits = rest[end..].bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| (FRAME, &rest[..end + digits]))
}

/// `    at evaluate (/x/git.js:12:5)`
fn call_frame(line: &str) -> Option<Found<'_>> {
    let line = line.trim();
    let inner = line.strip_prefix("at ")?.strip_suffix(')')?;
    let (_, place) = inner.rsplit_once('(')?;
    let (_, number) = place.rsplit_once(':')?;
    is_number(number).then_some((FRAME, line))
}

/// `… at Object.openSync (node:fs:573:18)`, with line and column
fn call_within(message: &str) -> Option<Found<'_>> {
    message.match_indices(" at ").find_map(|(at, _)| {
        let call = &message[at + 1..];
        let (call, _) = call.split_at(call.find(')')? + 1);
        let (name, place) = call
            .strip_prefix("at ")?
            .strip_suffix(')')?
            .split_once(" (")?;
        let mut parts = place.rsplitn(3, ':');
        let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        let is_frame = !name.contains(' ') && !file.is_empty();
        (is_frame && is_number(line) && is_number(column)).then_some((FRAME, call))
    })
}

/// `<function read at 0x7f3a…>`, `#<Object:0x0000…>`, `HASH(0x55d1…)`, `table: 0x55d1…`
fn addressed(message: &str) -> Option<Found<'_>> {
    const BEFORE: [&str; 10] = [
        "HASH(",
        "ARRAY(",
        "CODE(",
        "SCALAR(",
        "REF(",
        "GLOB(",
        "table: ",
        "function: ",
        "userdata: ",
        "thread: ",
    ];
    message.match_indices("0x").find_map(|(at, _)| {
        let (before, after) = message.split_at(at);
        let digits = after[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let start = match before.rfind('<') {
            Some(open) if before.ends_with(" at ") => open,
            Some(open) if before.ends_with(':') && before[..open].ends_with('#') => open - 1,
            _ => at - BEFORE.iter().find(|name| before.ends_with(*name))?.len(),
        };
        (digits >= 6).then(|| (OBJECT, &message[start..at + 2 + digits]))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words, separated by blanks, quotes and brackets.
fn tokens(message: &str) -> impl Iterator<Item = &str> {
    message
        .split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;|".contains(c))
        .filter(|token| !token.is_empty())
}

/// Endings of source files. Names of hosts may have those in the second list, too.
const SOURCES: [&str; 12] = [
    "py", "rb", "js", "mjs", "ts", "go", "lua", "php", "c", "cc", "cpp", "java",
];
const AMBIGUOUS: [&str; 4] = ["sh", "pl", "pm", "rs"];

/// `git.py:12`, perhaps followed by a column or `in`.
fn source_line<'m>(token: &'m str, subject: &str) -> Option<Found<'m>> {
    if token.contains("://") {
        return None;
    }
    let (file, rest) = token.split_once(':')?;
    let number = rest.split(':').next()?;
    (is_number(number) && is_source(file, subject))
        .then(|| (SOURCE, &token[..file.len() + 1 + number.len()]))
}

fn is_source(file: &str, subject: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    if !subject.is_empty() && name == subject {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        && (SOURCES.contains(&ending) || AMBIGUOUS.contains(&ending) && file.contains('/'))
}

/// `./module.sh: line 12: git: command not found`, `at module.pl line 12`
fn numbered_line<'m>(message: &'m str, subject: &str) -> Option<Found<'m>> {
    let mut from = 0;
    while let Some(at) = message[from..].find(" line ") {
        let at = from + at;
        let before = message[..at].trim_end_matches(':');
        let start = before
            .rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c))
            .map_or(0, |at| {
                at + before[at..].chars().next().map_or(1, char::len_utf8)
            });
        let file = &before[start..];
        let number = at + " line ".len();
        let digits = message[number..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        // `module.sh: line 12 of /etc/hosts` begins with the name of the program.
        let is_prefix =
            message[..at].ends_with(':') && !message[number + digits..].starts_with(':');
        if digits > 0 && !is_prefix && is_script(file, subject) {
            return Some((SOURCE, &message[start..number + digits]));
        }
        from = number;
    }
    None
}

/// `./module.sh: 12: git: not found`, as dash writes it. A name alone is that of the program.
fn dash_line<'m>(message: &'m str, subject: &str) -> Option<Found<'m>> {
    let (file, rest) = message.split_once(": ")?;
    let (number, said) = rest.split_once(": ")?;
    let file = file.rsplit(' ').next().unwrap_or(file);
    let end = message.len() - said.len() - ": ".len();
    let start = message.find(": ")? - file.len();
    (is_number(number) && said.contains(": ") && is_script(file, subject))
        .then(|| (SOURCE, &message[start..end]))
}

/// Is it the name of a shell, of a script or of another source file?
fn is_script(file: &str, subject: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(name, "bash" | "sh")
        || ending.is_some_and(|ending| AMBIGUOUS.contains(&ending))
        || is_source(file, subject)
}
