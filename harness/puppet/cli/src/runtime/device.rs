//! The device that `--target` names: in `stickler.toml`, or in a file as `puppet device` reads it.

use crate::args::RuntimeArgs;
use puppet_suite::reach;
use puppet_types::Value;
use std::path::Path;
use stickler_face::{CONFIG, Failure};
use stickler_suite::config::Config;

/// The request that connects to a device.
pub struct Found {
    /// The method of the protocol.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The name of the transport, or of the device's class.
    pub transport: String,
}

/// Finds the device of this name.
///
/// # Errors
/// If there is no such device, or if its description is wrong.
pub fn find(args: &RuntimeArgs, config: &Config, target: &str) -> Result<Found, Failure> {
    let Some(file) = &args.deviceconfig else {
        let known = config.targets.iter().find(|one| one.name == target);
        let request = known.zip(reach(config, target));
        let found = request.map(|(known, (method, params))| Found {
            method,
            params,
            transport: known.transport.clone(),
        });
        return found.ok_or_else(|| {
            let names: Vec<String> = config.targets.iter().map(|one| one.name.clone()).collect();
            let there_are = match names.is_empty() {
                true => format!("add it to {CONFIG}, or name a file with --deviceconfig"),
                false => format!("there are: {}", names.join(", ")),
            };
            Failure::usage(format!("no [target.{target}]: {there_are}"))
        });
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    let device = read(file, &text, target)?;
    let params = [
        ("name", Value::string(&device.kind)),
        ("url", Value::string(device.url)),
    ];
    Ok(Found {
        method: "device",
        params: Value::hash(params),
        transport: device.kind,
    })
}

/// A device of a file.
#[derive(Debug, PartialEq)]
struct Device {
    kind: String,
    url: String,
}

/// Reads `[NAME]`, `type TRANSPORT`, `url ADDRESS`.
fn read(file: &Path, text: &str, wanted: &str) -> Result<Device, Failure> {
    let wrong =
        |line: usize, why: &str| Failure::usage(format!("{}:{}: {why}", file.display(), line + 1));
    let mut names = Vec::new();
    let (mut kind, mut url) = (None, None);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            names.push(name.to_owned());
            continue;
        }
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let slot = match key {
            "type" => &mut kind,
            "url" => &mut url,
            "debug" => continue,
            _ => return Err(wrong(number, "expected [NAME], `type`, `url` or `debug`")),
        };
        if names.last().is_some_and(|name| name == wanted) {
            *slot = Some(value.trim().to_owned());
        }
    }
    if !names.iter().any(|name| name == wanted) {
        return Err(Failure::usage(format!(
            "{}: no [{wanted}]; there are: {}",
            file.display(),
            names.join(", ")
        )));
    }
    match (kind, url) {
        (Some(kind), Some(url)) => Ok(Device { kind, url }),
        _ => Err(Failure::usage(format!(
            "{}: [{wanted}] needs `type` and `url`",
            file.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::path::Path;

    const TEXT: &str = "\
# devices
[first]
type nexus
url file:///etc/first.conf
debug

[second]
  type  other
  url   file:///etc/second.conf
";

    #[test]
    fn the_named_device_is_read() {
        let device = read(Path::new("d.conf"), TEXT, "second").expect("read");
        assert_eq!(
            (&*device.kind, &*device.url),
            ("other", "file:///etc/second.conf")
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let why = |text: &str, name: &str| {
            let read = read(Path::new("d.conf"), text, name);
            read.expect_err("wrong").message
        };
        assert_eq!(
            why(TEXT, "third"),
            "d.conf: no [third]; there are: first, second"
        );
        assert_eq!(
            why("[a]\ntype x\n", "a"),
            "d.conf: [a] needs `type` and `url`"
        );
        assert!(why("[a]\nport 1\n", "a").starts_with("d.conf:2: expected"));
    }
}
