//! What this machine can do; determined once per run by trying.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::thread::{CapabilitySet, CpuSet};

use super::launcher::Launchers;
use super::limits::Limits;
use super::plan::{Plan, Purpose, Repairs, SCRATCH, Situation, Treatment};
use super::prepared::Network;
use super::slot::Slot;
use super::tier::{Lack, Tier};
use super::undertaker::{Networks, Undertaker};
use super::warm::Warmers;
use super::{Error, Sandbox, Spec, build, mountinfo, seccomp, walls, watch};
use crate::effects::Lower;

/// The options that the user may set.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Do subjects keep access to the machine's network?
    pub network: bool,
    /// Files, directories and sockets of the machine that subjects may use and change at the same
    /// absolute path.
    pub expose: Vec<PathBuf>,
    /// Do subjects share the System V segments of this process's namespace?
    pub shares_segments: bool,
    /// The limits of subjects.
    pub limits: Limits,
}

/// A probed machine, from which sandboxes are started. Cheap to clone, and shared between threads.
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
    /// The host's directory below each layer of the plan.
    pub(super) lowers: Vec<Option<Lower>>,
    pub(super) privileged: bool,
    pub(super) filter: Vec<libc::sock_filter>,
    pub(super) watch: Vec<libc::sock_filter>,
    pub(super) touches: Vec<libc::sock_filter>,
    pub(super) cpus: CpuSet,
    /// Clean network namespaces of sandboxes that have ended.
    pub(super) networks: Networks,
    pub(super) undertaker: Undertaker,
    pub(super) launchers: Launchers,
    pub(super) warmers: Warmers,
}

impl Host {
    /// Finds the best tier, or checks that the wanted tier works.
    ///
    /// # Errors
    ///
    /// If the machine forbids the wanted tier, or if not even a scratch directory can be created.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers give options once, and the host keeps them"
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

    /// Why no better tier is available.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.inner.reason.as_deref()
    }

    /// The path of each sandbox's scratch space, as subjects see it.
    ///
    /// In a tier without overlays this is one directory of the machine, so sandboxes take turns:
    /// [`Sandbox::start`] waits until the previous sandbox is dropped.
    pub fn scratch(&self) -> &Path {
        Path::new(SCRATCH)
    }

    /// What the tier cannot provide, in words for a transcript.
    pub fn lacks(&self) -> Vec<String> {
        self.lacking().iter().map(Lack::to_string).collect()
    }

    /// What the tier cannot provide.
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

    /// How many processes were copies of a warm interpreter.
    pub fn warm_starts(&self) -> usize {
        self.inner.warmers.copies()
    }

    /// Do sandboxes share nothing that subjects can change?
    pub fn separates(&self) -> bool {
        let options = &self.inner.options;
        self.inner.tier == Tier::Overlay && !options.network && options.expose.is_empty()
    }

    /// Directories of the machine that subjects see but cannot change, not even in their own view,
    /// such as network file systems.
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
            touches: watch::touches(),
            cpus,
            undertaker: Undertaker::new(cpus, Arc::clone(&networks)),
            networks,
            launchers: Launchers::default(),
            warmers: Warmers::default(),
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
            scratch_options: build::disk(&options.limits),
            expose: options.expose.clone(),
            own_network: !options.network,
            process_ids: counts_processes_by_namespace()
                .then_some(options.limits.processes.max(301)),
        };
        let mut repairs = Repairs::default();
        // Every failed trial changes the plan permanently, so the loop ends; the bound is only a
        // safeguard.
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
        // The harness adopts orphans, so it can reap them.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(Error::Probe)?;
        let inner = Self::base(tier, options, Plan::default(), false)?;
        let host = Self {
            inner: Arc::new(inner),
        };
        Sandbox::start(&host, &Spec::default()).map(drop)?;
        Arc::into_inner(host.inner).ok_or(Error::NoTier)
    }

    /// A number that no other sandbox on this machine has.
    pub(super) fn mark() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        (u64::from(std::process::id()) << 40) | ((count & 0xFF_FFFF) << 16)
    }
}

impl Host {
    /// The network of a new sandbox. If possible, this is a clean namespace of an earlier sandbox,
    /// because making one takes longer than everything else.
    pub(super) fn take_network(&self) -> Network {
        if self.inner.options.network {
            return Network::Host;
        }
        let used = self.inner.networks.lock().ok();
        used.and_then(|mut used| used.pop())
            .map_or(Network::Fresh, Network::Used)
    }
}

/// Adapts the plan to a failed step; false if nothing can be given up.
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

/// Converts a failed step into an error that says what to do.
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

/// Since Linux 6.14, `pid_max` belongs to a pid namespace. Before, it was global, so the sandbox
/// must not change it.
fn counts_processes_by_namespace() -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (6, 14)
}
