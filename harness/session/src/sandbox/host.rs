//! What this machine can do, found out once per run by trying.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::thread::{CapabilitySet, CpuSet};

use super::launcher::Launchers;
use super::limits::Limits;
use super::plan::{Plan, Purpose, Repairs, SCRATCH, Situation, Treatment};
use super::prepared::Network;
use super::slot::Slot;
use super::undertaker::{Networks, Undertaker};
use super::{Error, Sandbox, Spec, mountinfo, seccomp, walls, watch};
use crate::effects::Lower;

/// How far a sandbox keeps its subject from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Namespaces, and an overlay on the whole machine: nothing gets out, every effect is seen.
    Overlay,
    /// Landlock: writes go to the scratch directory or fail.
    Copy,
    /// A scratch directory, and no wall.
    None,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlay => "overlay",
            Self::Copy => "copy",
            Self::None => "none",
        })
    }
}

impl FromStr for Tier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        [Self::Overlay, Self::Copy, Self::None]
            .into_iter()
            .find(|tier| tier.to_string() == text)
            .ok_or_else(|| Error::UnknownTier(text.to_owned()))
    }
}

/// What a tier, on this machine, cannot give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// Changes outside the scratch directory are not seen.
    EffectsOutsideScratch,
    /// The subject sees, and may signal, other processes.
    ProcessIsolation,
    /// The network stays on.
    NetworkOff,
    /// No [`Target`](super::Target) but the plain one; [`Protection`](super::Protection) by
    /// modes alone.
    Targets,
    /// The subject can change the machine.
    Walls,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EffectsOutsideScratch => "effects outside the scratch directory",
            Self::ProcessIsolation => "process isolation",
            Self::NetworkOff => "network off",
            Self::Targets => "read-only and full targets",
            Self::Walls => "walls around the machine",
        })
    }
}

/// What the user may choose.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Leave the machine's network to subjects.
    pub network: bool,
    /// Files, directories and sockets of the machine that subjects may use and change, at the
    /// same absolute path.
    pub expose: Vec<PathBuf>,
    /// What subjects may use.
    pub limits: Limits,
}

/// A machine, probed, from which sandboxes are started. Cheap to clone, and shared by threads.
#[derive(Clone, Debug)]
pub struct Host {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) tier: Tier,
    reason: Option<String>,
    pub(super) options: HostOptions,
    pub(super) plan: Plan,
    /// The scratch directory of a tier without overlays.
    pub(super) slot: Option<Arc<Slot>>,
    /// The directory of the host below each layer of the plan.
    pub(super) lowers: Vec<Option<Lower>>,
    pub(super) privileged: bool,
    pub(super) filter: Vec<libc::sock_filter>,
    pub(super) watch: Vec<libc::sock_filter>,
    pub(super) cpus: CpuSet,
    /// Network namespaces of sandboxes that are gone and left no trace in them.
    pub(super) networks: Networks,
    pub(super) undertaker: Undertaker,
    pub(super) launchers: Launchers,
}

