//! The parts of a plan that make the scratch space, and a /tmp where the machine's cannot be shown.

use std::path::Path;

use super::plan::{Builder, SCRATCH, SUBFOLDERS, at_root, attributes, c};
use super::step::{Purpose, Step};

/// The subfolders that are on other file systems than the scratch space, and their directories on
/// the stage.
const OUTLYING: [(&str, &str); 2] = [("home", "home"), ("tmp", "tmpdir")];

impl Builder<'_> {
    /// If /tmp cannot be an overlay, the subject gets an empty one.
    pub(super) fn private_tmp(&mut self) {
        self.directory(Purpose::Essential, "tmp", 0o1777, None);
        self.directory(Purpose::Essential, "root/tmp", 0o1777, None);
        self.push(
            Purpose::Essential,
            Step::Bind {
                from: c("tmp"),
                at: c("root/tmp"),
                recursive: false,
            },
        );
        self.plan
            .layers
            .retain(|layer| layer.at != Path::new("/tmp"));
        self.layer("tmp", "/tmp");
        self.plan.refused.retain(|path| path != Path::new("/tmp"));
    }

    /// Mounts the scratch space. Its mount point is created in the upper directory before the
    /// overlay is mounted, so that nothing of the machine at this path matters.
    pub(super) fn scratch(&mut self) {
        let Some((layer, place)) = self.plan.place(Path::new(SCRATCH)) else {
            return;
        };
        let stage = layer.stage.clone();
        let mut steps = Vec::new();
        let mut make = |path: &Path, mode, owner| {
            let path = c(path);
            steps.push((Purpose::Essential, Step::Directory { path, mode, owner }));
        };
        if let Some(parent) = place.parent()
            && parent != Path::new(&stage)
        {
            let (mode, owner) = attributes(Path::new("/tmp"));
            make(parent, mode, self.situation.privileged.then_some(owner));
        }
        make(&place, 0o755, None);
        self.lay_out(&stage, steps);

        let essential = Purpose::Essential;
        self.directory(essential.clone(), "scratch", 0o755, None);
        self.push(
            essential.clone(),
            Step::Mount {
                kind: c("tmpfs"),
                at: c("scratch"),
                flags: libc::MS_NODEV | libc::MS_NOSUID,
                data: c(&self.situation.scratch_options),
            },
        );
        for name in SUBFOLDERS {
            self.directory(essential.clone(), format!("scratch/{name}"), 0o755, None);
        }
        self.stage(&essential, "scratch", SCRATCH);
        for (name, stage) in OUTLYING {
            self.directory(essential.clone(), stage, 0o755, None);
            self.stage(&essential, stage, &format!("{SCRATCH}/{name}"));
        }
    }

    /// Binds a directory of the stage to a path.
    fn stage(&mut self, purpose: &Purpose, stage: &str, path: &str) {
        let bind = Step::Bind {
            from: c(stage),
            at: c(at_root(Path::new(path))),
            recursive: false,
        };
        self.push(purpose.clone(), bind);
        self.layer(stage, path);
    }

    /// Inserts steps right after the step that creates an upper directory.
    fn lay_out(&mut self, stage: &str, steps: Vec<(Purpose, Step)>) {
        let made = c(stage);
        let after = self
            .plan
            .steps
            .iter()
            .position(|(_, step)| matches!(step, Step::Directory { path, .. } if *path == made))
            .map_or(self.plan.steps.len(), |position| position + 1);
        self.plan.steps.splice(after..after, steps);
    }
}
