//! What happens before a run, if that takes long.

use crate::terminal;
use indicatif::ProgressBar;
use std::cell::OnceCell;
use std::time::Duration;

/// Shows what happens before a run, if that takes long.
#[derive(Default)]
pub struct Spinner(OnceCell<ProgressBar>);

impl Spinner {
    /// Shows on a terminal, in place of what came before, what happens now; elsewhere as a note.
    pub fn say(&self, what: &str) {
        if !terminal::is_watched() {
            return terminal::note(what);
        }
        let line = self.0.get_or_init(|| {
            let line = ProgressBar::new_spinner();
            line.enable_steady_tick(Duration::from_millis(100));
            line
        });
        line.set_message(stickler_report::visible(what).into_owned());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(line) = self.0.get() {
            line.finish_and_clear();
        }
    }
}
