//! Hosts in the user's place: how Stickler speaks with them, and the first line of a recording.

use puppet_protocol::{phase, reply};
use puppet_types::Value;
use stickler_rpc::Speech;
use stickler_session::record::recorded_case;
use stickler_transcript::{Case, Key, Phase};

/// How Stickler speaks with the Ruby host, or the author's own.
pub const SPEECH: Speech = Speech {
    named: |method, params, id| {
        let params = Value::parse(params.as_bytes()).unwrap_or(Value::Undef);
        let of = |key: &str| params.get(key).and_then(Value::as_str);
        let about = of("type")
            .or_else(|| of("transport"))
            .or_else(|| of("name"));
        let known = phase::ALL.iter().find(|phase| phase.name() == method);
        let key = match about {
            Some(about) => format!("{method}:{about}"),
            None => format!("{method}:{id}"),
        };
        (known.copied().unwrap_or(Phase::OTHER), Key::parse(&key))
    },
    reply,
};

/// The first line of a recording with the module of this name.
pub fn recording(name: &str) -> Case {
    Case {
        deadlines: phase::usual_deadlines(),
        ..recorded_case(crate::VOCABULARY.dialect, name)
    }
}
