//! Finds unsupported constructs before the run. Constructs behind guards do not stop the run in
//! advance, since it may never reach them. This applies to function calls, and to bundles and
//! promises whose guards do not hold yet.

use crate::functions;
use crate::machine::UNKNOWN_SYS;
use crate::options::Options;
use crate::program::File;
use crate::promise_types::refused;
use cfengine_policy::tree::{Attribute, Body, Bundle, Call, Guard, Promise, Rval};
use cfengine_policy::{Sources, Span};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Promise types that have a place in the normal order but are not supported.
const REFUSED: [&str; 7] = [
    "users",
    "packages",
    "guest_environments",
    "processes",
    "services",
    "storage",
    "databases",
];

/// Unsupported constructs, rendered with their places.
#[derive(Default)]
pub(crate) struct Unsupported {
    /// Constructs that the run certainly or probably reaches; empty if there are none.
    pub(crate) found: String,
    /// Constructs in bundles that the policy does not certainly call, by bundle. A name that is
    /// built during the run may still name such a bundle; other such bundles are called behind
    /// guards.
    pub(crate) behind: HashMap<String, String>,
    /// Constructs in promises with a guard or a condition, by function name.
    pub(crate) guarded: HashMap<String, String>,
    /// Promises whose guards do not hold yet, by type.
    pub(crate) kinds: HashMap<String, String>,
    /// The places of all calls of unsupported functions, by name.
    pub(crate) functions: HashMap<String, String>,
}

/// Searches a policy. `holds` evaluates a class expression as far as it is known.
pub(crate) fn unsupported(
    files: &[Rc<File>],
    sources: &Sources,
    options: &Options,
    holds: &dyn Fn(&str) -> Option<bool>,
) -> Unsupported {
    let mut search = Search {
        bundles: files.iter().flat_map(|file| &file.policy.bundles).collect(),
        bodies: files.iter().flat_map(|file| &file.policy.bodies).collect(),
        sources,
        holds,
        reached: HashSet::new(),
        late: Vec::new(),
        told: HashSet::new(),
        found: String::new(),
        is_guarded: false,
        guarded: HashMap::new(),
        kinds: HashMap::new(),
        functions: HashMap::new(),
        texts: OnceCell::new(),
    };
    for bundle in search.start(files, options) {
        search.visit(bundle);
    }
    let mut unsupported = Unsupported {
        found: std::mem::take(&mut search.found),
        ..Unsupported::default()
    };
    if unsupported.found.is_empty() {
        let reached = search.reached.clone();
        // If no name is built during the run, the run can only reach these bundles.
        let mut waiting = match search.texts.get() {
            Some(_) => search.bundles.clone(),
            None => std::mem::take(&mut search.late),
        };
        let mut seen = HashSet::new();
        while let Some(bundle) = waiting.pop() {
            if !seen.insert(std::ptr::from_ref(bundle)) {
                continue;
            }
            search.visit(bundle);
            waiting.append(&mut search.late);
            let found = std::mem::take(&mut search.found);
            if !found.is_empty() {
                let name = bundle.name.text.to_string();
                unsupported.behind.entry(name).or_default().push_str(&found);
            }
            search.reached.clone_from(&reached);
            search.told.clear();
        }
    }
    unsupported.guarded = search.guarded;
    unsupported.kinds = search.kinds;
    unsupported.functions = search.functions;
    unsupported
}

struct Search<'a> {
    bundles: Vec<&'a Bundle>,
    bodies: Vec<&'a Body>,
    sources: &'a Sources,
    holds: &'a dyn Fn(&str) -> Option<bool>,
    reached: HashSet<*const Bundle>,
    /// Bundles that are called behind guards that do not hold yet.
    late: Vec<&'a Bundle>,
    told: HashSet<Span>,
    found: String,
    /// Whether the run may skip the current promise.
    is_guarded: bool,
    guarded: HashMap<String, String>,
    kinds: HashMap<String, String>,
    functions: HashMap<String, String>,
    /// All texts of the policies; set once a name is only known during the run.
    texts: OnceCell<String>,
}

impl<'a> Search<'a> {
    /// The bundles that certainly run: those of the bundlesequence, and common ones.
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

    /// The bundles that a value names; all candidates if the name is only known during the run.
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

