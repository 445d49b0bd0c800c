//! Requests that depend on earlier answers: what a runtime asks once it knows the state.
//!
//! Such a request has a member `plan` beside the usual ones, which is never sent:
//!
//! | member | meaning |
//! |---|---|
//! | `open` | the key of the exchange that built the provider, whose number is then `provider` |
//! | `transport` | the key of the exchange that connected to a target, whose number is then `transport` |
//! | `local` | the key of the exchange that loaded the type: if that needs a target, nothing is sent |
//! | `get` | the key of the exchange that read the state |
//! | `canonicalize` | the key of the exchange that made the target canonical, if there is one |
//! | `insync` | the keys of the exchanges that compared properties, by property |
//! | `names` | if it is true, `get` is asked for this resource alone |
//! | `namevars` | their names |
//! | `properties` | the attributes that are compared |
//! | `init_only` | those that can only be set at creation |
//! | `ensurable` | whether the type has `ensure`: a state that is not there is then made up |
//! | `should` | the target |
//! | `resources_of` | the key of the exchange whose rows or resources `canonicalize` gets |
//! | `names_of` | the key of the exchange whose rows `get` is asked for by name |
//! | `several` | of a `set` of several resources: what each of them depends on, as above
//! | `unlisted` | if it is true, `insync` is asked about a resource that has no row, and only then |
//! | `other` | `insync` is asked about another row: the first, second, … of those that lack different attributes |
//! | `as_is` | of `insync`: attributes whose target is what the row has |
//! | `change` | what the change has, if it is not usual: a list of `is`, `nil` and `should` |
//! | `specified` | if it is true, a state that is not there is nil, as the specification has it |
//! | `admits` | the types of the attributes, by name: of another target, nothing more is asked |
//! | `aliases_of` | the key of the exchange that loaded the aliases which these types name |
//! | `refused` | why the runtime refuses the resource at once: nothing is sent |

mod question;

use crate::absent::absent;
use crate::aliases::aliases;
use crate::message::Answer;
use crate::request::PLAN;
use puppet_types::definition::TRIGGER;
use puppet_types::{Aliases, Value};

/// What becomes of a request: `None` if it is not sent after these answers, else its line. A request
/// that is whole is sent as it is.
pub fn complete<'a>(line: &[u8], answer: impl Fn(&str) -> Option<&'a [u8]>) -> Option<Vec<u8>> {
    let Some(request) = unfinished(line) else {
        return Some(line.to_vec());
    };
    // What cannot be read cannot be completed.
    let Value::Hash(mut members) = request? else {
        return None;
    };
    let is_plan = |key: &Value| key.as_symbol() == Some(PLAN);
    let at = members.iter().position(|(key, _)| is_plan(key))?;
    let (_, plan) = members.remove(at);
    let plan = Plan {
        plan: &plan,
        answer: &answer,
    };
    let (_, method) = members
        .iter()
        .find(|(key, _)| key.as_symbol() == Some("method"))?;
    if plan.member("refused").is_some() {
        return None;
    }
    plan.is_local()?;
    let mut added = plan.number("open", "provider")?;
    added.extend(plan.number("transport", "transport")?);
    match method.as_str()? {
        "insync" => added.extend(plan.comparison()?),
        "set" if plan.member("several").is_some() => added.extend(plan.changes()?),
        "set" if plan.member("get").is_some() => {
            let change = Value::Array(vec![plan.change()?]);
            added.push((Value::symbol("changes"), change));
        }
        "get" => added.extend(plan.filter()?),
        "canonicalize" => added.extend(plan.resources()?),
        _ => {}
    }
    let params = members
        .iter_mut()
        .find(|(key, _)| key.as_symbol() == Some("params"));
    if let Some((_, Value::Hash(params))) = params {
        params.extend(added);
    }
    let mut line = Value::Hash(members).encode();
    line.push('\n');
    Some(line.into_bytes())
}

/// Why a change was not sent.
pub(crate) enum Unsent {
    /// The runtime refuses it, for this reason.
    Refused(String),
    /// There is nothing to change.
    InSync,
}

