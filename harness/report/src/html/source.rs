//! The subject's own files, line by line: which lines ran.

use super::parts::sentence;
use crate::campaign::{Reach, SourceFile, Sources};
use crate::text::visible;
use crate::words::{count, thousands};
use maud::{Markup, html};

/// How many files are shown.
const FILES: usize = 20;
/// How many lines of a file are shown.
const LINES: usize = 5_000;
/// How many gaps are named above a file.
const GAPS: usize = 60;
/// The columns between two tab stops.
const TAB: usize = 4;

pub(super) fn section(sources: &Sources) -> Markup {
    html! {
        section aria-labelledby="lines" {
            h2 id="lines" { "Lines" }
            @match sources {
                Sources::Unknown(why) => { p { (sentence(why)) } }
                Sources::Known(how, files) => {
                    p { (sentence(how)) }
                    ul.legend {
                        li.reached { "reached" }
                        li.missed { "not reached" }
                    }
                    @for (number, file) in files.iter().take(FILES).enumerate() {
                        (details(number + 1, file))
                    }
                    @if files.len() > FILES {
                        p.dim { (count(files.len() - FILES, "more file")) " left out" }
                    }
                }
            }
        }
    }
}

fn details(number: usize, file: &SourceFile) -> Markup {
    let of = |wanted: Reach| file.lines.iter().filter(|line| line.0 == wanted).count();
    let (reached, missed) = (of(Reach::Reached), of(Reach::Missed));
    let all = reached + missed;
    let gaps = gaps(&file.lines);
    let rest = file.lines.len().saturating_sub(LINES);
    html! {
        // The module itself is what the reader wants; the others are there if needed.
        details.file open[number == 1] {
            summary {
                code { (visible(&file.name)) } " "
                span.dim {
                    (thousands(reached)) " of " (count(all, "line")) " reached"
                    @if all > 0 { " (" (100 * reached / all) " %)" }
                }
            }
            @if let Some(remark) = &file.remark { p.remark { (sentence(remark)) } }
            @if !gaps.is_empty() {
                p.gaps {
                    "Not reached: "
                    @for (index, (from, to)) in gaps.iter().take(GAPS).enumerate() {
                        @if index > 0 { ", " }
                        a href=(format!("#file{number}-{from}")) {
                            (from) @if to > from { "–" (to) }
                        }
                    }
                    @if gaps.len() > GAPS { ", and " (count(gaps.len() - GAPS, "more place")) }
                }
            }
            ol.source {
                @for (index, (reach, text)) in file.lines.iter().take(LINES).enumerate() {
                    @let is_first = gaps.iter().any(|gap| gap.0 == index + 1);
                    @let id = is_first.then(|| format!("file{number}-{}", index + 1));
                    (line(*reach, text, id.as_deref()))
                }
            }
            @if rest > 0 { p.dim { (count(rest, "more line")) " left out" } }
        }
    }
}

fn line(reach: Reach, text: &str, id: Option<&str>) -> Markup {
    let (class, words) = match reach {
        Reach::Reached => ("reached", ""),
        Reach::Missed => ("missed", "not reached: "),
        Reach::NoCode => ("nocode", ""),
    };
    html! {
        li.(class) id=[id] {
            pre {
                @if !words.is_empty() { span.unseen { (words) } }
                (visible(&untabbed(text)))
            }
        }
    }
}

/// The first and last lines of all parts that did not run. Lines without code do not end a part.
fn gaps(lines: &[(Reach, String)]) -> Vec<(usize, usize)> {
    let mut gaps: Vec<(usize, usize)> = Vec::new();
    let mut goes_on = false;
    for (index, (reach, _)) in lines.iter().enumerate() {
        match reach {
            Reach::Reached => goes_on = false,
            Reach::NoCode => {}
            Reach::Missed => {
                match gaps.last_mut() {
                    Some(gap) if goes_on => gap.1 = index + 1,
                    _ => gaps.push((index + 1, index + 1)),
                }
                goes_on = true;
            }
        }
    }
    gaps
}

/// A line with spaces instead of tabs.
fn untabbed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let spaces = TAB - column % TAB;
                out.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_did_not_run_go_on_over_lines_without_code() {
        let lines: Vec<(Reach, String)> = "+- -+ -"
            .chars()
            .map(|c| match c {
                '+' => Reach::Reached,
                '-' => Reach::Missed,
                _ => Reach::NoCode,
            })
            .map(|reach| (reach, String::new()))
            .collect();
        assert_eq!(gaps(&lines), [(2, 4), (7, 7)]);
    }

    #[test]
    fn tabs_become_spaces_up_to_the_next_stop() {
        assert_eq!(untabbed("\ta\tb"), "    a   b");
    }
}