    /// The candidates for a name that is only known during the run: bundles that some text names.
    fn agents(&self) -> Vec<&'a Bundle> {
        let texts = self.texts.get_or_init(|| {
            let mut texts = String::new();
            let sections = self.bundles.iter().flat_map(|bundle| &bundle.sections);
            let contexts = sections.flat_map(|section| &section.contexts);
            for promise in contexts.flat_map(|context| &context.items) {
                texts.push_str(&promise.promiser.text);
                texts.push('\n');
                add_texts(promise.attributes.iter(), &mut texts);
            }
            for body in &self.bodies {
                add_texts(
                    body.attributes().map(|(_, attribute)| attribute),
                    &mut texts,
                );
            }
            texts
        });
        let all = self.bundles.iter().copied();
        all.filter(|bundle| &*bundle.component.text == "agent")
            .filter(|bundle| is_named(&bundle.name.text, texts))
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
                let promises = section.contexts.iter().flat_map(|context| {
                    let guard = context.guard.as_ref().filter(|guard| &*guard.text != "any");
                    context.items.iter().map(move |item| (guard, item))
                });
                if REFUSED.contains(&kind) {
                    let place = self.place(section.kind.span, &format!("promise type \"{kind}\""));
                    let certain = |(guard, promise)| self.is_come_to(guard, promise);
                    if promises.clone().any(certain) {
                        self.found.push_str(&place);
                    } else {
                        let places = self.kinds.entry(kind.to_owned()).or_default();
                        if !places.contains(&place) {
                            places.push_str(&place);
                        }
                    }
                    continue;
                }
                for (guard, promise) in promises {
                    let certain = self.is_come_to(guard, promise);
                    let condition = |name: &&str| promise.attribute(name).is_some();
                    let conditions = ["if", "ifvarclass", "unless"];
                    self.is_guarded = guard.is_some() || conditions.iter().any(condition);
                    self.text(&promise.promiser.text, promise.promiser.span);
                    for attribute in &promise.attributes {
                        self.value(&attribute.value);
                        if matches!(kind, "files" | "commands") || &*attribute.name.text == "action"
                        {
                            self.with_bodies(kind, attribute);
                        }
                        if matches!(&*attribute.name.text, "usebundle" | "edit_line") {
                            let called = self.bundles_in(&attribute.value);
                            let them = if certain {
                                &mut waiting
                            } else {
                                &mut self.late
                            };
                            them.extend(called);
                        }
                    }
                    if kind == "methods" && promise.attribute("usebundle").is_none() {
                        let called = self.named(&promise.promiser.text);
                        let them = if certain {
                            &mut waiting
                        } else {
                            &mut self.late
                        };
                        them.extend(called);
                    }
                }
            }
        }
    }

    /// Whether the run certainly reaches a promise, as far as is known.
    fn is_come_to(&self, guard: Option<&Guard>, promise: &Promise) -> bool {
        let is = |text: &str, wanted| (self.holds)(text) == Some(wanted);
        guard.is_none_or(|guard| is(&guard.text, true))
            && promise.attributes.iter().all(|attribute| {
                let text = attribute.value.scalar();
                match &*attribute.name.text {
                    "if" | "ifvarclass" => text.is_some_and(|text| is(text, true)),
                    "unless" => text.is_some_and(|text| is(text, false)),
                    _ => true,
                }
            })
    }

    /// Checks an attribute of a promise, and the attributes of a body that it names.
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
            self.refuse_of(kind, attribute);
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
        let name = &*call.name.text;
        if functions::is_unsupported(name) {
            let place = self.place(call.name.span, &format!("function \"{name}\""));
            let all = self.functions.entry(name.to_owned()).or_default();
            if !all.contains(&place) {
                all.push_str(&place);
            }
            let places = if self.is_guarded {
                self.guarded.entry(name.to_owned()).or_default()
            } else {
                &mut self.found
            };
            if !places.contains(&place) {
                places.push_str(&place);
            }
        }
        for (at, argument) in call.arguments.iter().enumerate() {
            if let Rval::Call(inner) = argument
                && functions::wants_text(&call.name.text, at)
                && functions::kind_of(&inner.name.text).is_iterable()
            {
                // cf-agent would crash here.
                let (inner_name, name) = (&inner.name.text, &call.name.text);
                let what = format!("{inner_name}() as a text argument of {name}()");
                self.refuse(inner.name.span, &what);
            }
            // Functions also take variables by name.
            if let Some(text) = argument.scalar() {
                let name = text.strip_prefix("default:").unwrap_or(text);
                self.system_variable(name, argument.span());
            }
            self.value(argument);
        }
    }

    /// Checks a text for variables `$(sys.…)` and `@(sys.…)` that the reference agent does not
    /// have.
    fn text(&mut self, text: &str, span: Span) {
        if memchr::memchr2(b'$', b'@', text.as_bytes()).is_none() {
            return;
        }
        for (at, _) in text.match_indices("sys.") {
            let before = &text[..at];
            let before = before.strip_suffix("default:").unwrap_or(before);
            if ["$(", "${", "@(", "@{"]
                .iter()
                .any(|open| before.ends_with(open))
            {
                self.system_variable(&text[at..], span);
            }
        }
    }

    fn system_variable(&mut self, text: &str, span: Span) {
        let Some(rest) = text.strip_prefix("sys.") else {
            return;
        };
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let name = &rest[..end.unwrap_or(rest.len())];
        if UNKNOWN_SYS.contains(&name) {
            self.refuse(span, &format!("variable \"sys.{name}\""));
        }
    }

    fn refuse(&mut self, span: Span, what: &str) {
        let place = self.place(span, what);
        self.found.push_str(&place);
    }

    fn place(&self, span: Span, what: &str) -> String {
        let source = self.sources.get(span.file);
        let at = source.position(span.start);
        let line = String::from_utf8_lossy(source.line(at.line)).into_owned();
        format!(
            "{}:{at}: {what} is not supported by the reference agent\n{:>5} | {line}\n",
            source.path(),
            at.line
        )
    }
}

/// Whether a name is a whole text, or an item of a text that is a list or JSON. Each text ends with
/// a line feed.
fn is_named(name: &str, texts: &str) -> bool {
    let parts = |c: char| matches!(c, '"' | '\'' | ',' | ';' | ':' | '|' | '(' | '\n');
    memchr::memmem::find_iter(texts.as_bytes(), name.as_bytes()).any(|at| {
        let before = texts[..at].trim_end_matches(' ');
        let after = &texts[at + name.len()..];
        (before.is_empty() || before.ends_with(parts)) && after.starts_with(parts)
    })
}

/// Collects all quoted texts in a bundle or body.
fn add_texts<'a>(attributes: impl Iterator<Item = &'a Attribute>, out: &mut String) {
    let mut waiting: Vec<&Rval> = attributes.map(|attribute| &attribute.value).collect();
    while let Some(value) = waiting.pop() {
        match value {
            Rval::Call(call) => waiting.extend(&call.arguments),
            Rval::List(list) => waiting.extend(&list.items),
            Rval::String(text) => {
                out.push_str(&text.text);
                out.push('\n');
            }
            Rval::Symbol(_) | Rval::Variable(_) => {}
        }
    }
}
