//! Whatever the policy, evaluation ends, in order.

use cfengine_agent::{Options, run};
use proptest::prelude::*;

fn evaluate(policy: Vec<u8>) {
    let options = Options::harmless(policy);
    let _ = run(options, Box::new(std::io::sink()));
}

/// Pieces of which texts with references are put together.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "$(a)",
        "$(b[1])",
        "@(l)",
        "$(",
        ")",
        "${",
        "}",
        "[",
        "]",
        ".",
        ":",
        "x",
        "$(this.k)",
        "$($(n))",
        "\\n",
    ]);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn call() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        cfengine_agent::TABLE
            .iter()
            .filter(|function| function.is_supported())
            .map(|function| (function.name, function.arguments))
            .collect::<Vec<_>>(),
    );
    let arguments = prop::collection::vec(text(), 6);
    (name, arguments, 0..5_usize).prop_map(|((name, count), arguments, some)| {
        let arguments = &arguments[..count.unwrap_or(some)];
        let arguments: Vec<_> = arguments.iter().map(|text| format!("\"{text}\"")).collect();
        format!("{name}({})", arguments.join(", "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_evaluated_or_rejected(bytes: Vec<u8>) {
        evaluate(bytes);
    }

    #[test]
    fn any_texts_are_expanded(a in text(), l in text(), n in text(), report in text()) {
        evaluate(format!(
            "bundle agent main {{ vars: \"a\" string => \"{a}\"; \"l\" slist => {{ \"{l}\", @(l), \"2\" }}; \"n\" string => \"{n}\"; \"b[1]\" string => \"$(n)\"; reports: \"{report}\" if => \"{a}\"; \"$(l) {report}\"; }}"
        ).into_bytes());
    }

    #[test]
    fn any_function_takes_any_texts(call in call(), kind in "string|slist|int|data|real") {
        evaluate(format!(
            "bundle agent main {{ vars: \"l\" slist => {{ \"1\", \"x\" }}; \"v\" {kind} => {call}; classes: \"c\" expression => {call}; reports: \"$(v)\"; }}"
        ).into_bytes());
    }
}
