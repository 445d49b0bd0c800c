//! What a call shows to others: messages, exceptions, output, files.

use crate::phase;
use crate::session::{Call, Session};
use puppet_types::Value;
use std::collections::BTreeSet;
use stickler_judge::{Ledger, Level, Variant, View as _};
use stickler_transcript::{Change, Entry, FileType};

/// In a message.
const MESSAGE: Variant = Variant::new("message");
/// In an exception.
const ERROR: Variant = Variant::new("error");
/// In output.
const OUTPUT: Variant = Variant::new("output");

/// In a file.
const FILE: Variant = Variant::new("file");
/// Everybody may read such a file.
const READABLE: u32 = 0o004;

/// A text that others may read.
pub(crate) struct Shown {
    /// The defect if it holds a secret.
    pub variant: Variant,
    /// Where it shows, in words.
    pub place: &'static str,
    pub text: String,
    /// The highest level of a finding about it.
    pub level: Level,
}

/// The texts of a call that others may read. What is wrapped shows nothing.
pub(crate) fn shown(call: &Call) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut add = |variant, place, text| {
        all.push(Shown {
            variant,
            place,
            text,
            level: Level::Must,
        });
    };
    // What a provider checks is not told to anybody.
    for event in call.events.iter().filter(|event| event.kind != "checked") {
        for argument in &event.arguments {
            let text = match argument {
                Value::String(text) => text.clone(),
                other => other.inspect(),
            };
            add(MESSAGE, "a message", text);
        }
        if let Some(error) = &event.error {
            add(ERROR, "an exception", error.message.clone());
        }
    }
    if let Some(failure) = call.answer.as_ref().and_then(|answer| answer.failure()) {
        add(ERROR, "an exception", failure.message.clone());
    }
    if let Some(reason) = reason(call) {
        add(MESSAGE, "the reason that `insync?` gives", reason);
    }
    for bytes in [&call.printed, &call.errors] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        add(OUTPUT, "what it prints", text);
    }
    all
}

/// Where stand-ins for commands keep their state.
const HOME: &str = "/tmp/stickler/home/";

/// The changes of a call that are not those of stand-ins.
pub(crate) fn own_changes<'s>(
    session: &Session,
    call: &'s Call,
) -> impl Iterator<Item = &'s Change> + Clone {
    let plan = session.case().plan.as_ref();
    let has_stand_ins = plan.is_some_and(|plan| !plan.stand_ins.is_empty());
    let changes = call.effects.iter().flatten();
    changes.filter(move |change| !has_stand_ins || !change.path.starts_with(HOME.as_bytes()))
}

/// The files that a call left for everybody to read. One that was there before keeps its mode. What stand-ins
/// keep is the author's own.
fn files(session: &Session, call: &Call) -> Vec<Shown> {
    let changes = own_changes(session, call);
    let readable = changes.clone().filter_map(|change| {
        let after = change.after.as_ref()?;
        let is_kept = change
            .before
            .as_ref()
            .is_some_and(|before| before.mode == after.mode);
        let hidden = changes.clone().any(|folder| {
            let closed =
                |entry: &Entry| entry.kind == FileType::Directory && entry.mode & 0o001 == 0;
            folder.after.as_ref().is_some_and(closed) && change.path.starts_with(&folder.path)
        });
        if after.kind != FileType::File || after.mode & READABLE == 0 || is_kept || hidden {
            return None;
        }
        Some(Shown {
            variant: FILE,
            place: "a file that everybody may read",
            text: String::from_utf8_lossy(after.content.as_ref()?).into_owned(),
            level: Level::Should,
        })
    });
    readable.collect()
}

/// A secret as it is written, and as codes for transport write it.
pub fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    let of_use = |form: &String| form.len() >= SHORTEST_CODE && form != secret;
    let hex = |byte: u8| match byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    let percent: String = secret.bytes().map(hex).collect();
    forms.extend([percent.replace("%20", "+"), percent]);
    // Of what lies before and after it, only whole letters of the code are independent.
    for before in 0..3 {
        let bytes = [&b"\0\0"[..before], secret.as_bytes()].concat();
        let first = (before * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        let code = base64(&bytes);
        forms.extend(code.get(first..last).map(str::to_owned));
    }
    let (own, codes) = forms.split_at(1);
    let codes = codes.iter().filter(|form| of_use(form)).cloned();
    own.iter().cloned().chain(codes).collect()
}

/// Shorter codes occur by chance.
const SHORTEST_CODE: usize = 8;

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).flat_map(|three| {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize])
    });
    groups.map(char::from).collect()
}

/// Why a property is not in sync, if `insync?` says so: runtimes log this.
fn reason(call: &Call) -> Option<String> {
    if call.phase != phase::INSYNC {
        return None;
    }
    match call.value()?.as_array()? {
        [Value::Bool(false), Value::String(reason)] => Some(reason.clone()),
        _ => None,
    }
}

/// Checks that no secret shows at the places of any call.
pub(crate) fn check_secrets(
    session: &Session,
    ledger: &mut Ledger,
    secrets: &[(String, String)],
    places: impl Fn(&Call) -> Vec<Shown>,
) {
    let secrets: Vec<(&String, Vec<String>)> = secrets
        .iter()
        .map(|(name, secret)| (name, forms(secret)))
        .collect();
    let answered = session.exchanges.iter();
    for call in answered.filter(|call| call.answer.is_some()) {
        let mut all = places(call);
        all.extend(files(session, call));
        for (name, forms) in &secrets {
            let shows = |shown: &&Shown| forms.iter().any(|form| shown.text.contains(form));
            let Some(shown) = all.iter().find(shows) else {
                ledger.pass(call.number);
                continue;
            };
            let defect = shown
                .variant
                .says(format!("the value of `{name}` shows in {}", shown.place));
            let finding = ledger.finding(call.number, defect).at_most(shown.level);
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// Shorter secrets occur by chance.
pub const SHORTEST: usize = 4;

/// Is a text made of others, with nothing but signs between them?
pub fn is_made_of(text: &str, open: &BTreeSet<String>) -> bool {
    let mut rest = text.to_owned();
    for one in open.iter().filter(|one| one.len() >= SHORTEST) {
        rest = rest.replace(one, "");
    }
    !rest.chars().any(char::is_alphanumeric)
}
