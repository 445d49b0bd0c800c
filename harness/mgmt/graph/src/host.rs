//! A host as all resources of a graph share it: its kinds, its answers, and what it told about whom.

use crate::json::plain;
use crate::speech::ask;
use mgmt_engine::Failure;
use mgmt_protocol::{Answer, Described};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;
use stickler_rpc::{Caller, Ended};

/// What a call of Watch told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// It sent an event, and waits until that is taken.
    Event,
    /// It returned.
    Ended(Result<(), Failure>),
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The resource panicked.
    Panic(String),
    /// The host refused the request.
    Refused(String),
    /// The host is gone.
    Lost(Ended),
}

impl Fault {
    /// The fault in words, of a call of this method.
    pub(crate) fn in_words(&self, method: &str) -> String {
        match self {
            Fault::Panic(panic) => format!("panic in {method}: {panic}"),
            Fault::Refused(why) => why.clone(),
            Fault::Lost(lost) => lost.0.clone(),
        }
    }
}

/// A panic in words: what it used that a host does not have is the reason.
fn panicked(text: &str, needs: Option<&str>) -> String {
    match needs {
        Some(needs) => format!("{text} (it uses {needs}, which only mgmt itself can give)"),
        None => text.to_owned(),
    }
}

/// What a host told beside answers and events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// A line of the resource's log.
    Log(String),
    /// Something that a resource must not do.
    Misuse(String),
}

/// A host with what is known of it.
#[derive(Debug)]
pub struct GraphHost<C> {
    caller: C,
    registered: Vec<String>,
    kinds: HashMap<String, Rc<Described>>,
    inbox: HashMap<String, VecDeque<Notice>>,
    /// Who was told about since this was last taken.
    fresh: Vec<String>,
    remarks: Vec<(String, Remark)>,
    lost: Option<Ended>,
    labels: usize,
}

/// A host that several resources use.
pub type Shared<C> = Rc<RefCell<GraphHost<C>>>;

impl<C: Caller> GraphHost<C> {
    /// Opens the conversation. `var` is the folder below which resources keep files; `logs` is how many bytes of
    /// lines of their logs are told, if not all are.
    ///
    /// # Errors
    /// If the host does not answer.
    pub fn open(caller: C, var: &str, logs: Option<usize>) -> Result<Shared<C>, Ended> {
        let mut host = GraphHost {
            caller,
            registered: Vec::new(),
            kinds: HashMap::new(),
            inbox: HashMap::new(),
            fresh: Vec::new(),
            remarks: Vec::new(),
            lost: None,
            labels: 0,
        };
        let mut params = json!({ "protocol": 1, "debug": false, "var": var });
        if let Some(logs) = logs {
            params["logs"] = Json::from(logs);
        }
        let begun = host.ask("initialize", &params);
        let begun = begun.map_err(|fault| Ended(fault.in_words("initialize")))?;
        if let Some(kinds) = begun.get("kinds").and_then(Json::as_array) {
            let kinds = kinds.iter().filter_map(Json::as_str);
            host.registered = kinds.map(str::to_owned).collect();
        }
        Ok(Rc::new(RefCell::new(host)))
    }

    /// How it is reached.
    pub fn caller(&mut self) -> &mut C {
        &mut self.caller
    }

    /// The kinds that the package registers.
    pub fn registered(&self) -> &[String] {
        &self.registered
    }

    /// Why the host is gone, if it is.
    pub fn lost(&self) -> Option<Ended> {
        self.lost.clone()
    }

    /// A label for a new resource.
    pub(crate) fn label(&mut self) -> String {
        self.labels += 1;
        format!("r{}", self.labels)
    }

    /// Asks for something.
    pub(crate) fn ask(&mut self, method: &str, params: &Json) -> Result<Json, Fault> {
        match self.answer(method, params)? {
            Answer::Result(result) => Ok(plain(&result)),
            Answer::Failed(panic) => {
                Err(Fault::Panic(panicked(&panic.text, panic.needs.as_deref())))
            }
            Answer::Refused(_, why) => Err(Fault::Refused(why)),
            Answer::Broken(why) => {
                Err(Fault::Refused(format!("the host's answer is wrong: {why}")))
            }
        }
    }

