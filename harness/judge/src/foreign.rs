//! Judges whether an item leaves alone what somebody else wrote in its file, whatever the dialect.

use crate::{Finding, Group, Ledger, Level, RunPlace, Variant, View};
use std::collections::{BTreeMap, BTreeSet};
use stickler_reading::foreign::{Harm, IN_LATIN_1, Managed, harm, is_as_right, lines, unended};
use stickler_reading::words::{shown, visible};
use stickler_transcript::{Change, Entry, Fate, FileType, Provenance, Role};

/// A line is missing, or no line of its own.
const LOST: Variant = Variant::new("lost-line");
/// A line ends in another way.
const ENDED: Variant = Variant::new("other-line-end");
/// A line holds other bytes.
const ENCODED: Variant = Variant::new("other-encoding");
/// The order is another one.
const MOVED: Variant = Variant::new("other-order");
/// It fails.
const FAILS: Variant =
    Variant::new("fails").titled("What somebody else wrote in a file keeps nobody from their work");
/// The last line has an end.
const CLOSED: Variant = Variant::new("ended-last-line");

/// How a session changed a file.
struct Edit<'v> {
    exchange: usize,
    provenance: Provenance,
    /// Empty for a file that was not there.
    before: &'v [u8],
    after: &'v [u8],
}

/// The edits of a session, by the path of the file.
type Edits<'v> = BTreeMap<&'v [u8], Edit<'v>>;

/// Compares what each session of a group did to a file with what the usual ones do: the lines that these leave stay in
/// the others, too, and so do the lines that only the others have. A file that the usual ones make holds none: there only
/// the others' count. A subject that writes the same content whatever was there manages the whole file, and is not
/// judged.
pub fn others_lines_stay<V: View>(group: &Group<'_, V>, ledger: &mut Ledger) {
    let Some((usual_at, usual)) = group.baseline() else {
        return;
    };
    let again: Vec<Edits<'_>> = group
        .role(Role::Again)
        .map(|(_, view)| edits(view))
        .collect();
    let others: Vec<(usize, &V, Edits<'_>)> = group
        .variants()
        .filter(|(role, ..)| **role != Role::Again)
        .map(|(_, at, view)| (at, view, edits(view)))
        .collect();
    fails_there(group, (usual_at, usual), ledger);
    for (path, own) in edits(usual) {
        let same = again.iter().filter_map(|edits| edits.get(path));
        let pairs = std::iter::once(&own).chain(same);
        let managed = Managed::of(pairs.map(|edit| (edit.before, edit.after)));
        let known = managed.foreign(own.before);
        if known.is_empty() && !own.before.is_empty() {
            continue;
        }
        let edited = others
            .iter()
            .filter_map(|(at, view, edits)| Some((*at, *view, edits.get(path)?)));
        let keeps = |edit: &Edit<'_>, is_such: fn(&[u8]) -> bool| {
            let after = lines(edit.after);
            let mut more = managed.foreign(edit.before).into_iter();
            more.any(|line| !known.contains(&line) && after.contains(&line) && is_such(line))
        };
        let is_comment =
            |line: &[u8]| !unended(line).first().is_some_and(u8::is_ascii_alphanumeric);
        // Whoever keeps some of what only the others have does edit the file.
        let editor = edited.clone().find(|(_, _, edit)| keeps(edit, |_| true));
        let Some(editor) = editor.map(|(at, _, edit)| RunPlace::at(at, edit.exchange)) else {
            continue;
        };
        // Whoever has no place for comments has a format of its own, in which bytes alone say nothing.
        let is_free = edited.clone().any(|(_, _, edit)| keeps(edit, is_comment));
        for (at, view, edit) in edited {
            let place = RunPlace::at(at, edit.exchange);
            let Some(harm) = harm(&managed, edit.before, edit.after) else {
                ledger.check_at(place, edit.provenance, None::<String>);
                continue;
            };
            let is_of_bytes = matches!(
                harm,
                Harm::Ended(_) | Harm::Mixed(_) | Harm::Encoded(_) | Harm::Closed(_)
            );
            if is_of_bytes && !is_free {
                continue;
            }
            let file = shown(path, view.case(), 80);
            let variant = match harm {
                Harm::Lost(_) | Harm::Joined(_) => LOST,
                Harm::Ended(_) | Harm::Mixed(_) => ENDED,
                Harm::Encoded(_) => ENCODED,
                Harm::Moved(_) => MOVED,
                Harm::Closed(_) => CLOSED,
            };
            let usual = RunPlace::at(usual_at, own.exchange);
            let finding = ledger
                .finding_at(place, variant.says(harm.in_words(&file)))
                .expected("all that the item does not manage stays as it was")
                .graded(edit.provenance)
                .also(usual);
            let finding = match editor == place {
                true => finding,
                false => finding.also(editor),
            };
            // Some formats want an end; and how its own line ends is the author's to decide.
            let finding = match harm {
                Harm::Closed(_) | Harm::Mixed(_) => Finding::at_most(finding, Level::May),
                _ => finding,
            };
            ledger.report(finding.grouped(visible(path)));
        }
    }
}

