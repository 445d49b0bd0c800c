//! Applies a catalog: the order of its resources, failures that spread, what is skipped.

use crate::built_in::Contained;
use crate::fault::{Fault, Raised, Stopped};
use crate::graph::Graph;
use crate::kind::Runtime;
use crate::log::Severity;
use crate::report::{ReportEvent, ResourceOutcome, RunReport, Skipped, Status};
use crate::resource::{Relation, Resource};
use puppet_manifest::{Catalog, Reference, Resource as Declared, capitalized};
use puppet_types::Value;
use puppet_types::definition::{Auto, RelationTitle};
use std::collections::{BTreeMap, BTreeSet};

/// The vertices of a container.
#[derive(Clone, Copy)]
struct Ends {
    begin: usize,
    end: usize,
}

/// The resources of a run, with what finds them.
struct Run {
    resources: Vec<Resource>,
    /// Resources by type and name: their titles, their aliases, their namevars.
    table: BTreeMap<(String, Vec<String>), usize>,
    /// Containers by type and title.
    containers: BTreeMap<(String, String), Ends>,
    /// The names of containers by their vertices.
    names: BTreeMap<usize, String>,
    graph: Graph,
    /// The vertices of the resources.
    vertices: Vec<usize>,
    /// The end of the container of each resource, and of each container's end.
    outer: BTreeMap<usize, usize>,
}

