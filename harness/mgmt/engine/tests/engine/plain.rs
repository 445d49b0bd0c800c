//! A resource that answers at once needs no script and no waits.

use mgmt_engine::{
    Check, Checked, Context, Engine, Group, Meta, Plan, PlanEdge, Resource, Traits, WatchStep,
};

/// A line of text that should be in a file.
struct Line {
    name: &'static str,
    there: bool,
    watched: bool,
    refreshed: usize,
    check: Option<Check>,
}

fn line(name: &'static str, there: bool) -> Line {
    Line {
        name,
        there,
        watched: false,
        refreshed: 0,
        check: None,
    }
}

impl Resource for Line {
    fn kind(&self) -> &str {
        "line"
    }

    fn name(&self) -> &str {
        self.name
    }

    fn meta(&self) -> Meta {
        Meta::default()
    }

    fn traits(&self) -> Traits {
        Traits {
            refresh: true,
            ..Traits::default()
        }
    }

    fn validate(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn cmp(&mut self, _other: &Line) -> Result<(), String> {
        Ok(())
    }

    fn begin_watch(&mut self, _number: u64) {
        self.watched = false;
    }

    fn poll_watch(&mut self, context: &mut Context<'_>) -> WatchStep {
        if context.ended.is_some() {
            return WatchStep::End(Ok(()));
        }
        if std::mem::replace(&mut self.watched, true) {
            WatchStep::Wait
        } else {
            WatchStep::Event
        }
    }

    fn begin_check(&mut self, check: Check) {
        self.check = Some(check);
    }

    fn poll_check(
        &mut self,
        _context: &mut Context<'_>,
        _group: &mut dyn Group<Line>,
    ) -> Option<Checked> {
        let check = self.check.take()?;
        let ok = self.there && !check.refresh;
        self.refreshed += usize::from(check.refresh);
        self.there |= check.apply;
        Some(Checked {
            ok,
            failure: None,
            sent: None,
        })
    }
}

#[test]
fn a_change_refreshes_the_resource_that_it_notifies() {
    let mut engine = Engine::new(None);
    let nodes = vec![
        engine.instance(line("last", true), "last@1".to_owned()),
        engine.instance(line("first", false), "first@1".to_owned()),
    ];
    let mut plan = Plan::new(nodes);
    plan.add_edge(PlanEdge {
        from: 1,
        to: 0,
        name: "first to last".to_owned(),
        notify: true,
    });
    engine.load(plan, false);
    engine.run_until(1000);
    assert_eq!(Some("ok".to_owned()), engine.take_outcome());
    let last = engine.find("line[last]").and_then(|id| engine.resource(id));
    assert_eq!(Some(1), last.map(|last| last.refreshed));
    let first = engine
        .find("line[first]")
        .and_then(|id| engine.resource(id));
    assert_eq!(Some(true), first.map(|first| first.there));

    engine.shutdown();
    engine.run_ready();
    assert_eq!(Some("ok".to_owned()), engine.take_outcome());
    assert!(engine.running().is_empty());
}

#[test]
fn a_resource_added_late_is_applied_without_edges() {
    let mut engine = Engine::new(None);
    let nodes = vec![engine.instance(line("early", true), "early@1".to_owned())];
    let mut plan = Plan::new(nodes);
    plan.late = vec![engine.instance(line("late", false), "late@1".to_owned())];
    engine.load(plan, false);
    let mut steps = 0;
    while engine.run_one() {
        steps += 1;
    }
    assert!(steps > 2, "{steps}");
    assert!(!engine.is_delayed());
    let late = engine.find("line[late]").and_then(|id| engine.resource(id));
    assert_eq!(Some(true), late.map(|late| late.there));
}