/// Why the `set` with this line was not sent after these answers, as far as they tell.
pub(crate) fn unsent<'a>(line: &[u8], answer: impl Fn(&str) -> Option<&'a [u8]>) -> Option<Unsent> {
    let request = unfinished(line)??;
    let plan = Plan {
        plan: request.get(PLAN)?,
        answer: &answer,
    };
    if let Some(why) = plan.member("refused") {
        return Some(Unsent::Refused(why.to_text()));
    }
    let target = plan.canonical()?;
    if !plan.admits(&target) {
        let why = "a canonical value is not of its type";
        return Some(Unsent::Refused(why.to_owned()));
    }
    let row = plan.row(&target)?;
    if plan.is_in_sync(row.as_ref(), &target)? {
        return Some(Unsent::InSync);
    }
    plan.refusal(row.as_ref(), &target).map(Unsent::Refused)
}

/// The request, if it is unfinished; `Some(None)` if it may be, but cannot be read.
pub fn unfinished(line: &[u8]) -> Option<Option<Value>> {
    // Most requests are whole.
    memchr::memmem::find(line, b"\"plan\":")?;
    match Value::parse(line) {
        Ok(request) => request.get(PLAN).is_some().then_some(Some(request)),
        Err(_) => Some(None),
    }
}

struct Plan<'p, F> {
    plan: &'p Value,
    answer: &'p F,
}

type Members = Vec<(Value, Value)>;