    fn answer(&mut self, method: &str, params: &Json) -> Result<Answer, Fault> {
        if let Some(lost) = &self.lost {
            return Err(Fault::Lost(lost.clone()));
        }
        let answer = ask(&mut self.caller, method, params);
        self.sort();
        answer.map_err(|lost| {
            self.lost = Some(lost.clone());
            Fault::Lost(lost)
        })
    }

    /// Calls a method of a resource; its Go error is the error.
    pub(crate) fn method(&mut self, method: &str, params: &Json) -> Result<Json, String> {
        let result = self
            .ask(method, params)
            .map_err(|fault| fault.in_words(method))?;
        match result.get("error").and_then(Json::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(result),
        }
    }

    /// A kind; `None` if there is no such one.
    pub(crate) fn kind(&mut self, kind: &str) -> Result<Option<Rc<Described>>, Fault> {
        if !self.registered.iter().any(|known| known == kind) {
            return Ok(None);
        }
        if let Some(known) = self.kinds.get(kind) {
            return Ok(Some(Rc::clone(known)));
        }
        let described = match self.answer("describe", &json!({ "kind": kind }))? {
            Answer::Result(result) => Described::read(&result),
            Answer::Failed(panic) => {
                return Err(Fault::Panic(panicked(&panic.text, panic.needs.as_deref())));
            }
            Answer::Refused(_, why) => return Err(Fault::Refused(why)),
            Answer::Broken(why) => return Err(Fault::Refused(why.to_owned())),
        };
        let described = Rc::new(described);
        self.kinds.insert(kind.to_owned(), Rc::clone(&described));
        Ok(Some(described))
    }

    /// Waits until something is told, at most until then.
    pub(crate) fn listen(&mut self, until: Instant) {
        if self.lost.is_some() {
            return;
        }
        if let Err(lost) = self.caller.listen(until) {
            self.lost = Some(lost);
        }
        self.sort();
    }

    fn sort(&mut self) {
        for (_, told) in self.caller.told() {
            let label = told.text("resource").unwrap_or_default();
            let notice = match told.method.as_str() {
                "started" | "event" => Notice::Event,
                "ended" => Notice::Ended(match (told.text("panic"), told.text("error")) {
                    (Some(panic), _) => {
                        let needs = told.text("needs");
                        Err(Failure::Panic(panicked(&panic, needs.as_deref())))
                    }
                    (None, Some(error)) => Err(Failure::Error(error)),
                    (None, None) => Ok(()),
                }),
                "log" => {
                    let text = told.text("text").unwrap_or_default();
                    self.remarks.push((label, Remark::Log(text)));
                    continue;
                }
                "misuse" => {
                    let call = told.text("call").unwrap_or_default();
                    let place = told.text("where").unwrap_or_default();
                    let text = format!("{call} was called {place}");
                    self.remarks.push((label, Remark::Misuse(text)));
                    continue;
                }
                _ => continue,
            };
            self.notice(&label, notice);
        }
    }

    /// Notes what Watch told.
    pub(crate) fn notice(&mut self, label: &str, notice: Notice) {
        let inbox = self.inbox.entry(label.to_owned()).or_default();
        inbox.push_back(notice);
        self.fresh.push(label.to_owned());
    }

    /// What Watch of a resource told first, and nobody heard yet.
    pub(crate) fn heard(&mut self, label: &str) -> Option<Notice> {
        self.inbox.get_mut(label)?.pop_front()
    }

    /// Who was told about since this was last asked.
    pub(crate) fn fresh(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }

    /// Has Watch of a resource told something that nobody heard yet?
    pub(crate) fn is_heard_of(&self, label: &str) -> bool {
        self.inbox.get(label).is_some_and(|inbox| !inbox.is_empty())
    }

    /// Was someone told about since then?
    pub(crate) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty() || self.lost.is_some()
    }

    /// What was told beside since this was last asked.
    pub(crate) fn remarks(&mut self) -> Vec<(String, Remark)> {
        std::mem::take(&mut self.remarks)
    }

    /// Notes something that a resource must not do.
    pub(crate) fn blame(&mut self, label: &str, text: String) {
        self.remarks.push((label.to_owned(), Remark::Misuse(text)));
    }
}
