//! Which of the sessions that all dialects share a Puppet module gets.

use super::module;

#[test]
fn shared_sessions_run_if_a_rule_for_puppet_reads_them() {
    let folder = module("file_index");
    let words = "undone or growth or order or quiet or restarted or alone or near-apart or drift";
    let output = folder.run(&["check", "-k", words, "--durations=all"]);
    output.exits(0);
    let families = [
        "undone/e1",
        "growth/e1",
        "order/e1+",
        "order-reversed/e1~",
        "quiet/e1",
        "restarted/e1",
    ];
    for read in families {
        output.says(read);
    }
    for unread in ["alone/", "near-apart/", "drift/"] {
        output.says_not(unread);
    }
}
