//! The end-to-end tests through the binary. They are one program, since linking each file by
//! itself would take minutes.

mod action;
mod agent;
mod agent_crashes;
mod agent_differential;
mod agent_generated;
mod agent_rules;
mod browser;
mod cli;
mod cli_baseline;
mod cli_check;
mod cli_choose;
mod cli_deployed;
mod cli_diff;
mod cli_doctor;
mod cli_explain;
mod cli_from_policy;
mod cli_init;
mod cli_interrupt;
mod cli_judge;
mod cli_logs;
mod cli_output;
mod cli_policies;
mod cli_policy;
mod cli_record;
mod cli_replay;
mod cli_report;
mod cli_shell;
mod cli_snap;
mod cli_time;
mod cli_watch;
mod common;
mod hostile;
mod modules;
mod mutants;
mod packages;
