//! What each technique of a campaign brought.

use super::parts::sentence;
use crate::campaign::Yield;
use crate::text::visible;
use crate::words::{capital, finite, thousands};
use maud::{Markup, html};

pub(super) fn section(yields: &[Yield]) -> Markup {
    let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    html! {
        @if !yields.is_empty() {
            section aria-labelledby="techniques" {
                h2 id="techniques" { "Techniques " span.dim { (thousands(yields.len())) } }
                p {
                    "What each way to make sessions brought. A session that several techniques made counts for each of them; "
                    "they share its time."
                }
                table {
                    thead {
                        tr {
                            th scope="col" { "Technique" }
                            th.figure scope="col" { "Sessions" }
                            th.wide.figure scope="col" { "New marks" }
                            th.wide.figure scope="col" { "Corpus" }
                            th.figure scope="col" { "Findings" }
                            th.figure scope="col" { "Seconds" }
                            th.wide scope="col" { "What it does" }
                        }
                    }
                    tbody {
                        @for one in yields {
                            tr {
                                th scope="row" { (visible(&one.name)) }
                                td.figure { (number(one.tried)) }
                                td.wide.figure { (number(one.marks)) }
                                td.wide.figure { (number(one.corpus)) }
                                td.figure { (number(one.findings)) }
                                td.figure { (format!("{:.1}", finite(one.seconds))) }
                                td.wide { (sentence(&capital(&one.sentence))) }
                            }
                        }
                    }
                }
            }
        }
    }
}
