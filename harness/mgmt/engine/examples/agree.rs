//! Replays a recording, and prints how much of each family agrees.
#![expect(clippy::print_stdout, reason = "an example prints")]

use mgmt_engine::replay::{by_family, replay};

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(path), filter) = (args.next(), args.next()) else {
        return;
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return println!("{path}: {error}"),
    };
    let cases = match replay(&text) {
        Ok(cases) => cases,
        Err(error) => return println!("{path}: {error}"),
    };
    for case in cases.iter().filter(|case| !case.agrees()) {
        if filter
            .as_ref()
            .is_none_or(|filter| case.family == *filter || case.name.contains(filter))
        {
            println!("# {} ({})", case.name, case.family);
            for difference in &case.differences {
                println!("  {difference}");
            }
        }
    }
    for (family, (agree, all)) in by_family(&cases) {
        println!("{family}: agree {agree}/{all}");
    }
    println!(
        "agree {}/{}",
        cases.iter().filter(|case| case.agrees()).count(),
        cases.len()
    );
}
