//! What the reference agent does not do, found before anything is run.

use crate::functions;
use crate::kinds::refused;
use crate::machine::UNKNOWN_SYS;
use crate::options::Options;
use crate::program::File;
use std::collections::HashSet;
use std::fmt::Write;
use std::rc::Rc;
use stickler_policy::tree::{Attribute, Body, Bundle, Call, Rval};
use stickler_policy::{Sources, Span};

/// Promise types that have their place in the order, and no more.
const REFUSED: [&str; 7] = [
    "users",
    "packages",
    "guest_environments",
    "processes",
    "services",
    "storage",
    "databases",
];

/// Every place of what is not supported, rendered; empty where there is none.
pub(crate) fn unsupported(files: &[Rc<File>], sources: &Sources, options: &Options) -> String {
    let mut search = Search {
        bundles: files.iter().flat_map(|file| &file.policy.bundles).collect(),
        bodies: files.iter().flat_map(|file| &file.policy.bodies).collect(),
        sources,
        reached: HashSet::new(),
        told: HashSet::new(),
        found: String::new(),
    };
    for bundle in search.start(files, options) {
        search.visit(bundle);
    }
    search.found
}

struct Search<'a> {
    bundles: Vec<&'a Bundle>,
    bodies: Vec<&'a Body>,
    sources: &'a Sources,
    reached: HashSet<*const Bundle>,
    told: HashSet<Span>,
    found: String,
}

impl<'a> Search<'a> {
    /// Bundles that are run for certain: those of the bundlesequence, and
    /// common ones.
    fn start(&self, files: &'a [Rc<File>], options: &Options) -> Vec<&'a Bundle> {
        let common = self.bundles.iter().copied();
        let mut start: Vec<_> = common.filter(|b| &*b.component.text == "common").collect();
        if let Some(names) = &options.bundles {
            names.iter().for_each(|name| start.extend(self.named(name)));
            return start;
        }
        let mut listed = false;
        for file in files {
            for body in file
                .policy
                .bodies
                .iter()
                .filter(|b| &*b.kind.text == "common")
            {
                for (_, attribute) in body.attributes() {
                    if &*attribute.name.text == "bundlesequence" {
                        listed = true;
                        start.extend(self.bundles_in(&attribute.value));
                    }
                }
            }
        }
        if !listed {
            start.extend(self.named("main"));
            start.extend(self.named("__main__"));
        }
        start
    }

    fn named(&self, name: &str) -> Vec<&'a Bundle> {
        let plain = name.rsplit(':').next().unwrap_or(name);
        let found = self.bundles.iter().copied();
        found.filter(|bundle| &*bundle.name.text == plain).collect()
    }

    /// Bundles that a value names; all, where that is known only later.
    fn bundles_in(&self, value: &'a Rval) -> Vec<&'a Bundle> {
        match value {
            Rval::List(list) => list
                .items
                .iter()
                .flat_map(|item| self.bundles_in(item))
                .collect(),
            Rval::Call(call) if call.name.text.contains('$') => self.agents(),
            Rval::Call(call) => self.named(&call.name.text),
            scalar => match scalar.scalar() {
                Some(text) if text.contains(['$', '@']) => self.agents(),
                Some(text) => self.named(text),
                None => Vec::new(),
            },
        }
    }

    fn agents(&self) -> Vec<&'a Bundle> {
        let all = self.bundles.iter().copied();
        all.filter(|bundle| &*bundle.component.text == "agent")
            .collect()
    }

    fn visit(&mut self, bundle: &'a Bundle) {
        let mut waiting = vec![bundle];
        while let Some(bundle) = waiting.pop() {
            if !matches!(&*bundle.component.text, "agent" | "common" | "edit_line")
                || !self.reached.insert(std::ptr::from_ref(bundle))
            {
                continue;
            }
            for section in &bundle.sections {
                let kind = &*section.kind.text;
                if REFUSED.contains(&kind) {
                    self.refuse(section.kind.span, &format!("promise type \"{kind}\""));
                    continue;
                }
                let promises = section.contexts.iter().flat_map(|context| &context.items);
                for promise in promises {
                    self.text(&promise.promiser.text, promise.promiser.span);
                    for attribute in &promise.attributes {
                        self.value(&attribute.value);
                        if matches!(kind, "files" | "commands") || &*attribute.name.text == "action"
                        {
                            self.with_bodies(kind, attribute);
                        }
                        if matches!(&*attribute.name.text, "usebundle" | "edit_line") {
                            waiting.extend(self.bundles_in(&attribute.value));
                        }
                    }
                    if kind == "methods" && promise.attribute("usebundle").is_none() {
                        waiting.extend(self.named(&promise.promiser.text));
                    }
                }
            }
        }
    }

    /// An attribute of a promise, and those of the bodies that it names.
    fn with_bodies(&mut self, holder: &str, attribute: &Attribute) {
        self.refuse_of(holder, attribute);
        let name = match &attribute.value {
            Rval::Symbol(name) => &name.text,
            Rval::Call(call) => &call.name.text,
            _ => return,
        };
        let plain = name.rsplit(':').next().unwrap_or(name);
        let kind = &*attribute.name.text;
        let named = |body: &&&Body| &*body.kind.text == kind && &*body.name.text == plain;
        let bodies: Vec<&Body> = self.bodies.iter().filter(named).copied().collect();
        for (_, attribute) in bodies.iter().flat_map(|body| body.attributes()) {
            self.value(&attribute.value);
            // Other promises take no time in the background.
            if &*attribute.name.text != "background" || matches!(holder, "files" | "commands") {
                self.refuse_of(kind, attribute);
            }
        }
    }

    fn refuse_of(&mut self, holder: &str, attribute: &Attribute) {
        if refused(holder, attribute) && self.told.insert(attribute.span) {
            let what = format!("attribute \"{}\"", attribute.name.text);
            self.refuse(attribute.span, &what);
        }
    }

    fn value(&mut self, value: &Rval) {
        match value {
            Rval::Call(call) => self.call(call),
            Rval::List(list) => list.items.iter().for_each(|item| self.value(item)),
            scalar => {
                if let Some(text) = scalar.scalar() {
                    self.text(text, scalar.span());
                }
            }
        }
    }

    fn call(&mut self, call: &Call) {
        if functions::is_unsupported(&call.name.text) {
            self.refuse(call.name.span, &format!("function \"{}\"", call.name.text));
        }
        call.arguments
            .iter()
            .for_each(|argument| self.value(argument));
    }

    /// `$(sys.…)` that the agent has and we don't compute.
    fn text(&mut self, text: &str, span: Span) {
        if memchr::memchr(b'$', text.as_bytes()).is_none() {
            return;
        }
        for (at, _) in text.match_indices("sys.") {
            if !text[..at].ends_with(['(', '{']) {
                continue;
            }
            let rest = &text[at + 4..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let name = &rest[..end.unwrap_or(rest.len())];
            if UNKNOWN_SYS.contains(&name) {
                self.refuse(span, &format!("variable \"sys.{name}\""));
            }
        }
    }

    fn refuse(&mut self, span: Span, what: &str) {
        let source = self.sources.get(span.file);
        let at = source.position(span.start);
        let line = String::from_utf8_lossy(source.line(at.line)).into_owned();
        let _ = writeln!(
            self.found,
            "{}:{at}: {what} is not supported by the reference agent\n{:>5} | {line}",
            source.path(),
            at.line
        );
    }
}
