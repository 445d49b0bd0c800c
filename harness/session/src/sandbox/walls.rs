//! The isolation of the copy tier: Landlock, which needs no privilege.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};

use super::Error;

/// Files that programs may write to without changing anything.
const HARMLESS: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Rules that allow changes in the scratch directory only.
///
/// # Errors
///
/// If the kernel has no Landlock.
pub(super) fn landlock(scratch: &Path) -> Result<OwnedFd, Error> {
    let error = |error: &dyn std::fmt::Display| Error::Landlock(error.to_string());
    let writes = AccessFs::from_write(ABI::V5);
    let mut created = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V1))
        .map_err(|e| error(&e))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writes)
        .map_err(|e| error(&e))?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)
        .map_err(|e| error(&e))?
        .create()
        .map_err(|e| error(&e))?;
    let below = PathFd::new(scratch).map_err(|e| error(&e))?;
    created = created
        .add_rule(PathBeneath::new(below, writes))
        .map_err(|e| error(&e))?;
    let file: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in HARMLESS {
        if let Ok(fd) = PathFd::new(path) {
            let rights = if Path::new(path).is_dir() {
                file & !AccessFs::Truncate
            } else {
                file
            };
            created = created
                .add_rule(PathBeneath::new(fd, rights))
                .map_err(|e| error(&e))?;
        }
    }
    Option::<OwnedFd>::from(created)
        .ok_or_else(|| Error::Landlock("the kernel has none".to_owned()))
}
