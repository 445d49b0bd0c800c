//! The mounts of a sandbox: planned once per run, executed by every init.
//!
//! The init works in a private tmpfs, the *stage*. Every path here is relative to it, or absolute
//! on the host:
//!
//! ```text
//! root/      becomes / of the subject
//! upper/N    the subject's changes in the overlay N
//! work/N     used by the kernel
//! scratch/   a file system of its own: the scratch space
//! dev/ run/ shm/ tmp/ home/ tmpdir/   directories bound to their places
//! ```
//!
//! Real machines have several file systems, and `rename` and `link` do not reach from one into
//! another. So the scratch space, HOME and TMPDIR in it, and the directories [`APART`] are separate
//! mounts.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::mountinfo::Mount;
pub(super) use super::step::{Purpose, Step};

/// The scratch space's path, as the subject sees it.
pub(super) const SCRATCH: &str = "/tmp/stickler";
/// The subfolders of the scratch space.
pub(super) const SUBFOLDERS: [&str; 5] = ["dir", "dir2", "home", "tmp", "bin"];
/// Directories of the machine that get a file system of their own, as on many real machines.
const APART: [&str; 3] = ["/tmp", "/var", "/var/tmp"];

/// How the sandbox shows a directory of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// As an overlay: changes stay in the sandbox.
    Overlay,
    /// As a read-only directory whose entries are treated one by one.
    Skeleton,
    /// As a read-only view.
    ReadOnly,
    /// As an empty directory.
    Hidden,
}

/// A directory that receives changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    /// Its path below the stage.
    pub(super) stage: String,
    /// Its path as the subject sees it.
    pub(super) at: PathBuf,
    /// Is it an overlay over the same directory of the host?
    pub(super) overlay: bool,
}

/// What the plan depends on.
#[derive(Clone, Debug)]
pub(super) struct Situation {
    pub(super) mounts: Vec<Mount>,
    /// Can it mount without a user namespace?
    pub(super) privileged: bool,
    /// The mount options of overlays, after the directories.
    pub(super) overlay_options: &'static str,
    /// The mount options of the scratch space.
    pub(super) scratch_options: String,
    /// Paths of the host that the subject may use and change.
    pub(super) expose: Vec<PathBuf>,
    /// Does it have its own network namespace?
    pub(super) own_network: bool,
    /// A limit on process ids, if the kernel applies it per pid namespace.
    pub(super) process_ids: Option<u32>,
}

/// The steps and the layers that they create.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<(Purpose, Step)>,
    pub(super) layers: Vec<Layer>,
    /// Directories of the host that cannot be changed.
    pub(super) refused: Vec<PathBuf>,
}

/// The changes to the plan because of failed steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    pub(super) treatments: BTreeMap<PathBuf, Treatment>,
    pub(super) bind_devices: bool,
    pub(super) bind_sys: bool,
    pub(super) hide_sys: bool,
    pub(super) no_terminals: bool,
    pub(super) no_bound: bool,
}

pub(super) const SPECIAL: [&str; 4] = ["/proc", "/sys", "/dev", "/run"];
const MAX_CHILDREN: usize = 96;
const MAX_SUBMOUNTS: usize = 40;

/// A path for the kernel. Paths of the host contain no NUL byte.
pub(super) fn c(path: impl AsRef<Path>) -> CString {
    CString::new(path.as_ref().as_os_str().as_bytes()).unwrap_or_default()
}

impl Plan {
    /// Plans the mounts for a situation, with the repairs from earlier trials.
    pub(super) fn new(situation: &Situation, repairs: &Repairs) -> Self {
        let mut builder = Builder {
            situation,
            repairs,
            plan: Self::default(),
        };
        builder.build();
        builder.plan
    }

    /// The layer to which a path of the subject belongs, and the path of its file on the stage.
    pub(super) fn place(&self, path: &Path) -> Option<(&Layer, PathBuf)> {
        let layer = self
            .layers
            .iter()
            .filter(|layer| path.starts_with(&layer.at))
            .max_by_key(|layer| layer.at.components().count())?;
        Some((
            layer,
            Path::new(&layer.stage).join(path.strip_prefix(&layer.at).ok()?),
        ))
    }
}

pub(super) struct Builder<'a> {
    pub(super) situation: &'a Situation,
    pub(super) repairs: &'a Repairs,
    pub(super) plan: Plan,
}

