//! What a campaign never reached, and why, as far as the subject itself says.

use super::parts::sentence;
use crate::campaign::Gap;
use crate::words::{capital, count, thousands};
use maud::{Markup, html};

/// How many are shown.
const SHOWN: usize = 200;

pub(super) fn section(gaps: &[Gap]) -> Markup {
    html! {
        @if !gaps.is_empty() {
            section aria-labelledby="unreached" {
                h2 id="unreached" { "Never reached " span.dim { (thousands(gaps.len())) } }
                p {
                    "A hint is what the module itself said or what the campaign counted. Without a hint, the reason is "
                    "unknown."
                }
                ul.unreached {
                    @for gap in gaps.iter().take(SHOWN) {
                        li {
                            (sentence(&capital(&gap.what)))
                            @if let Some(hint) = &gap.hint { p.hint { (sentence(hint)) } }
                        }
                    }
                }
                @if gaps.len() > SHOWN {
                    p.dim { (count(gaps.len() - SHOWN, "more place")) " left out" }
                }
            }
        }
    }
}
