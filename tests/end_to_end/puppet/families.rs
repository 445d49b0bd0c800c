//! Which of the sessions that all dialects share a Puppet module gets.

use super::module;

#[test]
fn shared_sessions_run_if_a_rule_for_puppet_reads_them() {
    let folder = module("file_index");
    let words = "undone or growth or order or quiet or restarted or alone or near-apart or drift";
    let output = folder.run(&["check", "-k", words, "--durations=all"]);
    output.exits(0);
    for read in ["undone/e1", "growth/e1", "order/e1+", "order-reversed/e1~"] {
        output.says(read);
    }
    for unread in ["quiet/", "restarted/", "alone/", "near-apart/", "drift/"] {
        output.says_not(unread);
    }
}
