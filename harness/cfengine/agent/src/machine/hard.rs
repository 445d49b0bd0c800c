//! Hard classes: properties of the host and of the time.

use super::Machine;
use crate::context::{Agent, Class, Reach};
use crate::log::Severity;
use crate::scan;
use crate::value::Text;
use jiff::Zoned;
use std::rc::Rc;

const FEATURES: [&str; 8] = [
    "feature_copyfrom_restrict_keys",
    "feature_def_json_preparse",
    "feature_host_specific_data_load",
    "feature_tls_1_0",
    "feature_tls_1_1",
    "feature_tls_1_2",
    "feature_tls_1_3",
    "feature_xml",
];

/// The tags of unnamed inventory classes.
const INVENTORY: &str = "inventory,attribute_name=none,source=agent";
/// The tags of classes of the time.
const TIME: &str = "time_based,cfengine_internal_time_based_autoremove,source=agent";
/// The tags of classes that options set.
const MODE: &str = "cfe_internal,source=agent";

impl Agent {
    pub(super) fn put_hard_classes(&mut self) {
        let machine = self.machine.clone();
        self.put_hard("any", "source=agent");
        self.put_hard("agent", "cfe_internal,source=agent");
        let mut name = "cfengine".to_owned();
        self.put_hard(&name, INVENTORY);
        for part in self.release().numbers() {
            name = format!("{name}_{part}");
            self.put_hard(&name, INVENTORY);
        }
        self.put_hard("community_edition", INVENTORY);
        self.put_hard("feature_yaml", "source=agent");
        for feature in FEATURES {
            // Each prefix of a feature's name is a class too.
            let ends = feature.match_indices('_').map(|(at, _)| &feature[..at]);
            for name in ends.chain([feature]) {
                self.put_hard(name, "source=agent");
            }
        }
        for (name, tags) in of_machine(&machine) {
            self.put_hard(&name, &tags);
        }
        for name in of_time(&machine) {
            self.put_hard(&name, TIME);
        }
    }

    /// Sets the classes that a run's options ask for; the check before a run does not have them.
    pub(crate) fn put_asked_classes(&mut self) {
        for name in self.voice.options.define.clone() {
            self.put_command_line(&name);
        }
        let all = self.release().has_level_classes;
        for (level, class) in [
            (Severity::Error, "error_mode"),
            (Severity::Warning, "warning_mode"),
            (Severity::Notice, "notice_mode"),
            (Severity::Info, "inform_mode"),
            (Severity::Verbose, "verbose_mode"),
            (Severity::Debug, "debug_mode"),
        ] {
            if self.voice.options.level >= level && (all || level >= Severity::Info) {
                self.put_hard(class, MODE);
            }
        }
        if self.is_dry() {
            self.put_hard("opt_dry_run", "cfe_internal,source=environment");
        }
    }

    pub(super) fn put_hard(&mut self, name: &str, tags: &str) {
        let name = scan::canonify(name);
        let tags: Vec<&str> = tags.split(',').chain(["hardclass"]).collect();
        self.classes.put("default", &name, hard(&tags));
    }

    /// Sets a class that `-D` names.
    fn put_command_line(&mut self, name: &str) {
        let (namespace, name) = name.split_once(':').unwrap_or(("default", name));
        let class = Class {
            hard: false,
            ..hard(&["source=environment"])
        };
        self.classes.put(namespace, &scan::canonify(name), class);
    }
}

fn hard(tags: &[&str]) -> Class {
    Class {
        hard: true,
        reach: Reach::Namespace,
        tags: Rc::new(tags.iter().map(|tag| Text::from(*tag)).collect()),
        comment: None,
    }
}

/// The classes of the host, with their tags.
fn of_machine(machine: &Machine) -> Vec<(String, String)> {
    let Machine {
        kernel,
        release,
        architecture,
        ..
    } = machine;
    let derived = |from: &[&str]| {
        let from = from.iter().map(|from| format!(",derived-from=sys.{from}"));
        format!("source=agent{}", from.collect::<String>())
    };
    let listed = |from: &str| format!("{INVENTORY},derived-from{from}");
    let cpus = match machine.cpus {
        1 => "1_cpu".to_owned(),
        cpus => format!("{cpus}_cpus"),
    };
    let mut classes = vec![
        (kernel.clone(), listed("=sys.class")),
        (
            format!("{kernel}_{architecture}"),
            derived(&["sysname", "machine"]),
        ),
        (
            format!("{kernel}_{release}"),
            listed("=sys.sysname,derived-from=sys.release"),
        ),
        (
            format!("{kernel}_{architecture}_{release}"),
            derived(&["sysname", "machine", "release"]),
        ),
        (machine.long_architecture(), derived(&["long_arch"])),
        (architecture.clone(), derived(&["machine"])),
        (machine.host.clone(), listed("=sys.fqhost")),
        (machine.fqhost.clone(), listed("=sys.fqhost")),
        (cpus, derived(&["cpus"])),
        ("compiled_on_linux_gnu".into(), derived(&[])),
    ];
    if cfg!(target_pointer_width = "64") {
        classes.push(("64_bit".into(), derived(&[])));
    }
    let id = machine.os("ID").to_owned();
    if !id.is_empty() {
        classes.push((id, listed("-file=/etc/os-release")));
        classes.push((machine.flavor(), listed("=sys.flavor")));
    }
    if let Ok(version) = std::fs::read_to_string("/etc/debian_version") {
        let version = version.trim();
        if version.starts_with(|c: char| c.is_ascii_digit()) {
            let name = format!("debian_{version}");
            classes.push((name, listed("-file=/etc/debian_version")));
        }
    }
    classes
}

fn of_time(machine: &Machine) -> Vec<String> {
    let time = jiff::Timestamp::from_second(machine.started).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let mut names = time_classes(&time.to_zoned(super::zone()), "");
    names.extend(time_classes(
        &time.to_zoned(jiff::tz::TimeZone::UTC),
        "GMT_",
    ));
    names
}

fn time_classes(time: &Zoned, prefix: &str) -> Vec<String> {
    let (hour, minute) = (time.hour(), time.minute());
    let part =
        ["Night", "Morning", "Afternoon", "Evening"][usize::from(hour.unsigned_abs() / 6).min(3)];
    let quarter = minute / 15 + 1;
    let five = minute / 5 * 5;
    let next = (five + 5) % 60;
    [
        time.strftime("%A").to_string(),
        time.strftime("%B").to_string(),
        format!("Day{}", time.day()),
        format!("Yr{}", time.year()),
        format!("Lcycle_{}", time.year() % 3),
        format!("Hr{hour:02}"),
        format!("Hr{hour}"),
        format!("Hr{hour:02}_Q{quarter}"),
        format!("Q{quarter}"),
        format!("Min{minute:02}"),
        format!("Min{five:02}_{next:02}"),
        part.to_owned(),
    ]
    .map(|name| format!("{prefix}{name}"))
    .into()
}