impl Runtime<'_> {
    /// Applies a catalog.
    ///
    /// # Errors
    /// If the catalog cannot be applied at all: a value of the wrong type, a cycle. What fails
    /// with a single resource is in the report.
    pub fn apply(&mut self, catalog: &Catalog) -> Result<RunReport, Stopped> {
        let mut resources = Vec::new();
        for declared in &catalog.resources {
            if !declared.is_virtual || declared.exported {
                let made = self.declared(declared).map_err(|fault| Stopped {
                    fault,
                    place: declared.place.clone(),
                })?;
                resources.push((made, declared.container.clone()));
            }
        }
        let applied = self.generate_all(&mut resources).and_then(|()| {
            let mut run = Run::new(resources, Some(catalog))?;
            self.walk(&mut run)
        });
        applied.map_err(|fault| Stopped { fault, place: None })
    }

    /// Applies a single resource.
    pub(crate) fn apply_one(&mut self, resource: Resource) -> Result<(Resource, RunReport), Fault> {
        let mut all = vec![(resource, None)];
        self.generate_all(&mut all)?;
        let mut run = Run::new(all, None)?;
        let report = self.walk(&mut run)?;
        // What is generated comes behind it.
        Ok((run.resources.remove(0), report))
    }

    /// Applies one resource, as if all that it depends on were applied.
    ///
    /// # Errors
    /// If Puppet refuses the resource before it applies anything, or the run cannot go on.
    pub fn apply_alone(&mut self, declared: &Declared) -> Result<Status, Fault> {
        let mut resource = self.declared(declared)?;
        let kind = resource.kind.clone();
        self.want(&kind, resource.name());
        let mut status = Status::of(&resource);
        self.visit(&mut resource, &mut status)?;
        Ok(status)
    }

    /// Applies a resource, unless it is for another machine.
    fn visit(&mut self, resource: &mut Resource, status: &mut Status) -> Result<(), Fault> {
        status.skipped = self.is_elsewhere(resource);
        match status.skipped {
            None => self.evaluate(resource, status),
            Some(_) => Ok(()),
        }
    }

    fn walk(&mut self, run: &mut Run) -> Result<RunReport, Fault> {
        run.relate(self)?;
        for resource in &run.resources {
            let (kind, name) = (resource.kind.clone(), resource.name());
            self.want(&kind, name);
        }
        let cycles = run.graph.cycles();
        if !cycles.is_empty() {
            self.tell_cycles(run, &cycles);
            return Ok(run.in_cycles(&cycles));
        }
        let by_vertex: BTreeMap<usize, usize> = run
            .vertices
            .iter()
            .enumerate()
            .map(|(index, vertex)| (*vertex, index))
            .collect();
        let mut report = RunReport::default();
        // What failed before each vertex, and which vertices failed.
        let mut failed_before: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut failed = BTreeSet::new();
        let mut told = BTreeSet::new();
        // The events that containers learn of: whether each was one of a dry run.
        let mut told_of: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
        for vertex in run.graph.order() {
            let mut causes = BTreeSet::new();
            for before in run.graph.dependencies(vertex) {
                if let Some(earlier) = failed_before.get(&before) {
                    causes.extend(earlier);
                }
                if failed.contains(&before) {
                    causes.insert(before);
                }
            }
            if !causes.is_empty() {
                failed_before.insert(vertex, causes.clone());
            }
            let Some(&index) = by_vertex.get(&vertex) else {
                // What depends on failures learns of nothing.
                if causes.is_empty() {
                    self.refresh(run, vertex, &mut told_of);
                }
                continue;
            };
            let resource = &mut run.resources[index];
            let mut status = Status::of(resource);
            if causes.is_empty() {
                match self.visit(resource, &mut status) {
                    // The run ends here, and what the resource did is not in the report.
                    Err(Fault::Raised(raised)) => {
                        report.statuses.push(Status::of(resource));
                        report.stopped = Some(raised);
                        return Ok(report);
                    }
                    visited => visited?,
                }
            } else {
                status.skipped = Some(Skipped::Dependency);
                let source = resource.log_path();
                for cause in causes {
                    if told.insert(cause)
                        && let Some(cause) = by_vertex.get(&cause)
                    {
                        let cause = run.resources[*cause].reference();
                        let message = format!("Dependency {cause} has failures: true");
                        self.log(Severity::Notice, Some(&source), message);
                    }
                }
                let message = "Skipping because of failed dependencies";
                self.log(Severity::Warning, Some(&source), message);
            }
            if status.failed {
                failed.insert(vertex);
            } else if let Some(outer) = run.outer.get(&vertex) {
                let events = status.events.iter();
                let events = events.map(|event| event.status == ResourceOutcome::Noop);
                told_of.entry(*outer).or_default().extend(events);
            }
            report.statuses.push(status);
        }
        Ok(report)
    }

    /// A container passes on that something in it changed. Puppet tells only what would have been.
    fn refresh(&mut self, run: &Run, vertex: usize, told_of: &mut BTreeMap<usize, Vec<bool>>) {
        let Some(events) = told_of.remove(&vertex).filter(|events| !events.is_empty()) else {
            return;
        };
        let is_dry = self.settings.noop || events.iter().all(|is_dry| *is_dry);
        if is_dry {
            let count = events.len();
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("Would have triggered 'refresh' from {count} event{plural}");
            self.log(
                Severity::Notice,
                run.container_of(vertex).as_deref(),
                message,
            );
        }
        if let Some(outer) = run.outer.get(&vertex) {
            told_of.entry(*outer).or_default().push(is_dry);
        }
    }

    /// Is the resource for a device while the run is not, or the other way round?
    fn is_elsewhere(&mut self, resource: &Resource) -> Option<Skipped> {
        if resource.kind.name == "notify" {
            return None;
        }
        let is_remote = resource.kind.is_remote();
        let message = match (is_remote, self.settings.on_device) {
            (true, false) => "Skipping device resources because running on a posix host",
            (false, true) if !self.is_for_both(resource) => {
                "Skipping host resources because running on a device"
            }
            _ => return None,
        };
        let source = resource.log_path();
        self.log(Severity::Debug, Some(&source), message);
        Some(Skipped::Device)
    }

    /// Since Puppet 8, `resources` is for hosts and for devices.
    fn is_for_both(&self, resource: &Resource) -> bool {
        resource.kind.name == "resources" && self.settings.release.core.purges_on_devices
    }

    fn tell_cycles(&mut self, run: &Run, cycles: &[Vec<usize>]) {
        let name = |vertex: &usize| {
            let index = run.vertices.iter().position(|own| own == vertex);
            match index {
                Some(index) => run.resources[index].reference(),
                None => run.container_of(*vertex).unwrap_or_default(),
            }
        };
        let count = cycles.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut message = format!("Found {count} dependency cycle{plural}:\n");
        for cycle in cycles {
            let names: Vec<String> = cycle.iter().map(name).collect();
            message.push_str(&format!("({})\n", names.join(" => ")));
        }
        self.log(Severity::Err, None, message.trim_end());
    }
}

impl Status {
    fn of(resource: &Resource) -> Self {
        Status {
            resource: resource.reference(),
            kind: resource.kind.name.clone(),
            title: resource.title.to_text(),
            ..Status::default()
        }
    }
}

impl Run {
    fn new(resources: Vec<Contained>, catalog: Option<&Catalog>) -> Result<Self, Fault> {
        let mut run = Run {
            vertices: Vec::new(),
            table: BTreeMap::new(),
            containers: BTreeMap::new(),
            names: BTreeMap::new(),
            graph: Graph::default(),
            resources: Vec::new(),
            outer: BTreeMap::new(),
        };
        let mut containers = Vec::new();
        for (index, (resource, container)) in resources.into_iter().enumerate() {
            containers.push(container);
            run.insert(index, &resource)?;
            run.vertices.push(run.graph.add((index + 1, 0)));
            run.resources.push(resource);
        }
        if let Some(catalog) = catalog {
            run.contain(catalog, &containers);
        }
        Ok(run)
    }

