//! What a misspelt name may have meant.

/// Advice for a name that is none of the known ones, as it follows a semicolon.
pub(crate) fn advice<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let distances = known
        .iter()
        .map(|one| (strsim::osa_distance(one, wanted), *one));
    match distances.min().filter(|(distance, _)| *distance <= 2) {
        Some((_, near)) => format!("did you mean \"{near}\"?"),
        None if known.is_empty() => "there is none".to_owned(),
        None => format!("there are: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn the_nearest_name_is_named_or_all() {
        assert_eq!(advice("fiel", ["exec", "file"]), "did you mean \"file\"?");
        assert_eq!(advice("package", ["exec", "file"]), "there are: exec, file");
    }
}