impl Builder<'_> {
    fn build(&mut self) {
        for path in ["root", "upper", "work"] {
            self.directory(Purpose::Essential, path, 0o755, None);
        }
        for (path, at, mode) in [("run", "/run", 0o755), ("shm", "/dev/shm", 0o1777)] {
            self.directory(Purpose::Essential, path, mode, None);
            self.layer(path, at);
        }
        self.directory(Purpose::Essential, "run/lock", 0o1777, None);
        self.show(Path::new("/"), 0);
        if self
            .plan
            .place(Path::new("/tmp"))
            .is_none_or(|(layer, _)| !layer.overlay)
        {
            self.private_tmp();
        }
        self.scratch();
        self.special();
        self.exposed();
        if self.treatment(Path::new("/")) == Treatment::Skeleton {
            self.push(
                Purpose::Essential,
                Step::ReadOnly {
                    at: c("root"),
                    recursive: false,
                },
            );
        }
    }

    pub(super) fn push(&mut self, purpose: Purpose, step: Step) {
        self.plan.steps.push((purpose, step));
    }

    /// Notes that a directory of the stage is at a path.
    pub(super) fn layer(&mut self, stage: &str, at: &str) {
        self.plan.layers.push(Layer {
            stage: stage.to_owned(),
            at: at.into(),
            overlay: false,
        });
    }

    pub(super) fn directory(
        &mut self,
        purpose: Purpose,
        path: impl AsRef<Path>,
        mode: u32,
        owner: Option<(u32, u32)>,
    ) {
        self.push(
            purpose,
            Step::Directory {
                path: c(path),
                mode,
                owner,
            },
        );
    }

    /// The mounts below a directory that are not below a special one.
    fn below(&self, dir: &Path) -> impl Iterator<Item = &Mount> {
        self.situation.mounts.iter().filter(move |mount| {
            mount.at != dir
                && mount.at.starts_with(dir)
                && !SPECIAL.iter().any(|special| mount.at.starts_with(special))
        })
    }

    fn treatment(&self, dir: &Path) -> Treatment {
        if let Some(treatment) = self.repairs.treatments.get(dir) {
            return *treatment;
        }
        if let Some(mount) = self.situation.mounts.iter().find(|mount| mount.at == dir)
            && dir != Path::new("/")
        {
            if mount.is_virtual() {
                return Treatment::Hidden;
            }
            if !mount.is_local() || mount.read_only {
                return Treatment::ReadOnly;
            }
        }
        // In a user namespace the mounts of the host are locked together, and none can be removed.
        // Therefore a directory with mounts below it cannot be the lower one of an overlay.
        let holds_mounts = self
            .situation
            .mounts
            .iter()
            .any(|mount| mount.at != dir && mount.at.starts_with(dir));
        if holds_mounts && !self.situation.privileged {
            return Treatment::Skeleton;
        }
        Treatment::Overlay
    }

    /// Shows a directory of the host at the same path.
    fn show(&mut self, dir: &Path, depth: usize) {
        let purpose = Purpose::Show(dir.to_owned());
        let at = at_root(dir);
        match self.treatment(dir) {
            Treatment::Hidden => self.directory(purpose, at, 0o755, None),
            Treatment::ReadOnly => {
                self.plan.refused.push(dir.to_owned());
                self.read_only(purpose, dir);
            }
            Treatment::Skeleton if depth > 3 => {
                self.plan.refused.push(dir.to_owned());
                self.read_only(purpose, dir);
            }
            Treatment::Skeleton => self.skeleton(purpose, dir, depth),
            Treatment::Overlay => self.overlay(purpose, dir),
        }
    }

    fn overlay(&mut self, purpose: Purpose, dir: &Path) {
        let number = self.plan.layers.len();
        let (upper, work) = (format!("upper/{number}"), format!("work/{number}"));
        let (mode, owner) = attributes(dir);
        let owner = self.situation.privileged.then_some(owner);
        self.directory(purpose.clone(), &upper, mode, owner);
        self.directory(purpose.clone(), &work, 0o700, None);
        self.directory(purpose.clone(), at_root(dir), 0o755, None);
        let mut options = b"lowerdir=".to_vec();
        for byte in dir.as_os_str().as_bytes() {
            if b":,\\".contains(byte) {
                options.push(b'\\');
            }
            options.push(*byte);
        }
        let rest = format!(
            ",upperdir={STAGE}/{upper},workdir={STAGE}/{work}{}",
            self.situation.overlay_options
        );
        options.extend(rest.as_bytes());
        self.push(
            purpose,
            Step::Mount {
                kind: c("overlay"),
                at: c(at_root(dir)),
                flags: libc::MS_NODEV | libc::MS_NOSUID,
                data: CString::new(options).unwrap_or_default(),
            },
        );
        self.plan.layers.push(Layer {
            stage: upper,
            at: dir.to_owned(),
            overlay: true,
        });
        for at in self.mounts_in(dir) {
            match std::fs::symlink_metadata(&at) {
                Ok(metadata) if metadata.is_dir() => self.show(&at, 1),
                Ok(_) => self.read_only(Purpose::Show(at.clone()), &at),
                Err(_) => {}
            }
        }
    }

    /// The topmost mounts in an overlay: those of the machine, and directories that are to be apart.
    /// If the latter cannot be mounted, they stay part of the overlay.
    fn mounts_in(&self, dir: &Path) -> Vec<PathBuf> {
        let apart = APART.iter().map(PathBuf::from).filter(|at| {
            at.starts_with(dir)
                && at != dir
                && !self.repairs.treatments.contains_key(at)
                && std::fs::symlink_metadata(at).is_ok_and(|metadata| metadata.is_dir())
        });
        // Machines with containers have hundreds of mounts; the others stay hidden.
        let mounts = self.below(dir).map(|mount| mount.at.clone());
        let mut topmost: Vec<PathBuf> = Vec::new();
        for at in apart.chain(mounts) {
            if topmost.len() < MAX_SUBMOUNTS && !topmost.iter().any(|above| at.starts_with(above)) {
                topmost.push(at);
            }
        }
        topmost.sort();
        topmost
    }

    fn read_only(&mut self, purpose: Purpose, from: &Path) {
        let at = c(at_root(from));
        let make = match std::fs::symlink_metadata(from) {
            Ok(metadata) if metadata.is_dir() => Step::Directory {
                path: at.clone(),
                mode: 0o755,
                owner: None,
            },
            Ok(metadata) if metadata.is_file() => Step::File { path: at.clone() },
            _ => return,
        };
        self.push(purpose.clone(), make);
        self.push(
            purpose.clone(),
            Step::Bind {
                from: c(from),
                at: at.clone(),
                recursive: true,
            },
        );
        self.push(
            purpose,
            Step::ReadOnly {
                at,
                recursive: true,
            },
        );
    }

    fn skeleton(&mut self, purpose: Purpose, dir: &Path, depth: usize) {
        let mut children: Vec<PathBuf> = match std::fs::read_dir(dir) {
            Ok(entries) => entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect(),
            Err(_) => Vec::new(),
        };
        if children.len() > MAX_CHILDREN {
            self.plan.refused.push(dir.to_owned());
            return self.read_only(purpose, dir);
        }
        children.sort();
        if dir == Path::new("/") {
            self.push(
                purpose,
                Step::Bind {
                    from: c("root"),
                    at: c("root"),
                    recursive: false,
                },
            );
        } else {
            self.directory(purpose, at_root(dir), 0o755, None);
        }
        for child in children {
            if SPECIAL.iter().any(|special| child == Path::new(special)) {
                continue;
            }
            let Ok(metadata) = std::fs::symlink_metadata(&child) else {
                continue;
            };
            let purpose = Purpose::Show(child.clone());
            if metadata.is_symlink() {
                if let Ok(to) = std::fs::read_link(&child) {
                    self.push(
                        purpose,
                        Step::Symlink {
                            path: c(at_root(&child)),
                            to: c(to),
                        },
                    );
                }
            } else if metadata.is_dir() {
                self.show(&child, depth + 1);
            } else if metadata.is_file() {
                self.read_only(purpose, &child);
            }
        }
    }
}

/// Where the stage is mounted during the setup. /proc always exists, and is replaced later anyway.
pub(super) const STAGE: &str = "/proc";

/// `/a/b` as `root/a/b`.
pub(super) fn at_root(path: &Path) -> PathBuf {
    Path::new("root").join(path.strip_prefix("/").unwrap_or(path))
}

pub(super) fn attributes(dir: &Path) -> (u32, (u32, u32)) {
    match std::fs::metadata(dir) {
        Ok(metadata) => (metadata.mode() & 0o7777, (metadata.uid(), metadata.gid())),
        Err(_) => (0o755, (0, 0)),
    }
}