    /// The report of a run that cannot begin: the resources of cycles fail.
    fn in_cycles(&self, cycles: &[Vec<usize>]) -> RunReport {
        let mut report = RunReport::default();
        for (resource, vertex) in self.resources.iter().zip(&self.vertices) {
            if cycles.iter().any(|cycle| cycle.contains(vertex)) {
                let mut status = Status::of(resource);
                status.add(ReportEvent {
                    property: None,
                    previous: Value::Undef,
                    desired: Value::Undef,
                    status: ResourceOutcome::Failure,
                    message: "resource is part of a dependency cycle".to_owned(),
                });
                report.statuses.push(status);
            }
        }
        let message = "One or more resource dependency cycles detected in graph";
        report.stopped = Some(Raised::puppet(message));
        report
    }

    /// Makes a resource known by its title, its aliases and its namevars.
    fn insert(&mut self, index: usize, resource: &Resource) -> Result<(), Fault> {
        let kind = &resource.kind.name;
        let title = resource.title.to_text();
        let own = (kind.clone(), vec![title.clone()]);
        if self.table.contains_key(&own) {
            let message = format!(
                "Duplicate declaration: {} is already declared; cannot redeclare",
                resource.reference()
            );
            return Err(Raised::puppet(message).into());
        }
        self.table.insert(own, index);
        let unique = resource.unique();
        let mut names: Vec<(Vec<String>, String)> = resource
            .aliases
            .iter()
            .map(|alias| (vec![alias.clone()], Value::string(alias).inspect()))
            .collect();
        if unique.iter().any(Value::is_truthy) && unique != [resource.title.clone()] {
            let words = unique.iter().map(Value::to_text).collect();
            names.push((words, Value::Array(unique.clone()).inspect()));
        }
        for (words, shown) in names {
            let key = (kind.clone(), words.clone());
            match self.table.get(&key) {
                Some(known) if *known == index => {}
                Some(_) => {
                    let mut newref = vec![Value::string(capitalized(kind))];
                    newref.extend(words.iter().map(Value::string));
                    let message = format!(
                        "Cannot alias {} to {shown}; resource {} already declared",
                        resource.reference(),
                        Value::Array(newref).inspect()
                    );
                    return Err(Raised::new("ArgumentError", message).into());
                }
                None => {
                    self.table.insert(key, index);
                }
            }
        }
        Ok(())
    }

    /// Containers stand for all that they contain: each has a vertex before and one after it.
    fn contain(&mut self, catalog: &Catalog, of_resources: &[Option<Reference>]) {
        for container in &catalog.containers {
            let priority = self.vertices.len() + self.containers.len();
            let begin = self.graph.add((0, 2 * priority + 1));
            let end = self.graph.add((0, 2 * priority + 2));
            self.graph.connect(begin, end);
            let name = container.reference().to_string();
            self.names.insert(begin, name.clone());
            self.names.insert(end, name);
            let key = (container.kind.clone(), container.title.to_lowercase());
            self.containers.insert(key, Ends { begin, end });
        }
        let ends = |containers: &BTreeMap<(String, String), Ends>, one: &Reference| {
            let key = (one.kind.clone(), one.title.to_lowercase());
            containers.get(&key).copied()
        };
        for container in &catalog.containers {
            let own = ends(&self.containers, &container.reference());
            let outer = container.container.as_ref();
            let outer = outer.and_then(|outer| ends(&self.containers, outer));
            if let (Some(own), Some(outer)) = (own, outer) {
                self.graph.connect(outer.begin, own.begin);
                self.graph.connect(own.end, outer.end);
                self.outer.insert(own.end, outer.end);
            }
        }
        for (index, outer) in of_resources.iter().enumerate() {
            let outer = outer.as_ref();
            if let Some(outer) = outer.and_then(|outer| ends(&self.containers, outer)) {
                self.graph.connect(outer.begin, self.vertices[index]);
                self.graph.connect(self.vertices[index], outer.end);
                self.outer.insert(self.vertices[index], outer.end);
            }
        }
        for container in &catalog.containers {
            let Some(own) = ends(&self.containers, &container.reference()) else {
                continue;
            };
            for relation in Relation::ALL {
                let Some(puppet_manifest::Parameter::References(all)) =
                    container.parameter(relation.name())
                else {
                    continue;
                };
                for other in all {
                    if let Some(other) = self.ends_of(other) {
                        self.order(relation, own, other);
                    }
                }
            }
        }
    }

