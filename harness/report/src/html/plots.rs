//! Plots over the time of a campaign. The lines stretch with the window; the words beside them do
//! not, so that they stay readable.

use super::anchored::{Anchored, tone};
use crate::block;
use crate::campaign::{Campaign, Sample};
use crate::text::visible;
use crate::words::{clock, message, thousands};
use maud::{Markup, html};
use std::fmt::Write as _;

/// The size of a plot in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;
/// The most steps in a plot of speed: shorter ones show only noise.
const STEPS: usize = 100;

/// A line in a plot.
struct Curve {
    class: &'static str,
    /// Times in seconds, and values.
    points: Vec<(f64, f64)>,
    /// Does the value stay until the next point?
    steps: bool,
}

/// What a plot shows, in words too.
struct Plot<'p> {
    title: &'p str,
    says: String,
    seconds: f64,
    curves: Vec<Curve>,
    /// Classes of colours, and what they stand for.
    legend: Vec<(&'static str, &'static str)>,
}

pub(super) fn all(campaign: &Campaign, defects: &[Anchored<'_>]) -> Markup {
    let samples = &campaign.samples;
    let seconds = samples.last().map_or(0.0, |last| last.at);
    let last = samples.last().copied().unwrap_or_default();
    let curve = |class, value: &dyn Fn(&Sample) -> Option<usize>| Curve {
        class,
        points: samples
            .iter()
            .map(|sample| (sample.at, value(sample).unwrap_or(0) as f64))
            .collect(),
        steps: false,
    };
    let speed = speed(samples);
    let rates = speed.iter().map(|(_, rate)| *rate);
    let fastest = rates.fold(0.0, f64::max);
    let average = last.requests as f64 / seconds.max(1e-3);
    let speed = Plot {
        title: "Requests per second",
        says: format!(
            "{} on average, {} at most",
            figure(average),
            figure(fastest)
        ),
        seconds,
        curves: vec![Curve {
            class: "one",
            points: speed,
            steps: false,
        }],
        legend: Vec::new(),
    };
    let corpus = Plot {
        title: "Corpus",
        says: format!("{} at the end", thousands(last.corpus)),
        seconds,
        curves: vec![curve("one", &|sample| Some(sample.corpus))],
        legend: Vec::new(),
    };
    let mut coverage = Plot {
        title: "Coverage",
        says: format!("{} forms of answers", thousands(last.answers)),
        seconds,
        curves: vec![curve("one", &|sample| Some(sample.answers))],
        legend: Vec::new(),
    };
    if let Some(lines) = last.lines {
        coverage.says = format!(
            "{} forms of answers, {} pairs of lines",
            thousands(last.answers),
            thousands(lines)
        );
        coverage.curves.push(curve("two", &|sample| sample.lines));
        coverage.legend = vec![("one", "forms of answers"), ("two", "pairs of lines")];
    }
    html! {
        div.plots {
            (speed.figure(&html! {}))
            (corpus.figure(&html! {}))
            (coverage.figure(&html! {}))
            (findings(seconds, defects, campaign.strict))
        }
    }
}

/// Requests per second, in steps of equal length.
fn speed(samples: &[Sample]) -> Vec<(f64, f64)> {
    let seconds = samples.last().map_or(0.0, |last| last.at);
    let step = seconds / STEPS as f64;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut from = samples.first().copied().unwrap_or_default();
    for sample in samples.iter().skip(1) {
        let took = sample.at - from.at;
        let is_last = sample.at >= seconds;
        if took < step && !is_last || took <= 0.0 {
            continue;
        }
        let rate = sample.requests.saturating_sub(from.requests) as f64 / took;
        // What is left at the end may be too short to tell a speed.
        if took >= step / 2.0 || points.is_empty() {
            points.push((from.at, rate));
        }
        from = *sample;
    }
    points.extend(points.last().map(|(_, rate)| (seconds, *rate)));
    points
}

/// The number of findings, with a dot for each, which leads to its article.
fn findings(seconds: f64, defects: &[Anchored<'_>], strict: bool) -> Markup {
    let mut found: Vec<&Anchored<'_>> = defects.iter().collect();
    found.sort_by(|a, b| a.defect.at.total_cmp(&b.defect.at));
    let count = found.len() as f64;
    let times = found.iter().map(|one| one.defect.at.min(seconds));
    let totals = (1..=found.len()).map(|number| number as f64);
    let points = std::iter::once((0.0, 0.0)).chain(times.zip(totals));
    let mut labels: Vec<(&'static str, &'static str)> = Vec::new();
    for one in defects {
        let words = block::label(&one.defect.outcome, strict).0;
        let label = (tone(one.defect, strict), words);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let plot = Plot {
        title: "Findings",
        says: match found.first() {
            None => "none".to_owned(),
            Some(first) => format!(
                "{}, the first after {}",
                thousands(found.len()),
                clock(first.defect.at)
            ),
        },
        seconds,
        curves: vec![Curve {
            class: "all",
            points: points.chain([(seconds, count)]).collect(),
            steps: true,
        }],
        legend: labels,
    };
    let most = nice(count);
    plot.figure(&html! {
        @for (index, Anchored { id, defect }) in found.iter().enumerate() {
            @let (x, y) = place(defect.at.min(seconds), index as f64 + 1.0, seconds, most);
            a href=(format!("#{id}")) {
                title {
                    (visible(&defect.outcome.code)) " after " (clock(defect.at)) ": "
                    (visible(message(&defect.outcome)))
                }
                path.dot.(tone(defect, strict)) d=(format!("M{x:.1} {y:.1}h.01")) {}
            }
        }
    })
}

impl Plot<'_> {
    fn figure(&self, dots: &Markup) -> Markup {
        let values = self.curves.iter().flat_map(|curve| &curve.points);
        let most = nice(values.map(|point| point.1).fold(0.0, f64::max));
        html! {
            figure {
                figcaption { b { (self.title) } " " span.dim { (self.says) } }
                div.plot {
                    div.scale aria-hidden="true" {
                        @for value in [most, most / 2.0, 0.0] { span { (figure(value)) } }
                    }
                    svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" {
                        title { (self.title) ": " (self.says) }
                        path.grid d=(format!(
                            "M0 0H{WIDTH}M0 {0}H{WIDTH}M0 {HEIGHT}H{WIDTH}", HEIGHT / 2.0
                        )) {}
                        @for curve in &self.curves { (curve.drawn(self.seconds, most)) }
                        (dots)
                    }
                    div.times aria-hidden="true" {
                        @for part in [0.0, 0.5, 1.0] { span { (clock(self.seconds * part)) } }
                    }
                }
                @if !self.legend.is_empty() {
                    ul.legend { @for (class, words) in &self.legend { li.(class) { (words) } } }
                }
            }
        }
    }
}

impl Curve {
    fn drawn(&self, seconds: f64, most: f64) -> Markup {
        let mut line = String::new();
        for (index, (at, value)) in self.points.iter().enumerate() {
            let (x, y) = place(*at, *value, seconds, most);
            let _ = match (index, self.steps) {
                (0, _) => write!(line, "M{x:.1} {y:.1}"),
                (_, true) => write!(line, "H{x:.1}V{y:.1}"),
                (_, false) => write!(line, "L{x:.1} {y:.1}"),
            };
        }
        let (from, _) = place(
            self.points.first().map_or(0.0, |one| one.0),
            0.0,
            seconds,
            most,
        );
        html! {
            path.area.(self.class) d=(format!("{line}V{HEIGHT}H{from:.1}Z")) {}
            path.curve.(self.class) d=(line) {}
        }
    }
}

/// A point in the units of a plot.
fn place(at: f64, value: f64, seconds: f64, most: f64) -> (f64, f64) {
    (
        WIDTH * at / seconds.max(1e-3),
        HEIGHT * (1.0 - value / most),
    )
}

/// A round number that is not smaller, and whose half is round too.
fn nice(most: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 < most {
        unit *= 10.0;
    }
    let factors = [2.0, 4.0, 6.0, 8.0];
    let fits = factors.into_iter().find(|factor| factor * unit >= most);
    fits.unwrap_or(10.0) * unit
}

/// A value on the scale, as people read it.
fn figure(value: f64) -> String {
    match value {
        _ if value < 10.0 && value.fract() > 0.05 => format!("{value:.1}"),
        _ => thousands(value.round() as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_numbers() {
        for (most, wanted) in [
            (0.0, 2.0),
            (1.0, 2.0),
            (3.0, 4.0),
            (10.0, 10.0),
            (179.0, 200.0),
        ] {
            assert_eq!(nice(most), wanted);
        }
        assert_eq!(nice(8_100.0), 10_000.0);
    }

    #[test]
    fn speed_is_plotted_for_the_whole_time_in_a_few_steps() {
        let samples: Vec<Sample> = (0..=512)
            .map(|number| Sample {
                at: f64::from(number),
                requests: number as u64 * 50,
                ..Sample::default()
            })
            .collect();
        let points = speed(&samples);
        assert!(points.len() > 50 && points.len() < 120, "{}", points.len());
        assert_eq!((points[0].0, points[points.len() - 1].0), (0.0, 512.0));
        assert!(points.iter().all(|(_, rate)| *rate == 50.0), "{points:?}");
    }
}
