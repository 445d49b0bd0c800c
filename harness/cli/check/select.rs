//! `--select` and `--ignore`: the rules that judge.

use stickler_face::Failure;
use stickler_face::args::ReportArgs;
use stickler_judge::Rule;

/// The rules that the filters select.
///
/// # Errors
/// If they select none.
pub fn selected(args: &ReportArgs, rules: &[&'static Rule]) -> Result<Vec<&'static Rule>, Failure> {
    let mut selected = match &args.select[..] {
        [] => rules.to_vec(),
        prefixes => matching(rules, prefixes)?,
    };
    let ignored = matching(rules, &args.ignore)?;
    selected.retain(|rule| ignored.iter().all(|other| other.code != rule.code));
    if selected.is_empty() {
        return Err(Failure::usage(
            "--select and --ignore together leave no rule; `stickler rules` lists them",
        ));
    }
    Ok(selected)
}

/// The rules whose codes begin with one of these prefixes.
pub(super) fn matching<'r>(
    rules: &[&'r Rule],
    prefixes: &[String],
) -> Result<Vec<&'r Rule>, Failure> {
    let prefixes: Vec<String> = prefixes.iter().map(|it| it.to_ascii_uppercase()).collect();
    let begins = |rule: &Rule, prefix: &String| rule.code.starts_with(&prefix[..]);
    for prefix in &prefixes {
        if !rules.iter().any(|rule| begins(rule, prefix)) {
            return Err(Failure::usage(format!(
                "no rule begins with \"{prefix}\"; `stickler rules` lists them"
            )));
        }
    }
    let matches = |rule: &&&Rule| prefixes.iter().any(|prefix| begins(rule, prefix));
    Ok(rules.iter().filter(matches).copied().collect())
}
