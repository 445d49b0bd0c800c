//! `$(sys.…)` and `$(const.…)`.

use super::Machine;
use crate::context::{Agent, Reference, Variable};
use crate::data::Data;
use crate::scan;
use crate::value::{Kind, Text, Value};
use std::path::Path;
use std::rc::Rc;

/// The fields of a line in a file such as `/etc/passwd` whose first field is this name.
fn entry(path: &str, name: &str) -> Option<Vec<String>> {
    let content = std::fs::read_to_string(path).ok()?;
    let mut lines = content
        .lines()
        .map(|line| line.split(':').map(str::to_owned));
    lines
        .find(|fields| fields.clone().next().as_deref() == Some(name))
        .map(Iterator::collect)
}

/// A user's id, given by name or number.
pub(crate) fn user_id(name: &str) -> Option<u32> {
    name.parse()
        .ok()
        .or_else(|| entry("/etc/passwd", name)?.get(2)?.parse().ok())
}

/// A group's id, given by name or number.
pub(crate) fn group_id(name: &str) -> Option<u32> {
    name.parse()
        .ok()
        .or_else(|| entry("/etc/group", name)?.get(2)?.parse().ok())
}

/// Whether there is a user or group with this id.
pub(crate) fn has_number(user: bool, number: &str) -> bool {
    let path = if user { "/etc/passwd" } else { "/etc/group" };
    let content = std::fs::read_to_string(path).unwrap_or_default();
    let Ok(number) = number.parse::<u32>() else {
        return false;
    };
    let mut numbers = content.lines().filter_map(|line| line.split(':').nth(2));
    numbers.any(|found| found.parse() == Ok(number))
}

/// A user's entry in `/etc/passwd`.
pub(crate) fn user_data(find: impl Fn(&[&str]) -> bool) -> Option<Data> {
    let content = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields = content
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let mut fields = fields.filter(|fields| fields.len() >= 7);
    let found = fields.find(|fields| find(fields))?;
    let number = |text: &str| Data::Int(text.into());
    let members = [
        ("username", Data::text(found[0])),
        ("description", Data::text(found[4])),
        ("home_dir", Data::text(found[5])),
        ("shell", Data::text(found[6])),
        ("uid", number(found[2])),
        ("gid", number(found[3])),
    ];
    let members = members
        .into_iter()
        .map(|(key, value)| (Text::from(key), value));
    Some(Data::Object(members.collect()))
}

impl Agent {
    /// Sets the variables and classes of the host before a policy is read.
    pub(crate) fn discover(&mut self) {
        self.put_constants();
        self.put_system();
        self.put_hard_classes();
        self.put_network();
    }

    fn put_known(&mut self, scope: &str, name: &str, value: Value) {
        let tags = tags_of(&self.machine, scope, name);
        self.put_tagged((scope, name), value, tags);
    }

    pub(super) fn put_tagged(
        &mut self,
        (scope, name): (&str, &str),
        value: Value,
        tags: Rc<Vec<Text>>,
    ) {
        let reference = Reference::parse(name, (None, Some(scope)));
        let variable = Variable {
            kind: Kind::of(&value),
            value,
            tags,
            comment: None,
            promise: None,
        };
        self.variables.put(&reference, variable);
    }

    /// Sets the domain that the control body gives.
    pub(crate) fn put_domain(&mut self, domain: &str) {
        let machine = Rc::make_mut(&mut self.machine);
        machine.domain = domain.to_owned();
        // cf-agent pads the names by mistake; so does the reference agent.
        machine.fqhost = format!("{:>511}.{domain:>511}", machine.host);
        let fqhost = machine.fqhost.clone();
        self.put_known("sys", "fqhost", Value::text(fqhost));
        self.put_known("sys", "domain", Value::text(domain));
        if !domain.is_empty()
            && self
                .classes
                .get("default", &scan::canonify(domain))
                .is_none()
        {
            self.put_hard(domain, "source=agent");
        }
    }

