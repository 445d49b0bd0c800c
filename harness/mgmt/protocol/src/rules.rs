//! The rules for mgmt resources, one file per rule.
//!
//! A rule's doc comment is its manual page. The table below is the only place that connects codes, levels and files.
//! Codes are permanent.

use crate::needs::{
    CONTEXT, COPY, DECLARED, EDGEABLE, ENGINE, EXAMPLE, GROUPABLE, RACE, RECVABLE, REFRESHABLE,
    REVERSIBLE, SENDABLE,
};
use crate::session::{Call, Session};
use stickler_judge::{Check, Defect, Ledger, NO_EDITS};
use stickler_reading::Ended;
use stickler_transcript::Silence;

/// The type of the constant in a rule's file that says what the rule judges.
type Checks = &'static [Check<Session>];

stickler_judge::rules! {
    /// All rules, by code.
    RULES "rules/" Answer
    MR101 Must mr101_right_is_ok [MR106 MR107] (EXAMPLE),
    MR102 Must mr102_wrong_is_told (EXAMPLE),
    MR103 Must mr103_errors_are_false (EXAMPLE),
    MR104 Must mr104_noop_changes_nothing (EXAMPLE),
    MR105 Must mr105_noop_hides_nothing [MR101 MR104] (EXAMPLE),
    MR106 Must mr106_converges_at_once [MR206] (EXAMPLE),
    MR107 Must mr107_second_call_does_nothing (EXAMPLE),
    MR108 Must mr108_check_and_apply_agree (EXAMPLE),
    MR109 Should mr109_ends_when_cancelled (EXAMPLE CONTEXT),
    MR110 Must mr110_checkapply_never_panics (EXAMPLE),
    MR111 Must mr111_drift_is_repaired (EXAMPLE),
    MR112 Should mr112_survives_a_kill (EXAMPLE),
    MR113 Must mr113_declared_outcomes [MR107] beside [MR116] (DECLARED),
    MR114 Should mr114_others_lines_stay: Deed (EXAMPLE) = NO_EDITS,
    MR115 Should mr115_keeps_mode_and_owner: Deed (EXAMPLE),
    MR116 Must mr116_neighbours_stay (EXAMPLE),
    MR117 Should mr117_works_in_any_environment (EXAMPLE),
    MR118 Must mr118_calls_keep_nothing_open (EXAMPLE),
    MR201 Must mr201_validate_only_looks,
    MR202 Must mr202_validate_is_repeatable,
    MR203 Should mr203_validate_rejects_the_impossible (EXAMPLE),
    MR204 Must mr204_default_is_fresh,
    MR205 Must mr205_init_is_safe,
    MR206 Must mr206_cleanup_frees,
    MR207 Must mr207_kinds_in_lower_case,
    MR208 Must mr208_instances_share_nothing {MR106 MR107} (EXAMPLE),
    MR209 Should mr209_old_files_and_debug_change_nothing (EXAMPLE),
    MR210 Must mr210_parameters_have_tags,
    MR211 Must mr211_failed_init_leaves_nothing,
    MR212 May mr212_named_as_the_guide_asks,
    MR301 Must mr301_started_once_and_armed [MR302] (EXAMPLE),
    MR302 Must mr302_changes_lead_to_events (EXAMPLE),
    MR303 May mr303_quiet_when_nothing_happens (EXAMPLE),
    MR304 Must mr304_watch_ends_when_told (EXAMPLE),
    MR305 Must mr305_watch_leaves_nothing (EXAMPLE),
    MR306 Must mr306_watch_never_ends_by_itself (EXAMPLE),
    MR307 Must mr307_watch_can_start_again (EXAMPLE),
    MR308 Must mr308_watch_never_panics (EXAMPLE),
    MR309 Must mr309_works_without_watch {MR106 MR107} (EXAMPLE),
    MR310 Must mr310_functions_where_they_belong (EXAMPLE),
    MR401 Must mr401_equal_compares_equal,
    MR402 Must mr402_cmp_is_symmetric,
    MR403 Should mr403_cmp_sees_each_field,
    MR404 Must mr404_cmp_only_looks,
    MR405 Must mr405_copies_are_deep (COPY),
    MR406 Must mr406_encodings_keep_everything (EXAMPLE),
    MR501 Must mr501_refresh_is_a_repair (EXAMPLE REFRESHABLE),
    MR502 Must mr502_sends_each_time (EXAMPLE SENDABLE),
    MR503 Should mr503_sent_values_stay (EXAMPLE SENDABLE),
    MR504 Must mr504_received_values_are_used (EXAMPLE RECVABLE),
    MR505 Must mr505_groups_do_all_the_work (EXAMPLE GROUPABLE),
    MR506 Must mr506_uids_are_stable (EDGEABLE),
    MR507 Should mr507_interrupts_and_reversals (EXAMPLE REVERSIBLE),
    MR508 Should mr508_names_tell_apart (EDGEABLE),
    MR601 Must mr601_graphs_converge [MR104 MR106 MR107 MR110 MR308] (EXAMPLE),
    MR602 Must mr602_meta_parameters_work (EXAMPLE),
    MR603 Must mr603_graphs_are_swapped [MR401 MR403] (EXAMPLE),
    MR604 Must mr604_free_of_races (EXAMPLE RACE),
    MR605 Should mr605_engines_agree (EXAMPLE ENGINE),
}

/// Reports a call that never returns; whether it is one.
fn never_returns(call: &Call, ledger: &mut Ledger, defect: impl Into<Defect>) -> bool {
    let hangs = hangs(call);
    if hangs {
        let finding = ledger.finding(call.number, defect);
        ledger.report(finding.hang(call.provenance));
    }
    hangs
}

/// Does a call never return?
fn hangs(call: &Call) -> bool {
    matches!(call.ended, Ended::Silent(Silence::Deadline)) && call.owed
}

/// How the host ended while it owed the answer to a call, if it did: a panic outside of the call ends it.
fn host_ended(call: &Call) -> Option<String> {
    if !matches!(call.ended, Ended::Exited(_)) || !call.owed {
        return None;
    }
    let errors = String::from_utf8_lossy(&call.errors);
    let line = errors
        .lines()
        .find(|line| line.starts_with("panic:") || line.starts_with("fatal error:"));
    Some(line.map_or_else(|| "sudden end of the host".to_owned(), str::to_owned))
}
