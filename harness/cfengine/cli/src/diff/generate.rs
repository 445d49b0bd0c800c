//! Compares the agents on generated policies, several in parallel. Policies that differ are reduced
//! and written out.

use super::agents;
use crate::args::DiffOptions;
use cfengine_diff::{Agents, Mode, planted};
use cfengine_policygen::{Choices, JSON_MODULE, LINE_MODULE, PLAIN_MODULE, Policy, policy, shrink};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use stickler_face::args::{DiffArgs, ListFormat};
use stickler_face::diff::show::Printer;
use stickler_face::side_by_side::{lock, side_by_side};
use stickler_face::{Done, Failure, terminal};
use stickler_oracle::{Difference, Error, Generated, RunName, RunVerdict, Tally, compare_run};
use stickler_session::sandbox::{PlantedFile, Tier};

/// How many reduced policies are tried.
const SHRINKING: usize = 150;
/// After this many policies that differ, no more are generated.
const MOST_FOUND: u64 = 20;

pub fn run(args: &DiffArgs, own: &DiffOptions) -> Done {
    let seed = match own.seed {
        Some(seed) => seed,
        None => new_seed()?,
    };
    let count = own.generate.unwrap_or(0);
    let campaign = Campaign::new(args, own, seed)?;
    let printer = Mutex::new(Printer::new(
        args.format,
        args.color.on_stdout(),
        Agents::PEER,
    ));
    let totals = Totals::default();
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    side_by_side(
        own.jobs.unwrap_or(cpus),
        || totals.next(count),
        |number| campaign.one(seed.wrapping_add(number), &totals, &printer),
    )?;
    let tally = *lock(&totals.tally);
    lock(&printer).campaign(seed, &tally)
}

fn new_seed() -> Result<u64, Failure> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let since = since.map_err(|error| Failure::harness(error.to_string()))?;
    Ok(since.as_micros() as u64 % 1_000_000_000)
}

/// The policies so far.
#[derive(Default)]
struct Totals {
    next: Mutex<u64>,
    tally: Mutex<Tally>,
}

impl Totals {
    fn next(&self, count: u64) -> Option<u64> {
        if lock(&self.tally).differ >= MOST_FOUND {
            return None;
        }
        let mut next = lock(&self.next);
        let number = *next;
        *next += 1;
        (number < count).then_some(number)
    }
}

struct Campaign {
    agents: Agents,
    out: PathBuf,
}

impl Campaign {
    fn new(args: &DiffArgs, own: &DiffOptions, seed: u64) -> Result<Self, Failure> {
        let mut room = super::policy::room(args, own, Path::new("/"), "./p.cf")?;
        let scratch = room.room.host.scratch().to_owned();
        if room.room.host.tier() != Tier::Overlay {
            return Err(Failure::usage(
                "--generate runs only in the sandbox \"overlay\"",
            ));
        }
        room.room.cwd = scratch.join("dir");
        for name in [JSON_MODULE, LINE_MODULE, PLAIN_MODULE] {
            let path = room.room.cwd.join(name);
            let script = script(&room.recorder);
            let files = planted(&room.recorder, &scratch, &path, &script);
            room.plants.extend(files);
        }
        if args.format == ListFormat::Pretty {
            terminal::note(&format!("generated policies from seed {seed}"));
        }
        Ok(Self {
            agents: Agents::new(
                room,
                agents::reference(own.cf_agent.as_deref())?,
                Some(agents::real(own.cf_agent.as_deref())?),
            ),
            out: own.out.clone(),
        })
    }

    fn one(&self, seed: u64, totals: &Totals, printer: &Mutex<Printer>) -> Result<(), Failure> {
        let made = policy(&mut Choices::random(seed));
        let mode = mode(made.mode);
        let mut result = self.compare(&made.text, mode)?;
        if result.0 == RunVerdict::Differ {
            // A difference that does not recur is a race in one of the agents.
            result = self.compare(&made.text, mode)?;
        }
        let (verdict, found) = result;
        if verdict == RunVerdict::Differ {
            let (small, found) = self.shrunk(made, mode, found);
            let path = self.write(seed, &small)?;
            lock(printer).generated(Generated {
                seed,
                mode: mode.name(),
                file: &path,
                again: &format!("stickler diff {} --mode {mode}", path.display()),
                input: &small.text,
                differences: &found,
            })?;
        }
        lock(&totals.tally).add(verdict);
        Ok(())
    }

    fn compare(&self, text: &str, mode: Mode) -> Result<(RunVerdict, Vec<Difference>), Failure> {
        let mut room = self.agents.room().clone();
        room.plants.push(PlantedFile {
            path: room.room.cwd.join("p.cf"),
            bytes: text.as_bytes().to_vec(),
            mode: 0o600,
        });
        let agents = self.agents.on(room);
        match compare_run(&agents, &RunName::of_mode(mode.name()), None) {
            Ok((compared, _)) => Ok((compared.verdict, compared.comparison.differences)),
            Err(Error::Unsupported(_)) => Ok((RunVerdict::Unsupported, Vec::new())),
            Err(error) => Err(error.into()),
        }
    }

    /// The smallest policy found with the same difference.
    fn shrunk(
        &self,
        made: Policy,
        mode: Mode,
        found: Vec<Difference>,
    ) -> (Policy, Vec<Difference>) {
        let kind = |found: &Difference| {
            let (aspect, parts) = found.subject();
            (aspect, parts.to_owned())
        };
        let wanted = found.first().map(kind);
        let mut smallest = (made, found);
        let start = smallest.0.choices.clone();
        shrink(start, SHRINKING, |choices| {
            let small = policy(&mut Choices::again(choices));
            let size = |policy: &Policy| (policy.choices.len(), policy.choices.clone());
            if size(&small) >= size(&smallest.0) {
                return None;
            }
            match self.compare(&small.text, mode) {
                Ok((RunVerdict::Differ, found)) if found.first().map(kind) == wanted => {
                    let taken = small.choices.clone();
                    smallest = (small, found);
                    Some(taken)
                }
                _ => None,
            }
        });
        smallest
    }

    /// Writes the policy and its modules for `stickler diff FILE`.
    fn write(&self, seed: u64, policy: &Policy) -> Result<PathBuf, Failure> {
        let path = self.out.join(format!("diff-{seed}.cf"));
        let failed =
            |error: std::io::Error| Failure::usage(format!("writing {}: {error}", path.display()));
        fs::create_dir_all(&self.out).map_err(failed)?;
        let put = |path: &Path, text: &str, mode: u32| {
            fs::write(path, text)?;
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        };
        put(&path, &policy.text, 0o600).map_err(failed)?;
        for name in [JSON_MODULE, LINE_MODULE, PLAIN_MODULE] {
            let script = script(&self.agents.room().recorder);
            put(&self.out.join(name), &script, 0o755).map_err(failed)?;
        }
        Ok(path)
    }
}

fn script(program: &Path) -> String {
    format!("#!{} scripted\n", program.display())
}

/// Chooses a mode. Verbose output shows most possible differences.
fn mode(number: u32) -> Mode {
    match number {
        0..45 => Mode::Verbose,
        45..58 => Mode::Inform,
        58..70 => Mode::DryRun,
        70..82 => Mode::Plain,
        82..95 => Mode::Simulate,
        _ => Mode::Error,
    }
}
