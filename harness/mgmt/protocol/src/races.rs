//! Reports of Go's race detector.

/// A report in words, with the places of both accesses. `None` if one of them is the host's.
pub fn race(report: &str) -> Option<String> {
    let report = report.split("==================").next()?;
    let mut accesses = report.lines().enumerate().filter(|(_, line)| {
        let line = line.trim_start().to_lowercase();
        ["read at", "write at", "previous read", "previous write"]
            .iter()
            .any(|start| line.starts_with(start))
    });
    let lines: Vec<&str> = report.lines().collect();
    let place = |(at, _): (usize, &str)| {
        // A line with the function, then one with its place.
        let frames = lines[at + 1..]
            .iter()
            .take_while(|line| !line.trim().is_empty());
        let mut places = frames.filter_map(|line| {
            let place = line.trim().split(" +0x").next()?;
            (line.starts_with("      ") && place.starts_with('/')).then_some(place)
        });
        places.find(|place| !place.contains("/src/runtime/") && !place.contains("/src/reflect/"))
    };
    let (one, other) = (place(accesses.next()?)?, place(accesses.next()?)?);
    if one.contains("/sticklerhost/") || other.contains("/sticklerhost/") {
        return None;
    }
    let file = |place: &str| place.rsplit('/').next().unwrap_or(place).to_owned();
    Some(format!(
        "a data race between {} and {}",
        file(one),
        file(other)
    ))
}
