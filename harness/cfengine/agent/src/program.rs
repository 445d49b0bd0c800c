//! A policy prepared for evaluation: sections are merged, guards and values are converted.

mod read;

use crate::value::{Text, Value};
use cfengine_policy::class::{ClassError, Expression};
use cfengine_policy::{Sources, tree};
use cfengine_protocol::release::Release;
use std::collections::HashMap;
use std::rc::Rc;

/// A parsed policy file.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) policy: tree::Policy,
    /// The number of bundles named `__main__`.
    pub(crate) mains: usize,
    blocks: Blocks,
}

/// The blocks of a file.
#[derive(Debug)]
struct Blocks {
    bundles: Vec<Rc<Bundle>>,
    /// Whether cf-agent drops a bundle that cf-promises keeps.
    lost: Vec<bool>,
    bodies: Vec<Rc<Body>>,
    promise_blocks: Vec<Rc<Body>>,
}

/// All loaded blocks.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) bundles: Vec<Rc<Bundle>>,
    pub(crate) bodies: Vec<Rc<Body>>,
    /// The promise blocks by promise type; the first one of a type counts.
    pub(crate) blocks: HashMap<Text, Rc<Body>>,
    /// Whether there is a body in the namespace `bodydefault`.
    pub(crate) has_defaults: bool,
    by_name: HashMap<(Text, Text), Vec<Rc<Bundle>>>,
    body_by_name: HashMap<(Text, Text), Vec<Rc<Body>>>,
}

/// A bundle.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) namespace: Text,
    pub(crate) component: Text,
    pub(crate) name: Text,
    pub(crate) parameters: Vec<Text>,
    pub(crate) sections: Vec<Rc<Section>>,
    /// The same promises in sections as written, for an evaluation from top to bottom.
    pub(crate) placed: Vec<Rc<Section>>,
    /// Whether its file asks for that; otherwise the agent decides.
    pub(crate) top_down: Option<bool>,
    /// The file's path, as given.
    pub(crate) path: Text,
}

/// The promises of one type in a bundle.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) kind: Text,
    pub(crate) promises: Vec<Rc<Promise>>,
}

/// A promise as written.
#[derive(Debug)]
pub(crate) struct Promise {
    pub(crate) kind: Text,
    pub(crate) promiser: Text,
    pub(crate) promisee: Option<Value>,
    pub(crate) guard: Option<Guard>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) line: u32,
    /// Whether it has nothing to expand or call.
    pub(crate) plain: bool,
}

/// A class guard without quotes.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) text: Text,
    pub(crate) expression: Result<Expression, ClassError>,
}

/// An attribute of a promise or body.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Text,
    pub(crate) value: Value,
    /// Whether the value is a bare word, which may name a body or bundle.
    pub(crate) bare: bool,
    pub(crate) guard: Option<Guard>,
    pub(crate) line: u32,
}

/// A body; also control bodies and promise blocks.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) namespace: Text,
    pub(crate) kind: Text,
    pub(crate) name: Text,
    pub(crate) parameters: Vec<Text>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) path: Text,
}

/// Promise types in the agent's normal order.
pub(crate) const NORMAL_ORDER: [&str; 15] = [
    "meta",
    "vars",
    "defaults",
    "classes",
    "users",
    "files",
    "packages",
    "guest_environments",
    "methods",
    "processes",
    "services",
    "commands",
    "storage",
    "databases",
    "reports",
];

/// Built-in promise types of other components' bundles.
const FOREIGN: [&str; 10] = [
    "access",
    "roles",
    "measurements",
    "delete_lines",
    "field_edits",
    "insert_lines",
    "replace_patterns",
    "build_xpath",
    "delete_tree",
    "insert_tree",
];

/// Whether a promise type is built in.
pub(crate) fn is_built_in(kind: &str) -> bool {
    NORMAL_ORDER.contains(&kind) || FOREIGN.contains(&kind)
}

/// Whether a type of body is built in.
pub(crate) fn is_known_body(kind: &str) -> bool {
    const KNOWN: [&str; 43] = [
        "acl",
        "action",
        "agent",
        "association",
        "changes",
        "classes",
        "common",
        "contain",
        "copy_from",
        "database_server",
        "delete",
        "delete_select",
        "depth_search",
        "edit_defaults",
        "edit_field",
        "environment_interface",
        "environment_resources",
        "executor",
        "file",
        "file_select",
        "hub",
        "insert_select",
        "link_from",
        "location",
        "match_value",
        "monitor",
        "mount",
        "package_method",
        "package_module",
        "password",
        "perms",
        "printfile",
        "process_count",
        "process_select",
        "reporter",
        "rename",
        "replace_with",
        "report_data_select",
        "runagent",
        "select_region",
        "server",
        "service_method",
        "volume",
    ];
    KNOWN.contains(&kind)
}

impl File {
    /// Converts a parsed policy. The path stays as given.
    pub(crate) fn new(
        path: &Text,
        policy: tree::Policy,
        mains: usize,
        sources: &Sources,
        release: &Release,
    ) -> Self {
        let blocks = read::blocks(&policy, path, sources, release);
        Self {
            policy,
            mains,
            blocks,
        }
    }

    /// The control body of a component.
    pub(crate) fn control(&self, component: &str) -> Option<&Rc<Body>> {
        let mut bodies = self.blocks.bodies.iter();
        bodies.find(|body| &*body.kind == component && &*body.name == "control")
    }
}

impl Program {
    /// The blocks of all files in order, as cf-agent or as the check before it sees them.
    pub(crate) fn of(files: &[Rc<File>], checking: bool) -> Self {
        let mut program = Self::default();
        for file in files {
            program.add(&file.blocks, checking);
        }
        program
    }

    fn add(&mut self, blocks: &Blocks, checking: bool) {
        for (bundle, lost) in blocks.bundles.iter().zip(&blocks.lost) {
            if *lost && !checking {
                continue;
            }
            let key = (bundle.namespace.clone(), bundle.name.clone());
            self.by_name.entry(key).or_default().push(bundle.clone());
            self.bundles.push(bundle.clone());
        }
        for body in &blocks.bodies {
            self.has_defaults |= &*body.namespace == "bodydefault";
            let key = (body.namespace.clone(), body.name.clone());
            self.body_by_name.entry(key).or_default().push(body.clone());
            self.bodies.push(body.clone());
        }
        for block in &blocks.promise_blocks {
            let first = self.blocks.entry(block.name.clone());
            first.or_insert_with(|| block.clone());
        }
    }

    /// The bundle with this component, namespace and name.
    pub(crate) fn bundle(
        &self,
        component: &str,
        namespace: &str,
        name: &str,
    ) -> Option<&Rc<Bundle>> {
        let key = (Text::from(namespace), Text::from(name));
        let found = self.by_name.get(&key)?;
        found.iter().find(|bundle| &*bundle.component == component)
    }

    /// The first body with this type, namespace and name.
    pub(crate) fn body(&self, kind: &str, namespace: &str, name: &str) -> Option<&Rc<Body>> {
        let key = (Text::from(namespace), Text::from(name));
        let found = self.body_by_name.get(&key)?;
        found.iter().find(|body| &*body.kind == kind)
    }

    /// The control bodies, in order.
    pub(crate) fn controls(&self) -> impl Iterator<Item = &Rc<Body>> {
        self.bodies.iter().filter(|body| &*body.name == "control")
    }
}

impl Bundle {
    /// The promises of a type.
    pub(crate) fn section(&self, kind: &str) -> Option<&Rc<Section>> {
        self.sections.iter().find(|section| &*section.kind == kind)
    }
}
