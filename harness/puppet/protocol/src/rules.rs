//! The rules for types, providers and transports, one file per rule.
//!
//! A rule's doc comment is its manual page. The table below is the only place that connects codes,
//! levels and files. Codes are permanent.

use crate::needs::{
    CANONICALIZE, CUSTOM_INSYNC, DECLARED, EXAMPLE, FILTER, GENERATING, HOST, INIT_ONLY,
    INVALID_TARGET, OTHERS, SENSITIVE, SERVICE, SEVERAL_NAMEVARS, TARGET, TRANSPORT, TYPE,
};
use crate::phase;
use crate::releases::Releases;
use crate::session::Session;
use puppet_types::{Problem, Value};
use stickler_judge::{Check, Ledger, Level, NO_EDITS};
use stickler_transcript::Phase;

/// The type of the constant in a rule's file that says what the rule judges.
type Checks = &'static [Check<Session>];

stickler_judge::rules! {
    /// All rules, by code.
    RULES "rules/" Answer
    RA101 Must ra101_definition_with_name,
    RA102 Must ra102_attributes_with_types,
    RA103 Should ra103_described,
    RA104 Should ra104_known_keys,
    RA105 Must ra105_types_parse,
    RA106 Must ra106_known_behaviours,
    RA107 Must ra107_no_reserved_attributes,
    RA108 Must ra108_ensure_type,
    RA109 Must ra109_defaults_match,
    RA110 Must ra110_known_features,
    RA111 Must ra111_namevars,
    RA112 Must ra112_title_patterns,
    RA113 Should ra113_patterns_reachable,
    RA114 Must ra114_automatic_relations,
    RA115 May ra115_secrets_sensitive,
    RA116 Must ra116_names_for_autoloading,
    RA201 Must ra201_rows_are_hashes (TYPE),
    RA202 Must ra202_values_match_types (TYPE),
    RA203 Must ra203_rows_have_namevars (TYPE),
    RA204 Must ra204_titles_of_rows (TYPE SEVERAL_NAMEVARS),
    RA205 Must ra205_get_changes_nothing [RA802] (TYPE),
    RA206 Should ra206_broken_backend_raises (TYPE),
    RA207 Must ra207_filter_agrees [RA801] (TYPE FILTER),
    RA301 Must ra301_canonicalize_is_there (TYPE),
    RA302 Must ra302_canonical_stays (TYPE CANONICALIZE),
    RA303 Must ra303_rows_are_canonical [RA302 RA305] (TYPE CANONICALIZE),
    RA304 Should ra304_partial_resources (TYPE CANONICALIZE),
    RA305 Must ra305_canonical_values_match (TYPE CANONICALIZE),
    RA401 Must ra401_insync_answers (TYPE CUSTOM_INSYNC EXAMPLE),
    RA402 Must ra402_insync_is_there (TYPE CUSTOM_INSYNC),
    RA403 Must ra403_insync_only_looks (TYPE CUSTOM_INSYNC EXAMPLE),
    RA404 Must ra404_equal_is_in_sync (TYPE CUSTOM_INSYNC EXAMPLE),
    RA405 Should ra405_answers_without_properties (TYPE CUSTOM_INSYNC EXAMPLE),
    RA406 Must ra406_generate_gives_resources (TYPE GENERATING),
    RA501 Must ra501_set_reaches_the_target [RA201 RA202 RA207 RA302 RA505 RA511 RA516 RA522] {RA112 RA203 RA305} (TYPE EXAMPLE),
    RA502 Must ra502_set_is_idempotent [RA201 RA202 RA207 RA302 RA404 RA501 RA505 RA511 RA512 RA516 RA803] {RA112 RA203 RA305 RA401 RA402 RA405} (TYPE EXAMPLE),
    RA503 Must ra503_missing_should_removes [RA207 RA511 RA516] {RA203} (TYPE EXAMPLE),
    RA504 Must ra504_any_is [RA207 RA516] {RA203 RA501 RA502 RA520 RA603} (TYPE EXAMPLE),
    RA505 Must ra505_names_are_hashes {RA111 RA112 RA203 RA207 RA603} (TYPE SEVERAL_NAMEVARS EXAMPLE),
    RA506 Must ra506_no_changes [RA207 RA501 RA510 RA516 RA801] {RA203 RA501 RA502 RA520 RA603} (TYPE EXAMPLE),
    RA507 May ra507_set_returns_nil (TYPE EXAMPLE),
    RA508 Must ra508_definition_stays (TYPE EXAMPLE),
    RA509 Must ra509_init_only_stays (TYPE INIT_ONLY EXAMPLE),
    RA510 Must ra510_others_stay [RA207 RA511 RA516 RA522 RA802] {RA203 RA502} (TYPE EXAMPLE),
    RA511 Must ra511_failures_are_told [RA207] {RA203 RA501 RA502 RA516 RA520 RA603} (TYPE EXAMPLE),
    RA512 Must ra512_noop_changes_nothing [RA801] (TYPE EXAMPLE),
    RA513 Must ra513_simple_provider_methods (TYPE EXAMPLE),
    RA514 Should ra514_survives_a_kill [RA207 RA516 RA801] {RA203 RA501 RA502 RA520 RA603} (TYPE EXAMPLE),
    RA515 Must ra515_built_without_arguments (TYPE EXAMPLE),
    RA516 Must ra516_nothing_is_remembered [RA801] (TYPE EXAMPLE),
    RA517 May ra517_others_go_on [RA516 RA801] (TYPE EXAMPLE),
    RA518 Should ra518_arguments_stay (TYPE EXAMPLE),
    RA519 Should ra519_simple_namevar (TYPE EXAMPLE),
    RA520 Must ra520_declared_outcomes [RA116 RA201 RA202 RA207 RA301 RA302 RA404 RA501 RA502 RA505 RA511 RA515 RA516 RA712 RA801] {RA102 RA105 RA106 RA108 RA112 RA203 RA305 RA401 RA402 RA405 RA513 RA603} beside [RA523 RA522 RA510] (TYPE DECLARED),
    RA521 Should ra521_others_lines_stay: Deed (TYPE EXAMPLE) = NO_EDITS,
    RA522 Must ra522_alike_names_apart [RA207 RA511 RA516 RA802] {RA203 RA502} (TYPE EXAMPLE),
    RA523 Must ra523_unnamed_properties_stay [RA207 RA511 RA516] {RA203 RA501 RA502 RA520} (TYPE EXAMPLE),
    RA601 Must ra601_titles_of_changes (TYPE EXAMPLE),
    RA602 Must ra602_order_of_messages (TYPE EXAMPLE),
    RA603 Must ra603_methods_exist (TYPE EXAMPLE),
    RA604 Should ra604_changes_are_reported [RA207 RA501 RA505 RA506 RA516 RA522] (TYPE EXAMPLE),
    RA605 Should ra605_usual_levels [RA511] (TYPE EXAMPLE),
    RA606 Must ra606_secrets_are_not_told (TYPE SENSITIVE EXAMPLE),
    RA607 Should ra607_canonical_values_are_told (TYPE CANONICALIZE EXAMPLE),
    RA608 May ra608_nothing_after_the_end (TYPE EXAMPLE),
    RA609 May ra609_silent_stdout: Deed (TYPE EXAMPLE),
    RA610 Should ra610_partly_failed (TYPE EXAMPLE),
    RA701 Must ra701_schema_shape (TRANSPORT),
    RA702 Must ra702_no_reserved_keywords (TRANSPORT),
    RA703 May ra703_usual_keywords (TRANSPORT),
    RA704 Should ra704_sensitive_connection_info (TRANSPORT),
    RA705 Must ra705_transport_methods (TRANSPORT),
    RA706 Must ra706_unreachable_targets_raise (TRANSPORT TARGET SERVICE),
    RA707 Must ra707_verify_and_facts (TRANSPORT TARGET SERVICE),
    RA708 Must ra708_close_frees (TRANSPORT TARGET),
    RA709 Should ra709_limited_patience (TRANSPORT TARGET SERVICE),
    RA710 Should ra710_close_twice (TRANSPORT TARGET),
    RA711 Must ra711_through_the_transport (TRANSPORT TARGET),
    RA712 Must ra712_where_the_runtime_looks (TRANSPORT),
    RA713 Must ra713_secrets_of_connections (TRANSPORT TARGET),
    RA714 Must ra714_found_by_name (TRANSPORT),
    RA715 May ra715_contradictions_refused (TRANSPORT INVALID_TARGET),
    RA716 May ra716_facts_are_told (TRANSPORT TARGET),
    RA717 May ra717_no_older_device_code (TRANSPORT),
    RA801 Must ra801_plain_errors [RA301 RA304 RA505] (TYPE),
    RA802 Must ra802_nothing_is_executed (TYPE),
    RA803 Must ra803_text_stays [RA207 RA511] {RA203 RA501 RA502 RA520 RA603} (TYPE),
    RA804 Must ra804_no_call_hangs (TYPE),
    RA805 Should ra805_the_real_runtime {RA516} (TYPE HOST),
    RA806 Should ra806_other_versions (TYPE HOST OTHERS),
}