    /// The vertices of a resource or a container.
    fn ends_of(&self, reference: &Reference) -> Option<Ends> {
        let key = (reference.kind.clone(), reference.title.to_lowercase());
        if let Some(ends) = self.containers.get(&key) {
            return Some(*ends);
        }
        let index = self.find(&reference.kind, &reference.title)?;
        let vertex = self.vertices[index];
        Some(Ends {
            begin: vertex,
            end: vertex,
        })
    }

    fn order(&mut self, relation: Relation, own: Ends, other: Ends) {
        match relation.is_incoming() {
            true => self.graph.connect(other.end, own.begin),
            false => self.graph.connect(own.end, other.begin),
        }
    }

    /// The resource of this type and title, alias or namevars.
    fn find(&self, kind: &str, title: &str) -> Option<usize> {
        let key = (kind.to_owned(), vec![title.to_owned()]);
        if let Some(index) = self.table.get(&key) {
            return Some(*index);
        }
        // The title may give the namevars of a resource with another title.
        let known = self.resources.iter().find(|one| one.kind.name == kind)?;
        let title = known.kind.definition.read_title(title).ok()?;
        let puppet_types::titles::Title::Matched { mut namevars, .. } = title else {
            return None;
        };
        namevars.sort_by(|one, other| one.name.cmp(&other.name));
        let words = namevars.into_iter();
        let words = words.map(|capture| capture.text.unwrap_or_default());
        self.table.get(&(kind.to_owned(), words.collect())).copied()
    }

    /// Adds what resources say they are related to, then what their types relate.
    fn relate(&mut self, runtime: &mut Runtime<'_>) -> Result<(), Fault> {
        for index in 0..self.resources.len() {
            for (relation, others) in self.resources[index].relations.clone() {
                for other in others {
                    let Some(ends) = self.ends_of(&other) else {
                        let what = match relation.is_incoming() {
                            true => "dependency",
                            false => "dependent",
                        };
                        let message = format!(
                            "Could not find {what} {other} for {}",
                            self.resources[index].reference()
                        );
                        return Err(Raised::resource(message).into());
                    };
                    let own = self.vertices[index];
                    let own = Ends {
                        begin: own,
                        end: own,
                    };
                    self.order(relation, own, ends);
                }
            }
        }
        for index in 0..self.resources.len() {
            for auto in [Auto::Require, Auto::Subscribe, Auto::Before, Auto::Notify] {
                self.relate_automatically(index, auto, runtime)?;
            }
        }
        Ok(())
    }

    fn relate_automatically(
        &mut self,
        index: usize,
        auto: Auto,
        runtime: &mut Runtime<'_>,
    ) -> Result<(), Fault> {
        let kind = self.resources[index].kind.clone();
        let relations = kind.definition.relations.iter();
        for relation in relations.filter(|one| one.auto == auto) {
            let mut titles = Vec::new();
            for title in &relation.titles {
                match title {
                    RelationTitle::Constant(text) => titles.push(text.clone()),
                    RelationTitle::Attribute(name) => {
                        if kind.definition.attribute(name).is_none() {
                            let message = format!("Invalid parameter {name}(:{name})");
                            return Err(Raised::puppet(message).into());
                        }
                        let value = self.resources[index].core_value(name);
                        words(value.as_ref(), &mut titles);
                    }
                }
            }
            let name = relation.type_name.to_lowercase();
            for title in titles {
                let Some(other) = self.find(&name, &title) else {
                    continue;
                };
                let (own, other) = (self.vertices[index], self.vertices[other]);
                let (from, to) = match auto {
                    Auto::Require | Auto::Subscribe => (other, own),
                    Auto::Before | Auto::Notify => (own, other),
                };
                if self.graph.has_edge(from, to) {
                    continue;
                }
                let source = self.resources[index].log_path();
                let shown = Reference {
                    kind: name.clone(),
                    title,
                };
                if self.graph.has_edge(to, from) {
                    let message = format!("Skipping automatic relationship with {shown}");
                    runtime.log(Severity::Debug, Some(&source), message);
                    continue;
                }
                let message = format!("Adding {} relationship with {shown}", auto.key());
                runtime.log(Severity::Debug, Some(&source), message);
                self.graph.connect(from, to);
            }
        }
        Ok(())
    }

    fn container_of(&self, vertex: usize) -> Option<String> {
        self.names.get(&vertex).cloned()
    }
}

fn words(value: Option<&Value>, into: &mut Vec<String>) {
    match value {
        None | Some(Value::Undef) => {}
        Some(Value::Array(items)) => items.iter().for_each(|item| words(Some(item), into)),
        Some(other) => into.push(other.to_text()),
    }
}
