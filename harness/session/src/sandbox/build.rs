//! Computes what one sandbox of the overlay tier needs from its specification.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::host::Inner;
use super::limits::Limits;
use super::place::Place;
use super::prepared::{Network, Walls};
use super::{Error, Host, Target, plan, prepared};

const SMALL_DISK: &str = "size=16m,nr_inodes=20000,mode=0755";

/// The mount options of a tmpfs of a sandbox.
pub(super) fn disk(limits: &Limits) -> String {
    let (bytes, files) = (limits.disk.max(1 << 20), limits.files.max(1000));
    format!("size={bytes},nr_inodes={files},mode=0755")
}

/// What one sandbox of the overlay tier needs, in addition to the plan that all share.
pub(super) fn namespaces(inner: &Inner, target: Target, network: Network) -> Walls<'_> {
    let mut more = Vec::new();
    let at = match target {
        Target::Plain => None,
        Target::Tmpfs => Some(format!("{}/dir", plan::SCRATCH)),
        Target::FullDisk => Some(plan::SCRATCH.to_owned()),
    };
    if let Some(at) = &at {
        more.push(prepared::tmpfs_step(at, SMALL_DISK));
    }
    if target == Target::FullDisk {
        for name in plan::SUBFOLDERS {
            let path = plan::c(format!("root{}/{name}", plan::SCRATCH));
            more.push(plan::Step::Directory {
                path,
                mode: 0o755,
                owner: None,
            });
        }
    }
    let map = |id: u32| plan::c(format!("{id} {id} 1"));
    Walls::Namespaces {
        plan: &inner.plan,
        more,
        target: at.map(|at| plan::c(format!("root{at}"))),
        stage: plan::c(disk(&inner.options.limits)),
        user: (!inner.privileged).then(|| {
            let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
            (map(uid.as_raw()), map(gid.as_raw()))
        }),
        network,
    }
}

/// Opens the places of the stage. The target comes last.
pub(super) fn overlay_places(
    host: &Host,
    stage: &OwnedFd,
    target: Option<OwnedFd>,
    kind: Target,
) -> Result<Vec<Place>, Error> {
    let layers = host
        .inner
        .plan
        .layers
        .iter()
        .map(|layer| (layer.stage.clone(), layer.at.clone()));
    let mut places = Vec::new();
    for (number, (path, at)) in layers
        .chain([("dev".to_owned(), "/dev".into())])
        .enumerate()
    {
        let flags = rustix::fs::OFlags::PATH
            | rustix::fs::OFlags::DIRECTORY
            | rustix::fs::OFlags::NOFOLLOW
            | rustix::fs::OFlags::CLOEXEC;
        let dir = rustix::fs::openat(stage, path.as_str(), flags, rustix::fs::Mode::empty())
            .map_err(|errno| Error::System {
                call: "opening the stage",
                errno,
            })?;
        places.push(Place {
            dir,
            at,
            layer: Some(number),
            stage: Some(path),
        });
    }
    if let Some(dir) = target {
        let at = match kind {
            Target::Tmpfs => Path::new(plan::SCRATCH).join("dir"),
            _ => PathBuf::from(plan::SCRATCH),
        };
        // It covers what is mounted there.
        places.retain(|place| !place.at.starts_with(&at));
        places.push(Place {
            dir,
            at,
            layer: None,
            stage: None,
        });
    }
    Ok(places)
}