/// What is as right as the usual file must not make the subject fail.
fn fails_there<V: View>(group: &Group<'_, V>, usual: (usize, &V), ledger: &mut Ledger) {
    let failed = |view: &V| {
        let mut all = view.claims().into_iter();
        all.find(|claim| claim.fate == Fate::Failed)
            .map(|claim| claim.exchange)
    };
    if failed(usual.1).is_some() {
        return;
    }
    for (role, at, view) in group.variants() {
        if !is_as_right(role.name()) {
            continue;
        }
        let Some(exchange) = failed(view) else {
            continue;
        };
        let Some(exchange) = view
            .reading()
            .exchanges()
            .find(|one| one.number == exchange)
        else {
            continue;
        };
        let message = format!("{}, it fails", role.name());
        let finding = ledger
            .finding_at(RunPlace::at(at, exchange.number), FAILS.says(message))
            .expected("the same as usual: a file may hold more than what the item manages")
            .graded(exchange.provenance)
            .also(RunPlace {
                session: usual.0,
                exchange: None,
            });
        // Whoever reads UTF-8 and refuses the rest loses nothing.
        ledger.report(match role.name() {
            IN_LATIN_1 => Finding::at_most(finding, Level::May),
            _ => finding,
        });
    }
}

/// The text files that a session made or changed, with their contents before the first change and after the last one.
fn edits<V: View>(view: &V) -> Edits<'_> {
    let mut edits = Edits::new();
    let mut gone: BTreeSet<&[u8]> = BTreeSet::new();
    for exchange in view.reading().exchanges() {
        for change in exchange.effects.iter().flatten() {
            let known = edits.get_mut(&change.path[..]);
            match (known, contents(change)) {
                (Some(edit), Some((_, after))) if change.before.is_some() => edit.after = after,
                (None, Some((before, after))) if !gone.contains(&change.path[..]) => {
                    let edit = Edit {
                        exchange: exchange.number,
                        provenance: exchange.provenance,
                        before,
                        after,
                    };
                    edits.insert(&change.path, edit);
                }
                // What was deleted and made anew is no edit.
                _ => {
                    edits.remove(&change.path[..]);
                    gone.insert(&change.path);
                }
            }
        }
    }
    edits.retain(|_, edit| edit.before != edit.after);
    edits
}

/// The contents of a file before and after a change, if both are known as a whole and are text; before it is made, a
/// file is empty.
fn contents(change: &Change) -> Option<(&[u8], &[u8])> {
    let before = match &change.before {
        Some(entry) => text(entry)?,
        None => &[],
    };
    Some((before, text(change.after.as_ref()?)?))
}

fn text(entry: &Entry) -> Option<&[u8]> {
    let content = entry.content.as_ref()?;
    let is_whole = entry.kind == FileType::File && content.len() as u64 == entry.size;
    (is_whole && !content.contains(&0)).then_some(content)
}
