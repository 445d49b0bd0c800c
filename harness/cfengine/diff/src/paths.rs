//! The paths of a run, which differ from run to run and are replaced by names.

use std::path::Path;

/// Paths that are replaced by names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a> {
    /// The room's scratch space.
    pub scratch: &'a Path,
    /// The directory in which the agent is called.
    pub cwd: &'a Path,
}

impl Paths<'_> {
    /// The text with names in place of the paths.
    pub(crate) fn named(&self, text: &str) -> String {
        let text = text.replace(&*self.scratch.to_string_lossy(), "{scratch}");
        match self.cwd.to_string_lossy() {
            cwd if cwd == "/" => text,
            cwd => text.replace(&*cwd, "{cwd}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Paths;
    use std::path::Path;

    #[test]
    fn paths_are_written_by_name() {
        let paths = Paths {
            scratch: Path::new("/tmp/stickler"),
            cwd: Path::new("/home/u/p"),
        };
        let text = "/tmp/stickler/work/x /home/u/p/p.cf";
        assert_eq!(paths.named(text), "{scratch}/work/x {cwd}/p.cf");
    }
}
