//! Which release an agent behaves as.

use crate::rows::order;
use crate::{Difference, Ran, Table};

/// The release with which an agent agrees most often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The release.
    pub release: String,
    /// In how many situations the agent does the same.
    pub agrees: usize,
    /// In how many situations both were seen.
    pub of: usize,
}

/// The release that the agent behaves as. Of several with equally many agreements, it is the one of the agent's own
/// version, else the newest that is no newer. `None` if nothing was recorded of the situations.
///
/// # Errors
///
/// If what was seen has another form.
pub fn standing(table: &dyn Table, ran: &Ran) -> anyhow::Result<Option<Standing>> {
    let own = order(table.version());
    let mut best: Option<(Standing, bool)> = None;
    for release in table.releases() {
        let (agrees, of) = agreements(table, ran, &release)?;
        let older = order(&release) <= own;
        let better = match &best {
            None => true,
            Some((known, _)) if agrees != known.agrees => agrees > known.agrees,
            // From the oldest to the newest: a later one is nearer, unless it is newer than the agent.
            Some((_, known_older)) => older || !known_older,
        };
        if of > 0 && better {
            let standing = Standing {
                release,
                agrees,
                of,
            };
            best = Some((standing, older));
        }
    }
    Ok(best.map(|(standing, _)| standing))
}

/// In how many situations the agent does the same as a release, and in how many both were seen.
///
/// # Errors
///
/// If what was seen has another form.
pub fn agreements(table: &dyn Table, ran: &Ran, release: &str) -> anyhow::Result<(usize, usize)> {
    let (mut agrees, mut of) = (0, 0);
    for (at, played) in ran {
        let Ok(played) = played else { continue };
        if let Some(found) = table.differences(*at, &played.seen, release)? {
            of += 1;
            agrees += usize::from(found.is_empty());
        }
    }
    Ok((agrees, of))
}

/// The situations in which the agent differs from a release, with the differences.
///
/// # Errors
///
/// If what was seen has another form.
pub fn differing(
    table: &dyn Table,
    ran: &Ran,
    release: &str,
) -> anyhow::Result<Vec<(usize, Vec<Difference>)>> {
    let mut all = Vec::new();
    for (at, played) in ran {
        let Ok(played) = played else { continue };
        let found = table.differences(*at, &played.seen, release)?;
        if let Some(found) = found.filter(|found| !found.is_empty()) {
            all.push((*at, found));
        }
    }
    Ok(all)
}
