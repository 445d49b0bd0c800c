//! Secrets in codes.

use puppet_protocol::shown::forms;

#[test]
fn secrets_are_known_in_codes() {
    let forms = forms("correct horse");
    for code in [
        "correct horse",
        "correct%20horse",
        "correct+horse",
        "cm9ib3Q6Y29ycmVjdCBob3JzZQ==",
        "YTpjb3JyZWN0IGhvcnNl",
        "YWI6Y29ycmVjdCBob3JzZTo=",
        "Y29ycmVjdCBob3JzZSE=",
    ] {
        assert!(
            forms.iter().any(|form| code.contains(form)),
            "{code}: {forms:?}"
        );
    }
}
