//! Hard classes: what the host is, and what time it is.

use super::Machine;
use crate::context::{Agent, Class, Reach};
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

impl Agent {
    pub(super) fn put_hard_classes(&mut self) {
        let machine = self.machine.clone();
        let mut names: Vec<String> = ["any", "agent", "cfengine", "cfengine_3", "cfengine_3_21"]
            .map(String::from)
            .into();
        names.extend(["cfengine_3_21_0", "community_edition", "feature_yaml"].map(String::from));
        for feature in FEATURES {
            // Each beginning of a feature's name is a class too.
            let ends = feature.match_indices('_').map(|(at, _)| &feature[..at]);
            names.extend(ends.chain([feature]).map(String::from));
        }
        names.extend(of_machine(&machine));
        names.extend(of_time(&machine));
        for name in names {
            self.put_hard(&name);
        }
        for name in self.options.define.clone() {
            self.put_command_line(&name);
        }
        if self.options.level >= crate::log::Level::Info {
            self.put_hard("inform_mode");
        }
        if self.options.level >= crate::log::Level::Verbose {
            self.put_hard("verbose_mode");
        }
        if self.options.level >= crate::log::Level::Debug {
            self.put_hard("debug_mode");
        }
        if self.is_dry() {
            self.put_hard("opt_dry_run");
        }
    }

    fn put_hard(&mut self, name: &str) {
        let name = scan::canonify(name);
        if self.options.negate.contains(&name) {
            return;
        }
        self.classes
            .put("default", &name, hard(&["source=agent", "hardclass"]));
    }

    /// A class that `-D` names.
    fn put_command_line(&mut self, name: &str) {
        if self.options.negate.iter().any(|negated| negated == name) {
            return;
        }
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

fn of_machine(machine: &Machine) -> Vec<String> {
    let Machine {
        kernel,
        release,
        architecture,
        ..
    } = machine;
    let mut names = vec![
        kernel.clone(),
        format!("{kernel}_{architecture}"),
        format!("{kernel}_{release}"),
        format!("{kernel}_{architecture}_{release}"),
        machine.long_architecture(),
        architecture.clone(),
        machine.host.clone(),
        machine.fqhost.clone(),
        format!("{}_cpus", machine.cpus),
        "compiled_on_linux_gnu".into(),
    ];
    if cfg!(target_pointer_width = "64") {
        names.push("64_bit".into());
    }
    let id = machine.os("ID").to_owned();
    if !id.is_empty() {
        names.extend([id, machine.flavor()]);
    }
    if machine.cpus == 1 {
        names.retain(|name| name != "1_cpus");
        names.push("1_cpu".into());
    }
    if let Ok(version) = std::fs::read_to_string("/etc/debian_version") {
        let version = version.trim();
        if version.starts_with(|c: char| c.is_ascii_digit()) {
            names.push(format!("debian_{version}"));
        }
    }
    names
}

fn of_time(machine: &Machine) -> Vec<String> {
    let time = jiff::Timestamp::from_second(machine.started).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let mut names = time_classes(&time.to_zoned(jiff::tz::TimeZone::system()), "");
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