/// The role of sessions that have the installed Puppet.
pub const PUPPET: &str = "Puppet";

/// Judges what a definition says: each problem that belongs to the rule is a finding.
fn defined(session: &Session, ledger: &mut Ledger, code: &str) {
    for (loaded, provenance) in session.definitions() {
        let definition = &loaded.definition;
        let own = |problem: &&Problem| problem.rule(definition.subject) == code;
        let mut problems = definition.problems.iter().filter(own).peekable();
        if problems.peek().is_none() {
            ledger.pass(loaded.exchange);
        }
        for problem in problems {
            if problem.is_undecided() {
                ledger.skip(problem.to_string());
                continue;
            }
            let name = definition.name.as_deref().unwrap_or("?");
            let finding = ledger
                .finding(loaded.exchange, format!("`{name}`: {problem}"))
                .grouped(problem.to_string())
                .graded(provenance);
            ledger.report(match problem.is_harmless() {
                true => finding.at_most(Level::May),
                false => finding,
            });
        }
    }
}

/// Judges whether files of types or of schemas (`what`) can be loaded. What is not installed is not the
/// author's fault.
fn loads(session: &Session, ledger: &mut Ledger, what: &str) {
    for (call, answer) in session.calls(phase::LOAD) {
        let (Some(name), Some(failure)) = (call.param(what), answer.failure()) else {
            continue;
        };
        if let Some(why) = failure.lack() {
            ledger.skip(why);
        } else if let (Some(file), false) = (failure.absent_file(), failure.lacks_own_file()) {
            ledger.skip(format!("there is no `{file}`"));
        } else {
            let message = format!(
                "the {what} `{}` cannot be loaded: {}{}",
                name.to_text(),
                failure.in_words(),
                failure.place()
            );
            ledger.check(call.number, call.provenance, Some(message));
        }
    }
}

