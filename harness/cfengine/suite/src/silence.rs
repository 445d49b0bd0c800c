//! Why a rule was not exercised; the text says what to add.

use cfengine_protocol::wire::Protocol;
use stickler_suite::Knowledge;
use stickler_suite::config::Config;

/// The reason that fits a rule best. The same reason gives the same text, so that reports can group
/// it.
pub fn not_exercised(code: &str, config: &Config, knowledge: &Knowledge) -> String {
    let number: u16 = code[2..].parse().unwrap_or(0);
    let line = crate::knowledge::protocol(knowledge) == Some(Protocol::Line);
    let reason = if !knowledge.usable {
        "no request was answered"
    } else if config.examples.is_empty() && !matches!(number, 100..=220 | 303 | 313 | 316) {
        "no example"
    } else if line && matches!(number, 204..=208 | 312 | 313 | 508 | 904 | 912) {
        "the module is line_based"
    } else if !line && matches!(number, 209..=211 | 316) {
        "the module is json_based"
    } else if number == 304 && !knowledge.valid.is_empty() {
        "no two promises that could be made touch different files"
    } else if number == 317 {
        "one promise type"
    } else if matches!(number, 600..=699) {
        "no result classes were set"
    } else if number == 708 {
        "the module advertises action_policy"
    } else if matches!(number, 700..=709) {
        if knowledge.dry {
            "no example changes anything under action policy warn"
        } else {
            "the module does not advertise action_policy"
        }
    } else if matches!(number, 800..=899) && knowledge.repaired.is_empty() {
        "no example was repaired"
    } else {
        "no session tests this"
    };
    reason.to_owned()
}
