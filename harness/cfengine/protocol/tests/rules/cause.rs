//! Why a request failed, as far as the module says.

use cfengine_protocol::cause::exception;

#[test]
fn exceptions_are_found_by_their_type() {
    for (text, name) in [
        ("KeyError: 'path'", "KeyError"),
        (
            "Traceback: json.decoder.JSONDecodeError: x",
            "json.decoder.JSONDecodeError",
        ),
        (
            "m.rb:4: undefined method 'x' (NoMethodError)",
            "NoMethodError",
        ),
        ("Net::HTTPError: 404", "Net::HTTPError"),
        (
            "java.lang.NullPointerException",
            "java.lang.NullPointerException",
        ),
    ] {
        assert_eq!(exception(text), Some(name), "{text}");
    }
    for text in ["Error: no value", "an error", "HTTPErrors", "Exception"] {
        assert_eq!(exception(text), None, "{text}");
    }
}