    fn put_constants(&mut self) {
        for (name, value) in [
            ("dollar", "$"),
            ("n", "\n"),
            ("r", "\r"),
            ("t", "\t"),
            ("endl", "\n"),
            ("at", "@"),
            ("dirsep", "/"),
        ] {
            self.put_known("const", name, Value::text(value));
        }
        let jq = "jq --compact-output --monochrome-output --ascii-output --unbuffered --sort-keys";
        self.put_known("def", "jq", Value::text(jq));
    }

    fn put_system(&mut self) {
        let machine = self.machine.clone();
        let work = self.voice.options.workdir.to_string_lossy().into_owned();
        let entry = plain_path(&self.absolute(&Text::from(&*self.voice.options.file)));
        let (directory, base) = entry.rsplit_once('/').unwrap_or(("", &entry));
        let dates = dates(&machine);
        let release = self.release();
        let numbers = release.numbers();
        let texts: Vec<(&str, String)> = vec![
            ("arch", machine.architecture.clone()),
            ("bindir", format!("{work}/bin")),
            ("cdate", dates.canonical),
            ("cf_version", release.version.into()),
            ("cf_version_major", numbers[0].into()),
            ("cf_version_minor", numbers[1].into()),
            ("cf_version_patch", numbers[2].into()),
            ("cf_version_release", "1".into()),
            ("class", machine.kernel.clone()),
            ("cpus", machine.cpus.to_string()),
            ("crontab", "/var/spool/cron/crontabs/root".into()),
            ("date", dates.date),
            ("default_policy_path", format!("{work}/inputs/promises.cf")),
            ("doc_root", "/var/www".into()),
            ("domain", machine.domain.clone()),
            ("exports", "/etc/exports".into()),
            ("failsafe_policy_path", format!("{work}/inputs/failsafe.cf")),
            ("flavor", machine.flavor()),
            ("flavour", machine.flavor()),
            ("fqhost", machine.fqhost.clone()),
            ("fstab", "/etc/fstab".into()),
            ("host", machine.host.clone()),
            ("inputdir", format!("{work}/inputs")),
            ("libdir", format!("{work}/inputs/lib")),
            ("local_libdir", "lib".into()),
            ("logdir", work.clone()),
            ("long_arch", machine.long_architecture()),
            ("maildir", "/var/spool/mail".into()),
            ("masterdir", format!("{work}/masterfiles")),
            ("os", machine.kernel.clone()),
            ("os_name_human", human_name(&machine)),
            ("os_version_major", major(&machine)),
            (
                "ostype",
                format!("{}_{}", machine.kernel, machine.architecture),
            ),
            ("piddir", work.clone()),
            ("policy_entry_basename", base.to_owned()),
            ("policy_entry_dirname", directory.to_owned()),
            ("policy_entry_filename", entry.clone()),
            ("release", machine.release.clone()),
            ("resolv", "/etc/resolv.conf".into()),
            ("statedir", format!("{work}/state")),
            ("sysday", (machine.started / 86_400).to_string()),
            ("systime", machine.started.to_string()),
            ("update_policy_path", format!("{work}/inputs/update.cf")),
            ("uptime", uptime().to_string()),
            ("uqhost", machine.host.clone()),
            ("version", machine.kernel_version.clone()),
            ("workdir", work.clone()),
        ];
        for (name, value) in texts {
            self.put_known("sys", name, Value::text(value));
        }
        for name in COMPONENTS {
            let path = format!("{work}/bin/{name}");
            // cf-agent replaces a missing twin.
            let path = match name {
                "cf-twin" if !Path::new(&path).exists() => format!("{work}/bin/cf-agent"),
                _ => path,
            };
            // A run implies that cf-promises exists.
            if name == "cf-promises" || Path::new(&path).exists() {
                let path = Value::text(format!("\"{path}\""));
                self.put_known("sys", &scan::canonify(name), path);
            }
        }
        let release = machine.os_release.iter();
        let release = release.map(|(key, value)| (Text::from(&**key), Data::text(&**value)));
        self.put_known(
            "sys",
            "os_release",
            Value::data(Data::Object(release.collect())),
        );
        let uid = machine.uid.to_string();
        if let Some(user) = user_data(|fields| fields[2] == uid) {
            self.put_known("sys", "user_data", Value::data(user));
        }
    }
}

