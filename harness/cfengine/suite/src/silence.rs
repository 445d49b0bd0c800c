//! Why a rule was not exercised; the text says what to add.

use cfengine_protocol::wire::Protocol;
use stickler_suite::Knowledge;
use stickler_suite::config::Config;

/// Why a rule cannot be exercised with this module and description, if it cannot.
pub fn inapplicable(code: &str, config: &Config, knowledge: &Knowledge) -> Option<&'static str> {
    let number: u16 = code[2..].parse().unwrap_or(0);
    let line = crate::knowledge::protocol(knowledge) == Some(Protocol::Line);
    Some(if !knowledge.usable {
        "no request was answered"
    } else if config.examples.is_empty() && !matches!(number, 100..=220 | 303 | 313 | 316) {
        "no example"
    } else if line && matches!(number, 204..=208 | 312 | 313 | 508 | 904 | 912) {
        "the module is line_based"
    } else if !line && matches!(number, 209..=211 | 316) {
        "the module is json_based"
    } else if number == 317 && config.subject.kinds.len() < 2 {
        "one promise type"
    } else if number == 708 && knowledge.dry {
        "the module advertises action_policy"
    } else if matches!(number, 700..=707 | 709) && !knowledge.dry {
        "the module does not advertise action_policy"
    } else if matches!(number, 800..=899) && knowledge.repaired.is_empty() {
        "no example was repaired"
    } else {
        return None;
    })
}

/// Why a rule was not exercised although it can be. The same reason gives the same text, so that
/// reports can group it. `held`: were sessions held that the rule judges?
pub fn not_exercised(code: &str, knowledge: &Knowledge, held: bool) -> &'static str {
    let number: u16 = code[2..].parse().unwrap_or(0);
    if number == 304 && !knowledge.valid.is_empty() {
        "no two promises that could be made touch different files"
    } else if number == 317 {
        "one promise type"
    } else if matches!(number, 600..=699) {
        "no result classes were set"
    } else if matches!(number, 700..=709) {
        "no example changes anything under action policy warn"
    } else if number == 407 {
        "no example declares `creates` or `absent`"
    } else if number == 408 {
        "no example declares `verify`"
    } else if held {
        "the module never does this"
    } else {
        "no session tests this"
    }
}
