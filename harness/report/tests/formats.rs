//! One snapshot a format for each of a few reports.

mod support;

use stickler_report::{Format, Options};
use support::{all, rendered};

fn snapshots(format: Format) {
    for (name, report) in all() {
        let version = concat!("\"semanticVersion\": \"", env!("CARGO_PKG_VERSION"), "\"");
        let text = rendered(&report, format, &Options::default())
            .replace(version, "\"semanticVersion\": \"[version]\"");
        insta::assert_snapshot!(format!("{format}__{name}"), text);
    }
}

#[test]
fn pretty() {
    snapshots(Format::Pretty);
}

#[test]
fn json() {
    snapshots(Format::Json);
}

#[test]
fn junit() {
    snapshots(Format::Junit);
}

#[test]
fn sarif() {
    snapshots(Format::Sarif);
}

#[test]
fn tap() {
    snapshots(Format::Tap);
}

#[test]
fn github() {
    snapshots(Format::Github);
}

#[test]
fn pretty_and_verbose_in_a_wide_terminal() {
    let options = Options {
        verbose: true,
        width: 120,
        explain_hint: false,
        ..Options::default()
    };
    for (name, report) in all() {
        let text = rendered(&report, Format::Pretty, &options);
        insta::assert_snapshot!(format!("verbose__{name}"), text);
    }
}

#[test]
fn pretty_in_a_narrow_terminal_in_colour() {
    let options = Options {
        width: 60,
        color: true,
        ..Options::default()
    };
    for (name, report) in all() {
        let text = rendered(&report, Format::Pretty, &options).replace('\x1b', "␛");
        insta::assert_snapshot!(format!("narrow__{name}"), text);
    }
}

#[test]
fn strict_fails_on_should() {
    let mut report = support::wrong();
    report.strict = true;
    for format in [Format::Tap, Format::Github] {
        let lenient = rendered(&support::wrong(), format, &Options::default());
        let strict = rendered(&report, format, &Options::default());
        let lenient: Vec<&str> = lenient.lines().collect();
        let changed: Vec<&str> = strict
            .lines()
            .filter(|line| !lenient.contains(line))
            .collect();
        insta::assert_snapshot!(format!("strict__{format}"), changed.join("\n"));
    }
}

#[test]
fn all_well_is_two_lines() {
    let options = Options {
        width: 120,
        ..Options::default()
    };
    let text = rendered(&support::all_well(), Format::Pretty, &options);
    let last = "5 passed, 4 not exercised (PM602 PM603 PM604 PM605: no result classes were set)   388 exchanges, 1.9 s";
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), [last]);
}