/// Programs whose paths are in `$(sys.cf_…)`.
const COMPONENTS: [&str; 16] = [
    "cf-twin",
    "cf-agent",
    "cf-serverd",
    "cf-monitord",
    "cf-know",
    "cf-report",
    "cf-key",
    "cf-runagent",
    "cf-execd",
    "cf-hub",
    "cf-reactor",
    "cf-promises",
    "cf-upgrade",
    "cf-net",
    "cf-check",
    "cf-secret",
];

fn tags_of(machine: &Machine, scope: &str, name: &str) -> Rc<Vec<Text>> {
    let system = format!("derived-from={}", machine.os("ID"));
    let own: &[&str] = match (scope, name) {
        ("def", "jq") => &["invocation", "source=agent", "command_name=jq"],
        ("sys", "arch") => &["inventory", "source=agent", "attribute_name=Architecture"],
        ("sys", "cf_version") => &[
            "inventory",
            "source=agent",
            "attribute_name=CFEngine version",
        ],
        ("sys", "class") => &["inventory", "source=agent", "attribute_name=Kernel"],
        ("sys", "cpus") => &[
            "inventory",
            "source=agent",
            "attribute_name=CPU logical cores",
        ],
        ("sys", "release") => &["inventory", "source=agent", "attribute_name=Kernel Release"],
        ("sys", "fqhost") => &["inventory", "source=agent", "attribute_name=Host name"],
        ("sys", "flavor" | "host" | "uqhost") => {
            &["inventory", "source=agent", "attribute_name=none"]
        }
        ("sys", "uptime") => &[
            "inventory",
            "time_based",
            "source=agent",
            "attribute_name=Uptime minutes",
        ],
        ("sys", "cdate" | "date" | "sysday" | "systime") => &["time_based", "source=agent"],
        ("sys", "os_name_human") => &["source=agent", &system],
        ("sys", "os_version_major") => &["source=agent", "derived-from=flavor"],
        ("sys", "os_release") => &[
            "inventory",
            "attribute_name=none",
            "source=agent",
            "derived-from-file=/etc/os-release",
        ],
        ("sys", "user_data") => &["source=agent", "user_info"],
        ("sys", name)
            if name.starts_with("cf_")
                && COMPONENTS.iter().any(|own| scan::canonify(own) == name) =>
        {
            &["cfe_internal", "source=agent"]
        }
        _ => &["source=agent"],
    };
    Rc::new(own.iter().map(|tag| Text::from(*tag)).collect())
}

impl Machine {
    pub(super) fn long_architecture(&self) -> String {
        scan::canonify(&format!(
            "{}_{}_{}_{}",
            self.kernel, self.architecture, self.release, self.kernel_version
        ))
    }
}

struct Dates {
    date: String,
    canonical: String,
}

fn dates(machine: &Machine) -> Dates {
    let time = jiff::Timestamp::from_second(machine.started).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let local = time.to_zoned(super::zone());
    // The day is right-aligned to two columns, as in `ctime`.
    let date = local.strftime("%a %b %e %H:%M:%S %Y").to_string();
    Dates {
        canonical: scan::canonify(&date),
        date,
    }
}

fn human_name(machine: &Machine) -> String {
    let mut name = machine.os("ID").to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

fn major(machine: &Machine) -> String {
    let version = machine.os("VERSION_ID");
    version.split('.').next().unwrap_or_default().to_owned()
}

/// Minutes since the system started.
fn uptime() -> u64 {
    let content = std::fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = content
        .split('.')
        .next()
        .and_then(|text| text.parse::<u64>().ok());
    seconds.unwrap_or(0) / 60
}

/// An absolute path without `.`, `..` and doubled slashes; links are not resolved.
fn plain_path(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}
