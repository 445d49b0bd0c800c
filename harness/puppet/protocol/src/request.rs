//! Requests to a host.

use puppet_types::Value;

/// A request as a line of JSON-RPC. `params` are plain values: hashes whose keys are symbols.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build the parameters for this one message"
)]
pub fn line(id: usize, method: &str, params: Value) -> Vec<u8> {
    stickler_rpc::request_line(id, method, &params.encode())
}

/// The first request to each host. Without a runtime, the installed Puppet takes the place of the
/// host's stand-ins, and `set` is called exactly as the library does.
pub fn initialize(id: usize, runtime: Option<&str>, path: &[String]) -> Vec<u8> {
    let path = path.iter().map(Value::string).collect();
    let mut params = vec![("protocol", Value::integer(1))];
    match runtime {
        Some(runtime) => params.push(("runtime", Value::string(runtime))),
        None => params.extend(["real", "exact"].map(|name| (name, Value::Bool(true)))),
    }
    params.push(("path", Value::Array(path)));
    line(id, "initialize", Value::hash(params))
}

/// Loads a type.
pub fn load(id: usize, name: &str) -> Vec<u8> {
    line(id, "load", Value::hash([("type", Value::string(name))]))
}

/// Loads the schema of a transport.
pub fn load_transport(id: usize, name: &str) -> Vec<u8> {
    let params = Value::hash([("transport", Value::string(name))]);
    line(id, "load", params)
}

/// Builds the provider of a type.
pub fn open(id: usize, name: &str) -> Vec<u8> {
    line(id, "open", Value::hash([("type", Value::string(name))]))
}

/// Looks at the class of a transport (`transport`) or of its device (`device`).
pub fn describe(id: usize, what: &str, name: &str) -> Vec<u8> {
    line(id, "describe", Value::hash([(what, Value::string(name))]))
}

/// Connects to a target. `load` says how the schema is found.
pub fn connect(id: usize, transport: &str, info: Value, load: &str) -> Vec<u8> {
    let params = [
        ("transport", Value::string(transport)),
        ("connection_info", info),
        ("load", Value::string(load)),
    ];
    line(id, "connect", Value::hash(params))
}

/// Connects to a target through the class that `puppet device` builds.
pub fn device(id: usize, name: &str, info: Value) -> Vec<u8> {
    let params = [("name", Value::string(name)), ("connection_info", info)];
    line(id, "device", Value::hash(params))
}