impl Host {
    /// Finds the best tier, or fails when the wanted one is not to be had.
    ///
    /// # Errors
    ///
    /// When the machine forbids the wanted tier, or not even a scratch directory can be made.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are given once, and kept"
    )]
    pub fn probe(wanted: Option<Tier>, options: HostOptions) -> Result<Self, Error> {
        if let Some(path) = options.expose.iter().find(|path| !path.is_absolute()) {
            return Err(Error::Expose(path.clone()));
        }
        let mut reason = None;
        for tier in [Tier::Overlay, Tier::Copy, Tier::None] {
            if wanted.is_some_and(|wanted| wanted != tier) {
                continue;
            }
            let tried = match tier {
                Tier::Overlay => Self::overlay(&options),
                Tier::Copy => Self::copy(&options),
                Tier::None => Self::plain(Tier::None, &options),
            };
            match tried {
                Ok(mut inner) => {
                    inner.reason = reason;
                    return Ok(Self {
                        inner: Arc::new(inner),
                    });
                }
                Err(error) if wanted.is_some() || tier == Tier::None => return Err(error),
                Err(error) => {
                    let text = format!("no {tier} sandbox: {error}");
                    reason = Some(match reason {
                        Some(earlier) => format!("{earlier}; {text}"),
                        None => text,
                    });
                }
            }
        }
        Err(Error::NoTier)
    }

    /// The tier of all sandboxes of this host.
    pub fn tier(&self) -> Tier {
        self.inner.tier
    }

    /// Why a better tier was not to be had.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.inner.reason.as_deref()
    }

    /// Where the scratch space of every sandbox lies, as subjects see it.
    ///
    /// In a tier without overlays it is one directory of the machine, so that sandboxes take
    /// turns: [`Sandbox::start`] waits until the one before is dropped.
    pub fn scratch(&self) -> &Path {
        Path::new(SCRATCH)
    }

    /// What the tier cannot give, in words for a transcript.
    pub fn lacks(&self) -> Vec<String> {
        self.lacking().iter().map(Lack::to_string).collect()
    }

    /// What the tier cannot give.
    pub fn lacking(&self) -> Vec<Lack> {
        let mut lacks = match self.inner.tier {
            Tier::Overlay => return Vec::new(),
            Tier::Copy | Tier::None => vec![
                Lack::EffectsOutsideScratch,
                Lack::ProcessIsolation,
                Lack::Targets,
            ],
        };
        if !self.inner.options.network {
            lacks.push(Lack::NetworkOff);
        }
        if self.inner.tier == Tier::None {
            lacks.push(Lack::Walls);
        }
        lacks
    }

    /// Directories of the machine that subjects see but cannot change, even in their own view:
    /// network file systems, say.
    pub fn refused(&self) -> &[PathBuf] {
        &self.inner.plan.refused
    }

    fn base(
        tier: Tier,
        options: &HostOptions,
        plan: Plan,
        privileged: bool,
    ) -> Result<Inner, Error> {
        let lowers = plan
            .layers
            .iter()
            .map(|layer| {
                if layer.overlay {
                    Lower::open(&layer.at).ok()
                } else {
                    None
                }
            })
            .collect();
        let cpus = rustix::thread::sched_getaffinity(None).map_err(Error::Probe)?;
        let networks = Networks::default();
        Ok(Inner {
            tier,
            reason: None,
            options: options.clone(),
            plan,
            slot: match tier {
                Tier::Overlay => None,
                Tier::Copy | Tier::None => Some(Slot::new()?),
            },
            lowers,
            privileged,
            filter: seccomp::filter(),
            watch: watch::filter(),
            cpus,
            undertaker: Undertaker::new(cpus, Arc::clone(&networks)),
            networks,
            launchers: Launchers::default(),
        })
    }

    fn overlay(options: &HostOptions) -> Result<Inner, Error> {
        let privileged = has_capability(CapabilitySet::SYS_ADMIN);
        let text = std::fs::read("/proc/self/mountinfo").map_err(Error::Proc)?;
        let first_namespace = std::fs::read_to_string("/proc/self/uid_map")
            .is_ok_and(|map| map.split_whitespace().eq(["0", "0", "4294967295"]));
        let trusted = privileged && first_namespace;
        let situation = Situation {
            mounts: mountinfo::parse(&text),
            privileged,
            overlay_options: if trusted {
                ",redirect_dir=nofollow,metacopy=off,index=off,xino=off"
            } else {
                ",userxattr"
            },
            opaque_attribute: if trusted {
                "trusted.overlay.opaque"
            } else {
                "user.overlay.opaque"
            },
            expose: options.expose.clone(),
            own_network: !options.network,
            process_ids: counts_processes_by_namespace()
                .then_some(options.limits.processes.max(301)),
        };
        let mut repairs = Repairs::default();
        // Every failed trial changes the plan for good, so this ends; the bound is for nightmares.
        for _ in 0..200 {
            let plan = Plan::new(&situation, &repairs);
            let mut inner = Self::base(Tier::Overlay, options, plan, privileged)?;
            let host = Self {
                inner: Arc::new(inner),
            };
            let tried = Sandbox::start(&host, &Spec::default()).map(drop);
            inner = Arc::into_inner(host.inner).ok_or(Error::NoTier)?;
            match tried {
                Ok(()) => return Ok(inner),
                Err(Error::Step { step, errno }) => {
                    let purpose = usize::try_from(step)
                        .ok()
                        .and_then(|step| inner.plan.steps.get(step))
                        .map_or(Purpose::Essential, |(purpose, _)| purpose.clone());
                    let treatment =
                        inner.plan.layers.iter().any(|layer| {
                            layer.overlay && purpose == Purpose::Show(layer.at.clone())
                        });
                    if !repair(&mut repairs, &purpose, treatment) {
                        return Err(explain(step, errno, &inner.plan));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::NoTier)
    }

    fn copy(options: &HostOptions) -> Result<Inner, Error> {
        walls::landlock(Path::new("/tmp"))?;
        Self::plain(Tier::Copy, options)
    }

    fn plain(tier: Tier, options: &HostOptions) -> Result<Inner, Error> {
        // What loses its parent comes to the harness, which can reap it.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(Error::Probe)?;
        let inner = Self::base(tier, options, Plan::default(), false)?;
        let host = Self {
            inner: Arc::new(inner),
        };
        Sandbox::start(&host, &Spec::default()).map(drop)?;
        Arc::into_inner(host.inner).ok_or(Error::NoTier)
    }

    /// A number that no other sandbox of this machine has.
    pub(super) fn mark() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        (u64::from(std::process::id()) << 40) | ((count & 0xFF_FFFF) << 16)
    }
}

impl Host {
    /// The network of a new sandbox: if need be a clean one that is used again, since making one
    /// takes longer than all the rest.
    pub(super) fn take_network(&self) -> Network {
        if self.inner.options.network {
            return Network::Host;
        }
        let used = self.inner.networks.lock().ok();
        used.and_then(|mut used| used.pop())
            .map_or(Network::Fresh, Network::Used)
    }
}

/// Learns from a failed step; false when nothing can be given up.
fn repair(repairs: &mut Repairs, purpose: &Purpose, was_overlay: bool) -> bool {
    match purpose {
        Purpose::Essential => false,
        Purpose::Show(dir) => {
            let next = match repairs.treatments.get(dir) {
                None if was_overlay && dir == Path::new("/") => Treatment::Skeleton,
                None if was_overlay => Treatment::ReadOnly,
                None if dir == Path::new("/") => return false,
                Some(Treatment::Overlay | Treatment::Skeleton) if dir != Path::new("/") => {
                    Treatment::ReadOnly
                }
                None | Some(Treatment::ReadOnly) => Treatment::Hidden,
                Some(_) => return false,
            };
            repairs.treatments.insert(dir.clone(), next);
            true
        }
        Purpose::Sys => {
            repairs.hide_sys = repairs.bind_sys;
            repairs.bind_sys = true;
            true
        }
        Purpose::Devices => !std::mem::replace(&mut repairs.bind_devices, true),
        Purpose::Terminals => !std::mem::replace(&mut repairs.no_terminals, true),
        Purpose::Bound => !std::mem::replace(&mut repairs.no_bound, true),
    }
}

/// Turns a failed step into an error that says what to do.
fn explain(step: u64, errno: rustix::io::Errno, plan: &Plan) -> Error {
    let what = usize::try_from(step)
        .ok()
        .and_then(|step| plan.steps.get(step))
        .map(|(_, step)| step.to_string());
    let forbidden = [
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
        ),
    ]
    .into_iter()
    .find(|(path, value)| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == *value));
    Error::Forbidden {
        what: what.unwrap_or_else(|| "setting up namespaces".to_owned()),
        hint: match forbidden {
            Some((path, value)) => format!(" ({path} is {value})"),
            None => String::new(),
        },
        errno,
    }
}

pub(super) fn clone_error(errno: rustix::io::Errno) -> Error {
    let forbidden = explain(u64::MAX, errno, &Plan::default());
    match forbidden {
        Error::Forbidden { hint, errno, .. } => Error::Forbidden {
            what: "making namespaces".to_owned(),
            hint,
            errno,
        },
        other => other,
    }
}

fn has_capability(capability: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(capability))
}

/// Since 6.14 `pid_max` belongs to a pid namespace. Before, it is the machine's: hands off.
fn counts_processes_by_namespace() -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (6, 14)
}
