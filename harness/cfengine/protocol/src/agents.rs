//! The rules for agents, the other side of the protocol, one file per rule. They judge sessions
//! that an agent drove, never those of the conformance suite.
//!
//! Some rules ask what conclusion the agent drew from an answer. Only an agent that keeps the
//! record itself can tell (events `outcome`). In other records these rules are not exercised.

mod view;

use crate::rules::RULES;
use crate::session::Session;
use stickler_judge::{Check, Rule};

/// The rules for modules, then those for agents.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(AGENT_RULES)
}

/// The type of the constant in a rule's file that says what the rule judges.
type Checks = &'static [Check<Session>];

stickler_judge::rules! {
    /// All rules for agents, by code.
    AGENT_RULES "agents/" Deed
    AG101 Must ag101_header,
    AG102 Must ag102_one_at_a_time [AG111],
    AG103 Must ag103_validated_before,
    AG104 Must ag104_resolved,
    AG105 Must ag105_own_attributes,
    AG106 Must ag106_terminate_once,
    AG107 Must ag107_action_policy,
    AG108 Must ag108_json_messages,
    AG109 Must ag109_line_messages,
    AG110 Should ag110_members,
    AG111 Must ag111_refuses_headers,
    AG112 Must ag112_invalid_is_not_evaluated,
    AG113 Must ag113_classes_of_evaluations,
    AG114 Should ag114_broken_answers,
    AG115 Should ag115_gives_up,
    AG116 Should ag116_dead_modules,
    AG117 Must ag117_nothing_without_action_policy,
    AG118 Must ag118_never_resolved,
    AG119 Should ag119_valid_is_evaluated [AG103],
    AG120 Must ag120_survives,
    AG121 Must ag121_as_the_policy_says,
    AG122 Must ag122_outcome_of_the_answer [AG102 AG109 AG114],
}