/// Judges whether `canonicalize` leaves what earlier calls of a method have returned as it is.
fn stays_canonical(session: &Session, ledger: &mut Ledger, by: Phase) {
    if session.is_spoilt() {
        return;
    }
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        let (Some(given), Some(got)) = (call.param("resources"), answer.value("value")) else {
            continue;
        };
        let mut earlier = session.calls(by);
        // What was set since may have another canonical form.
        let is_theirs = earlier.any(|(one, answer)| {
            one.number < call.number
                && !session.is_set_between(one, call)
                && answer.value("value").as_ref() == Some(&given)
        });
        if is_theirs {
            let broken = (got != given).then(|| {
                let strictly = Releases::of(session).strictly();
                format!("{}{strictly}", changed_by_canonicalize(&given, &got))
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}

/// The values of the first resource that a call of `canonicalize` changed, in words.
fn changed_by_canonicalize(given: &Value, got: &Value) -> String {
    let pairs = given.as_array().unwrap_or_default().iter();
    let pairs = pairs.zip(got.as_array().unwrap_or_default());
    for (before, after) in pairs {
        let members = before.as_hash().unwrap_or_default().iter();
        let turned = members.filter_map(|(key, value)| {
            let name = key.as_symbol().unwrap_or("?");
            let now = after.get(name).filter(|now| *now != value);
            let is_same = now.is_none() && after.get(name).is_some();
            let now = now.map_or_else(|| "nothing".to_owned(), Value::inspect);
            (!is_same).then(|| format!("`{name}` from {} into {now}", value.inspect()))
        });
        let turned: Vec<String> = turned.collect();
        if !turned.is_empty() {
            return format!("it turns {}", turned.join("; "));
        }
    }
    "it returns other resources".to_owned()
}
