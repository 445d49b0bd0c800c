//! What an evaluation with a failed write loses and leaves behind.

use super::{EXTRA_FILE, LOSES, in_scratch};
use crate::session::{Exchange, Session};
use crate::temporary::{folder, journal_of, promised_texts};
use crate::warn::words as effect_words;
use crate::words::{shown, visible};
use stickler_judge::{Defect, is_own_file};
use stickler_reading::foreign::is_in_a_store;
use stickler_transcript::{Change, ChangeKind, FileType};

/// A file that an evaluation with a failed call deleted, and that it should have replaced.
pub(super) fn gone(exchange: &Exchange, variant: &Session, usual: &Exchange) -> Option<Defect> {
    let replaced = |path: &[u8]| {
        let mut changes = usual.effects.iter().flatten();
        changes.any(|change| change.path[..] == *path && change.after.is_some())
    };
    let texts = promised_texts(variant);
    let lost = own_changes(exchange, variant).filter(|change| {
        let kind = change.before.as_ref().map(|entry| entry.kind);
        change.kind == ChangeKind::Deleted
            && matches!(kind, Some(FileType::File | FileType::Link))
            && replaced(&change.path)
            && (variant.writes_itself(&change.path) || is_own_file(&change.path, &texts, usual))
    });
    let lost = target_first(lost, &texts, usual)?;
    let result = visible(exchange.result()?);
    Some(LOSES.says(format!(
        "`{result}`, but it {}",
        effect_words(lost, variant.case())
    )))
}

/// An extra file that an evaluation with a failed call leaves behind. The last call may be the
/// one that removes it, once the target is written.
pub(super) fn left_over(
    exchange: &Exchange,
    variant: &Session,
    usual: &Exchange,
    is_last: bool,
) -> Option<Defect> {
    // The failed call may be the one that removes the file.
    let stays = |change: &&Change| {
        let call = exchange.stopped_at();
        call.is_some_and(|call| {
            call.name.starts_with("unlink") && call.path.as_ref() == Some(&change.path)
        })
    };
    let beside = own_changes(exchange, variant)
        .filter(|change| !stays(change))
        .find_map(|change| left_beside(change, usual))?;
    let is_written = exchange
        .effects
        .iter()
        .flatten()
        .any(|change| change.path[..] == *beside);
    (!is_last || !is_written).then(|| file_more(exchange, beside, variant))
}

/// Names the file beside it: the name of the extra file may differ each time.
pub(super) fn file_more(exchange: &Exchange, beside: &[u8], session: &Session) -> Defect {
    let result = visible(exchange.result().unwrap_or_default());
    let beside = shown(beside, session.case(), 80);
    EXTRA_FILE.says(format!(
        "`{result}`, but it leaves an extra file beside `{beside}`"
    ))
}

/// The changes of an evaluation in the scratch directories, without those of stand-ins.
pub(super) fn own_changes<'e>(
    exchange: &'e Exchange,
    session: &'e Session,
) -> impl Iterator<Item = &'e Change> {
    let mine = |change: &&Change| in_scratch(change, session) && !session.is_foreign(&change.path);
    exchange.effects.iter().flatten().filter(mine)
}

/// The change that a person looks for: that of the promised path, or else of one that an undisturbed
/// run changes, too. A backup may have another name in each run.
pub(super) fn target_first<'e>(
    changes: impl Iterator<Item = &'e Change>,
    texts: &[&[u8]],
    usual: &Exchange,
) -> Option<&'e Change> {
    changes.min_by_key(|change| {
        let mut known = usual.effects.iter().flatten();
        (
            !texts.contains(&&change.path[..]),
            !known.any(|one| one.path == change.path),
        )
    })
}

/// The file of the promise beside which this change leaves an extra one. Nobody looks for the
/// extra file again.
pub(super) fn left_beside<'u>(change: &Change, usual: &'u Exchange) -> Option<&'u [u8]> {
    let is_file = |change: &Change| {
        let kind = change.after.as_ref().map(|after| after.kind);
        matches!(kind, Some(FileType::File | FileType::Link))
    };
    let usual = usual.effects.iter().flatten();
    let written: Vec<&'u [u8]> = usual
        .filter(|one| is_file(one))
        .map(|one| &one.path[..])
        .collect();
    let path = &change.path[..];
    let is_made = written.contains(&path);
    // A database removes its journal when it is opened again.
    let taken_back = journal_of(path).is_some_and(|database| written.contains(&database));
    let is_kept = is_made || taken_back || is_in_a_store(path);
    if change.kind != ChangeKind::Created || !is_file(change) || is_kept {
        return None;
    }
    written.into_iter().find(|one| folder(one) == folder(path))
}
