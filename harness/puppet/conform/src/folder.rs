//! The folder of a situation: its module, its manifest, its device.

use crate::situation::{Command, Device, Line, Situation};
use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a situation. It is removed in the end.
#[derive(Debug)]
pub struct Folder {
    _own: tempfile::TempDir,
    /// Its path, without links: what stands in messages.
    pub path: PathBuf,
}

/// The module's metadata. Its name is that of its folder.
const METADATA: &str = r#"{"name":"x-m","version":"0.1.0","author":"x","license":"x","summary":"x","source":"x","dependencies":[]}"#;

impl Folder {
    /// Writes the files of a situation. `provider` is the text of `scripted.rb`.
    ///
    /// # Errors
    ///
    /// If a file can't be written.
    pub fn new(line: &Line, provider: &str) -> anyhow::Result<Self> {
        let situation = &line.situation;
        let own = tempfile::tempdir()?;
        let path = own.path().canonicalize()?;
        let folder = Self { _own: own, path };
        for (name, text) in files(situation, provider) {
            write(&folder.module().join(name), &text)?;
        }
        write(&folder.manifest(), &situation.manifest)?;
        if let Some(device) = &situation.device {
            write(&folder.devices(), &folder.device(device))?;
            let credentials = Value::Object(device.credentials.clone());
            write(&folder.path.join("cred.hocon"), &credentials.to_string())?;
        }
        Ok(folder)
    }

    /// The module.
    pub fn module(&self) -> PathBuf {
        self.path.join("modules/m")
    }

    /// The manifest.
    pub fn manifest(&self) -> PathBuf {
        self.path.join("site.pp")
    }

    /// The list of devices; its only one is `node`.
    pub fn devices(&self) -> PathBuf {
        self.path.join("device.conf")
    }

    fn device(&self, device: &Device) -> String {
        let url = match &device.url {
            Some(url) => url.clone(),
            None => format!("file://{}/cred.hocon", self.path.display()),
        };
        format!("[node]\ntype {}\nurl {url}\n", device.kind)
    }

    /// The words after `puppet`.
    pub fn words(&self, situation: &Situation) -> Vec<String> {
        let at = |name: &str| self.path.join(name).to_string_lossy().into_owned();
        let manifest = self.manifest().to_string_lossy().into_owned();
        let mut own = vec!["--modulepath".to_owned(), at("modules")];
        for (option, value) in [("--certname", "host.example"), ("--color", "false")] {
            own.extend([option.to_owned(), value.to_owned()]);
        }
        // Nothing of this machine's configuration, and no state of another run.
        for name in ["conf", "var", "log", "run", "ssl", "public"] {
            own.extend([format!("--{name}dir"), at(name)]);
        }
        if let Some(strict) = &situation.strict {
            own.extend(["--strict".to_owned(), strict.clone()]);
        }
        let options = situation.options.clone();
        match situation.command {
            Command::Apply => {
                if !situation.plain_exit {
                    own.push("--detailed-exitcodes".to_owned());
                }
                own.insert(0, "apply".to_owned());
                [own, vec![manifest], options].concat()
            }
            Command::Resource => {
                own.insert(0, "resource".to_owned());
                [own, options, situation.args.clone()].concat()
            }
            Command::Device => {
                own.insert(0, "device".to_owned());
                own.extend(["--deviceconfig".to_owned(), at("device.conf")]);
                own.extend(["--target", "node"].map(str::to_owned));
                let args = match situation.args.is_empty() {
                    true => vec!["--apply".to_owned(), manifest],
                    false => situation.args.clone(),
                };
                [own, args, options].concat()
            }
        }
    }

    /// The calls that the module's providers got.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    pub fn calls(&self) -> anyhow::Result<Vec<Value>> {
        let path = self.module().join("lib/calls.jsonl");
        if !path.exists() {
            return Ok(Vec::new());
        }
        self.calls_in(&fs::read_to_string(path)?)
    }

    /// The calls that a text notes.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    pub fn calls_in(&self, text: &str) -> anyhow::Result<Vec<Value>> {
        let text = self.shown(text);
        let calls = text.lines().map(serde_json::from_str);
        Ok(calls.collect::<Result<_, _>>()?)
    }

    /// A text as recordings show it.
    pub fn shown(&self, text: &str) -> String {
        text.replace(&*self.path.to_string_lossy(), "@DIR@")
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = || path.display().to_string();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(shown)?;
    }
    fs::write(path, text).with_context(shown)
}

/// The files of the module.
fn files(situation: &Situation, provider: &str) -> Vec<(String, String)> {
    let script = json!(situation.script).to_string();
    let mut files = vec![
        ("metadata.json".to_owned(), METADATA.to_owned()),
        ("lib/scripted.rb".to_owned(), provider.to_owned()),
        ("lib/script.json".to_owned(), script),
    ];
    for (name, definition) in &situation.types {
        let text = match definition.strip_prefix('!') {
            Some(file) => file.to_owned(),
            None => registration("type", definition),
        };
        files.push((format!("lib/puppet/type/{name}.rb"), text));
        if !situation.no_provider.contains(name) {
            let simple = situation.script.get(name).and_then(|own| own.get("simple"));
            let path = format!("lib/puppet/provider/{name}/{name}.rb");
            files.push((path, provider_file(name, simple.is_some())));
        }
    }
    for (name, definition) in &situation.transports {
        let class = camel(name);
        files.extend([
            (
                format!("lib/puppet/transport/schema/{name}.rb"),
                registration("transport", definition),
            ),
            (
                format!("lib/puppet/transport/{name}.rb"),
                format!(
                    "require_relative '../../scripted'\n\
                     module Puppet::Transport\n  class {class}\n    \
                     Scripted.define_transport(self, '{name}')\n  end\nend\n"
                ),
            ),
            (
                format!("lib/puppet/util/network_device/{name}/device.rb"),
                device_file(name, &class),
            ),
        ]);
    }
    let more = situation.files.iter();
    files.extend(more.map(|(name, text)| (name.clone(), text.clone())));
    files
}

fn registration(kind: &str, definition: &str) -> String {
    format!("require 'puppet/resource_api'\nPuppet::ResourceApi.register_{kind}({definition})\n")
}

fn provider_file(name: &str, simple: bool) -> String {
    let class = camel(name);
    let (require, parent) = match simple {
        true => (
            "require 'puppet/resource_api/simple_provider'\n",
            " < Puppet::ResourceApi::SimpleProvider",
        ),
        false => ("", ""),
    };
    format!(
        "require_relative '../../../scripted'\n{require}\
         class Puppet::Provider::{class}::{class}{parent}\n  Scripted.define(self, '{name}')\nend\n"
    )
}

fn device_file(name: &str, class: &str) -> String {
    format!(
        "require 'puppet/resource_api/transport/wrapper'\n\
         class Puppet::Util::NetworkDevice; end\n\
         module Puppet::Util::NetworkDevice::{class}\n  \
         class Device < Puppet::ResourceApi::Transport::Wrapper\n    \
         def initialize(url_or_config, _options = {{}})\n      \
         super('{name}', url_or_config)\n    end\n  end\nend\n"
    )
}

/// The name of a class: `nexus_vlan` is `NexusVlan`.
fn camel(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect()
}
