//! The Puppet on this machine with its library, and the measured release to which it belongs.

use puppet_runtime::Release;
use puppet_suite::{interpreter, targets};
use std::path::Path;
use std::time::Duration;
use stickler_face::programs::{Program, own_path};
use stickler_suite::config::Config;

/// Where Puppet's own packages put Ruby.
const PACKAGES: &str = "/opt/puppetlabs/puppet/bin/ruby";

/// How long a Ruby may take to say what it has: it needs about 0.1 s.
const PATIENCE: Duration = Duration::from_secs(20);

/// Prints both versions, or nothing where one is missing.
const ASKING: &str = "begin; require 'puppet/version'; require 'puppet/resource_api/version'; \
     print Puppet::PUPPETVERSION, ' ', Puppet::ResourceApi::VERSION; rescue LoadError; end";

/// An installed Puppet with its library.
pub struct Installed {
    /// The version of Puppet.
    pub core: String,
    /// The version of puppet-resource_api.
    pub api: String,
}

impl Installed {
    /// The Puppet of a Ruby, else that of Puppet's own packages.
    pub fn find(ruby: &Path) -> Option<Self> {
        let asked = match ruby.is_absolute() {
            true => Some(Program::at(ruby)),
            false => Program::find(&ruby.to_string_lossy(), &own_path()),
        };
        let mut all = asked
            .into_iter()
            .chain([Program::at(Path::new(PACKAGES))])
            .filter(|program| program.path.is_file());
        all.find_map(|ruby| {
            let printed = ruby.prints_within(PATIENCE, &["-e", ASKING], Path::new("/"))?;
            let (core, api) = printed.trim().split_once(' ')?;
            Some(Installed {
                core: core.to_owned(),
                api: api.to_owned(),
            })
        })
    }

    /// The measured release to which it belongs.
    pub fn release(&self) -> Option<Release> {
        Release::of(&self.core, &self.api)
    }

    /// The release whose behaviour a run has unless the user names one, in words.
    pub fn in_words(found: Option<&Self>) -> String {
        let newest = Release::NEWEST.name;
        match found.map(|found| (found, found.release())) {
            None => {
                format!("--runtime is {newest} by default, the newest release that was measured")
            }
            Some((found, None)) => format!(
                "with puppet-resource_api {}: not measured; --runtime is {newest} by default, the newest release that was",
                found.api
            ),
            Some((found, Some(release))) => format!(
                "with puppet-resource_api {}: measured; --runtime is {} by default",
                found.api, release.name
            ),
        }
    }
}

/// What `--real-puppet` runs, in words: the sessions have the installed Puppet alone, whatever releases the module is
/// meant for.
pub fn real(config: &Config) -> String {
    let Some(found) = find(config) else {
        return "--real-puppet: this Ruby has no Puppet with puppet-resource_api".to_owned();
    };
    let own = found.release();
    let others = targets(config).into_iter();
    let others: Vec<&str> = others
        .filter(|one| Some(*one) != own)
        .map(|one| one.name)
        .collect();
    let not_tried = match others.is_empty() {
        true => String::new(),
        false => format!("; not tried: {}", others.join(", ")),
    };
    format!(
        "--real-puppet: all sessions run with Puppet {} and puppet-resource_api {}{not_tried}",
        found.core, found.api
    )
}

/// What to know about a comparison with the installed Puppet, if that is of another release than the one asked for.
pub fn other_than(config: &Config, release: Release) -> Option<String> {
    let found = find(config).filter(|found| found.release() != Some(release))?;
    Some(format!(
        "--runtime {}: compared with the installed Puppet {} and puppet-resource_api {}, which do other things",
        release.name, found.core, found.api
    ))
}

fn find(config: &Config) -> Option<Installed> {
    let ruby = config.subject.interpreter.as_deref().unwrap_or("ruby");
    Installed::find(&interpreter(config, ruby))
}

/// The release whose behaviour runs with a description have unless the user names one: the installed one if it was
/// measured and the module is meant for it, else the newest that it is meant for.
pub fn usual(config: &Config) -> Release {
    let targets = targets(config);
    if let [only] = targets[..] {
        return only;
    }
    let release = find(config).and_then(|found| found.release());
    let release = release.filter(|release| targets.contains(release));
    release
        .or_else(|| targets.last().copied())
        .unwrap_or_default()
}
