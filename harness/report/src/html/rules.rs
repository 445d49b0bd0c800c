//! The table of all rules, with a filter for browsers that run scripts.

use super::parts::{class, label, sentence};
use crate::text::visible;
use crate::words::thousands;
use crate::{block, summary};
use maud::{Markup, html};
use std::collections::BTreeMap;
use stickler_judge::{Report, Reported, Verdict};

pub(super) fn table(report: &Report) -> Markup {
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for outcome in &report.outcomes {
        *verdicts.entry(outcome.verdict).or_default() += 1;
    }
    let total = report.outcomes.len();
    html! {
        section aria-labelledby="rules" {
            h2 id="rules" { "Rules " span.dim { (thousands(total)) } }
            form #filter hidden {
                label { "Search " input type="search" name="text" autocomplete="off"; }
                label {
                    "Verdict "
                    select name="verdict" {
                        option value="" { "all" }
                        @for (verdict, number) in &verdicts {
                            option value=(verdict.name()) {
                                (block::verdict_label(*verdict).0.to_lowercase()) " (" (thousands(*number)) ")"
                            }
                        }
                    }
                }
                output name="shown" {}
            }
            table #all {
                thead {
                    tr {
                        th scope="col" { "Rule" }
                        th scope="col" { "Verdict" }
                        th.wide scope="col" { "Level" }
                        th.wide.figure scope="col" { "Cases" }
                        th scope="col" { "Requires" }
                    }
                }
                tbody { @for outcome in &report.outcomes { (row(outcome, report.strict)) } }
            }
        }
    }
}

fn row(outcome: &Reported, strict: bool) -> Markup {
    let code = visible(&outcome.code);
    let is_shown = matches!(
        outcome.verdict,
        Verdict::Fail | Verdict::Flaky | Verdict::Xpass | Verdict::Advice
    );
    // The articles above already say what happened.
    let message = outcome.message.as_deref().filter(|_| !is_shown);
    html! {
        tr.(class(outcome, strict)) data-verdict=(outcome.verdict.name()) {
            th scope="row" {
                @if is_shown { a href=(format!("#{code}")) { (code) } } @else { (code) }
            }
            td { (label(outcome, strict)) }
            td.wide { (outcome.level.name()) }
            td.wide.figure { (thousands(outcome.cases)) }
            td {
                (sentence(&outcome.title))
                @if let Some(message) = message { div.dim { (sentence(message)) } }
                @if let Some(fewer) = summary::fewer(outcome) { div.dim { (fewer) } }
            }
        }
    }
}
