//! Defects, with the places of a page where they stand.

use super::parts::class;
use crate::campaign::{Campaign, Defect};
use crate::text::visible;

/// A defect and the anchor of its article.
pub(super) struct Anchored<'d> {
    pub(super) id: String,
    pub(super) defect: &'d Defect,
}

/// The defects, the gravest first, with anchors: one rule may have several.
pub(super) fn anchored(campaign: &Campaign) -> Vec<Anchored<'_>> {
    let mut defects: Vec<&Defect> = campaign.defects.iter().collect();
    defects.sort_by_key(|defect| std::cmp::Reverse(defect.outcome.level));
    let mut anchored: Vec<Anchored<'_>> = Vec::new();
    for defect in defects {
        let code = &defect.outcome.code;
        let before = anchored
            .iter()
            .filter(|one| one.defect.outcome.code == *code);
        let id = match before.count() {
            0 => visible(code).into_owned(),
            number => format!("{}-{}", visible(code), number + 1),
        };
        anchored.push(Anchored { id, defect });
    }
    anchored
}

/// The class of a defect's colour.
pub(super) fn tone(defect: &Defect, strict: bool) -> &'static str {
    class(&defect.outcome, strict)
}