impl<'a, F: Fn(&str) -> Option<&'a [u8]>> Plan<'_, F> {
    fn member(&self, key: &str) -> Option<&Value> {
        self.plan.get(key)
    }

    /// The number of a provider or a transport, if an exchange tells it.
    fn number(&self, by: &str, what: &str) -> Option<Members> {
        let Some(key) = self.member(by) else {
            return Some(Members::new());
        };
        let number = Answer::read((self.answer)(key.as_str()?)?).value(what)?;
        Some(vec![(Value::symbol(what), number)])
    }

    /// `None` if the type that an exchange loaded needs a target.
    fn is_local(&self) -> Option<()> {
        let Some(key) = self.member("local") else {
            return Some(());
        };
        let loaded = Answer::read((self.answer)(key.as_str()?)?).value("types");
        let needs_target = |one: &Value| {
            let features = one.get("definition").and_then(|own| own.get("features"));
            let features = features.and_then(Value::as_array).unwrap_or_default();
            features
                .iter()
                .any(|name| name.as_str() == Some("remote_resource"))
        };
        let types = loaded.as_ref().and_then(Value::as_array);
        let is_remote = types.unwrap_or_default().iter().any(needs_target);
        (!is_remote).then_some(())
    }

    /// The value that the exchange with a key was answered with.
    fn said(&self, key: &Value) -> Option<Value> {
        Answer::read((self.answer)(key.as_str()?)?).value("value")
    }

    /// The target, canonical if the provider makes it so. `None` if the runtime then refuses it.
    fn target(&self) -> Option<Value> {
        self.canonical().filter(|target| self.admits(target))
    }

    /// Do the values of a target match their types?
    fn admits(&self, target: &Value) -> bool {
        let types = self.member("admits").and_then(Value::as_hash);
        let loaded = self.member("aliases_of").and_then(Value::as_str);
        let loaded = loaded.and_then(|key| (self.answer)(key)).map(Answer::read);
        let aliases = match loaded {
            Some(Answer::Result(result)) => aliases(&result).open(),
            _ => Aliases::default(),
        };
        types.unwrap_or_default().iter().all(|(name, text)| {
            let value = name.as_symbol().and_then(|name| target.get(name));
            let own = text
                .as_str()
                .and_then(|text| puppet_types::parse_with(text, &aliases).ok());
            let (Some(value), Some(own)) = (value, own) else {
                return true;
            };
            !own.matches(value).is_no()
        })
    }

    fn canonical(&self) -> Option<Value> {
        let should = self.member("should")?;
        let Some(key) = self.member("canonicalize") else {
            return Some(should.clone());
        };
        // Without a canonical target, nothing more is asked.
        self.said(key)?.as_array()?.first().cloned()
    }

    /// The row of the resource. `None` if the state is not known, else `Some(None)` if it has none.
    fn row(&self, target: &Value) -> Option<Option<Value>> {
        let rows = self.said(self.member("get")?)?;
        let namevars = self.member("namevars")?.as_array()?;
        let is_it = |row: &&Value| {
            let mut names = namevars.iter().filter_map(Value::as_str);
            names.all(|name| match (row.get(name), target.get(name)) {
                (Some(one), Some(other)) => is_same(one, other),
                _ => false,
            })
        };
        Some(rows.as_array()?.iter().find(is_it).cloned())
    }

    /// The resource's name, as changes have it: the value of its namevar, or a hash of several.
    fn name(&self, target: &Value) -> Option<Value> {
        let namevars = self.member("namevars")?.as_array()?;
        let named = |name: &Value| target.get(name.as_str()?).cloned();
        match namevars {
            [one] => named(one),
            several => {
                let members = several.iter();
                // A namevar that neither the title nor an attribute gives is nil.
                let members = members.map(|name| {
                    Some((
                        Value::symbol(name.as_str()?),
                        named(name).unwrap_or(Value::Undef),
                    ))
                });
                Some(Value::Hash(members.collect::<Option<_>>()?))
            }
        }
    }

    /// What `canonicalize` gets, if it is what another exchange returned.
    fn resources(&self) -> Option<Members> {
        let Some(key) = self.member("resources_of") else {
            return Some(Members::new());
        };
        let rows = self.said(key)?;
        // Without a row there is nothing to see.
        (!rows.as_array()?.is_empty()).then_some(())?;
        Some(vec![(Value::symbol("resources"), rows)])
    }

    /// What `get` gets, if it is asked for some resources.
    fn filter(&self) -> Option<Members> {
        if let Some(key) = self.member("names_of") {
            let rows = self.said(key)?;
            let names: Option<Vec<Value>> =
                rows.as_array()?.iter().map(|row| self.name(row)).collect();
            return Some(vec![(Value::symbol("names"), Value::Array(names?))]);
        }
        if !self.is_told("names") {
            return Some(Members::new());
        }
        let name = self.name(&self.target()?)?;
        Some(vec![(Value::symbol("names"), Value::Array(vec![name]))])
    }

    /// What `insync` gets, if there is a state to compare with.
    fn comparison(&self) -> Option<Members> {
        let mut target = self.target()?;
        let row = match (self.member("other"), self.is_told("unlisted")) {
            (Some(Value::Integer(number)), _) => {
                let rows = self.said(self.member("get")?)?;
                let namevars = self.member("namevars")?.as_array()?;
                let own = self.row(&target)?;
                let others = question::shapes(rows.as_array()?, own.as_ref(), namevars);
                let row = (*others.get(usize::try_from(number).ok()?)?).clone();
                target = question::renamed(&target, &row, namevars)?;
                row
            }
            (_, false) => self.row(&target)??,
            (_, true) => match self.row(&target)? {
                None => absent(&self.name(&target)?, self.is_told("ensurable")),
                Some(_) => return None,
            },
        };
        if let Some(names) = self.member("as_is").and_then(Value::as_array) {
            target = question::like(&target, &row, names);
        }
        Some(vec![
            (Value::symbol("name"), self.name(&target)?),
            (Value::symbol("is"), row),
            (Value::symbol("should"), target),
        ])
    }

    fn is_told(&self, key: &str) -> bool {
        self.member(key) == Some(&Value::Bool(true))
    }

    /// What `set` gets of several resources, if more than one is to change.
    fn changes(&self) -> Option<Members> {
        let plans = self.member("several")?.as_array()?.iter();
        let changes = plans.filter_map(|plan| {
            let one = Plan {
                plan,
                answer: self.answer,
            };
            one.change()
        });
        let changes: Vec<Value> = changes.collect();
        (changes.len() > 1).then(|| vec![(Value::symbol("changes"), Value::Array(changes))])
    }

    /// What `set` gets of a resource, if there is something to change: its name and the change.
    fn change(&self) -> Option<Value> {
        let target = self.target()?;
        let row = self.row(&target)?;
        let name = self.name(&target)?;
        let change = match self.member("change").and_then(Value::as_array) {
            Some(parts) => unusual(parts, row.as_ref(), &target)?,
            None if self.is_in_sync(row.as_ref(), &target)? => return None,
            None if self.refusal(row.as_ref(), &target).is_some() => return None,
            None => {
                let is = row.unwrap_or_else(|| match self.member("ensurable") {
                    _ if self.is_told("specified") => Value::Undef,
                    Some(Value::Bool(ensurable)) => absent(&name, *ensurable),
                    // As older plans have it.
                    _ => Value::Undef,
                });
                Value::hash([("is", is), ("should", target)])
            }
        };
        Some(Value::Array(vec![name, change]))
    }

    /// Why the runtime would refuse the change, if it would: what is set at creation cannot be
    /// changed later.
    fn refusal(&self, row: Option<&Value>, target: &Value) -> Option<String> {
        let fixed = self.member("init_only").and_then(Value::as_array);
        let mut fixed = fixed.unwrap_or_default().iter().filter_map(Value::as_str);
        let row = row?;
        fixed.find_map(|name| {
            let is = row.get(name).unwrap_or(&Value::Undef);
            let should = target.get(name).filter(|should| !should.is_nil())?;
            let (before, after) = (is.inspect(), should.inspect());
            let why = format!(
                "`{name}` is init_only, and would change from {before} to {after}, which Puppet \
                 refuses where `strict` is `error`"
            );
            (!is_same(is, should)).then_some(why)
        })
    }

    /// `None` if that is not known.
    fn is_in_sync(&self, row: Option<&Value>, target: &Value) -> Option<bool> {
        let ensure = |state: Option<&Value>| {
            let ensure = state?.get("ensure")?;
            ensure.as_str().or(ensure.as_symbol()).map(str::to_owned)
        };
        let wanted = ensure(Some(target));
        let is = match row {
            None => Some("absent".to_owned()),
            Some(_) => ensure(row).or_else(|| wanted.as_ref().map(|_| "present".to_owned())),
        };
        match (&wanted, row) {
            // Of a resource that is to go, nothing else counts.
            (Some(wanted), _) if wanted == "absent" => return Some(is.as_ref() == Some(wanted)),
            // Without `ensure`, only the properties that the target has can differ.
            (None, None) => {
                let properties = self.member("properties")?.as_array()?;
                let mut names = properties.iter().filter_map(Value::as_str);
                let is_wanted = |name: &str| target.get(name).is_some_and(|value| !value.is_nil());
                return Some(!names.any(|name| name == TRIGGER || is_wanted(name)));
            }
            (_, None) => return Some(false),
            (Some(_), _) if is != wanted => return Some(false),
            _ => {}
        }
        let row = row?;
        let properties = self.member("properties")?.as_array()?;
        for property in properties.iter().filter_map(Value::as_str) {
            let should = target.get(property);
            if should.is_none() && property != TRIGGER {
                continue;
            }
            let asked = self.member("insync").and_then(|keys| keys.get(property));
            let said = asked.and_then(|key| self.said(key));
            let is_in_sync = match said {
                Some(Value::Bool(said)) => said,
                Some(Value::Array(said)) => said.first().is_some_and(Value::is_truthy),
                _ => match (row.get(property), should) {
                    (Some(is), Some(should)) => is_same(is, should),
                    _ => false,
                },
            };
            if !is_in_sync {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// A change as no deployed runtime makes it, but the specification allows. `None` if it would not be
/// true: a state in `:is` that is not there, or nil where there is one.
fn unusual(parts: &[Value], row: Option<&Value>, target: &Value) -> Option<Value> {
    let mut members = Vec::new();
    for part in parts.iter().filter_map(Value::as_str) {
        match (part, row) {
            ("is", Some(row)) => members.push(("is", row.clone())),
            ("nil", None) => members.push(("is", Value::Undef)),
            ("is" | "nil", _) => return None,
            _ => members.push(("should", target.clone())),
        }
    }
    Some(Value::hash(members))
}

/// Are two values the same to a runtime? Providers return symbols where targets have text.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Symbol(one), Value::String(other)) | (Value::String(other), Value::Symbol(one)) => {
            one == other
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Unsent, complete, unsent};
    use crate::request::unfinished as unfinished_line;
    use puppet_types::Value;

    fn value(json: &str) -> Value {
        Value::parse(json.as_bytes()).expect("a value")
    }

    fn set(should: &str, rows: &str) -> Option<String> {
        let plan = Value::hash([
            ("get", Value::string("g")),
            ("namevars", value(r#"["name"]"#)),
            ("properties", value(r#"["ensure","v"]"#)),
            ("should", value(should)),
        ]);
        let line = unfinished_line(7, "set", value(r#"{"provider":1}"#), plan);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":6,"result":{{"value":{rows}}}}}"#);
        let line = complete(&line, |key| (key == "g").then_some(answer.as_bytes()));
        line.map(|line| String::from_utf8(line).expect("text"))
    }

    #[test]
    fn only_what_differs_is_set() {
        let here = r#"[{"name":"a","ensure":"present","v":1}]"#;
        let should = |v: u8| format!(r#"{{"name":"a","ensure":"present","v":{v}}}"#);
        assert_eq!(set(&should(1), here), None);
        let changed = set(&should(2), here).expect("a request");
        assert!(
            changed.contains(r#""changes":[["a",{"is":{"name":"a","ensure":"present","v":1},"should":{"name":"a","ensure":"present","v":2}}]]"#),
            "{changed}"
        );
        assert!(!changed.contains("plan"), "{changed}");
        // A resource that is not there is nil.
        let made = set(&should(1), "[]").expect("a request");
        assert!(made.contains(r#""is":null"#), "{made}");
        let gone = r#"{"name":"a","ensure":"absent"}"#;
        assert_eq!(set(gone, "[]"), None);
        assert!(set(gone, here).is_some());
        // Symbols are as good as text.
        let symbols = r#"[{"name":"a","ensure":{"$sym":"present"},"v":1}]"#;
        assert_eq!(set(&should(1), symbols), None);
        // Without a state, nothing is changed.
        assert_eq!(set(&should(1), "null"), None);
    }

    #[test]
    fn runtimes_refuse_what_types_do_not_admit() {
        let plan = |more: (&'static str, Value)| {
            let plan = Value::hash([
                ("get", Value::string("g")),
                ("canonicalize", Value::string("c")),
                ("ensurable", Value::Bool(false)),
                ("namevars", value(r#"["name"]"#)),
                ("properties", value(r#"["v"]"#)),
                ("should", value(r#"{"name":"a","v":"1"}"#)),
                more,
            ]);
            unfinished_line(7, "set", value(r#"{"provider":1}"#), plan)
        };
        let answer = |key: &str| match key {
            "c" => {
                Some(&br#"{"jsonrpc":"2.0","id":5,"result":{"value":[{"name":"a","v":1}]}}"#[..])
            }
            "g" => Some(&br#"{"jsonrpc":"2.0","id":6,"result":{"value":[]}}"#[..]),
            _ => None,
        };
        // What counts is the canonical value.
        for (own, is_sent) in [("Integer", true), ("String", false)] {
            let line = plan(("admits", Value::hash([("v", Value::string(own))])));
            assert_eq!(complete(&line, answer).is_some(), is_sent, "{own}");
            let is_refused = matches!(unsent(&line, answer), Some(Unsent::Refused(_)));
            assert_eq!(is_refused, !is_sent, "{own}");
        }
        let line = plan(("refused", Value::string("no title pattern matches")));
        assert_eq!(complete(&line, answer), None);
        assert!(matches!(unsent(&line, answer), Some(Unsent::Refused(_))));
        // Without answers, nothing is known.
        let line = plan(("admits", Value::hash([])));
        assert!(unsent(&line, |_| None).is_none());
    }

    #[test]
    fn whole_requests_stay_as_they_are() {
        let line = crate::request::get(1, 1, None);
        assert_eq!(complete(&line, |_| None), Some(line.clone()));
    }
}
