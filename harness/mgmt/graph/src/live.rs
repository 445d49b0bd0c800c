//! A host in the user's place.

use crate::caller::{Caller, Lost};
use mgmt_protocol::{Answer, request};
use serde_json::Value as Json;
use std::io;
use std::path::Path;
use std::time::Instant;
use stickler_rpc::{Client, Notification, Request};
use stickler_transcript::{Bytes, Case, Key, Phase};

/// A host that runs.
#[derive(Debug)]
pub struct Live {
    client: Client,
    told: Vec<Notification>,
}

impl Live {
    /// Starts a host.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(argv: &[Bytes], folder: &Path, env: &[(String, String)]) -> io::Result<Live> {
        let client = Client::start(argv, folder, env)?;
        Ok(Live {
            client,
            told: Vec::new(),
        })
    }

    /// Starts a host whose run is recorded: what the resources print is passed on, and recorded, too.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start_overheard(
        argv: &[Bytes],
        folder: &Path,
        env: &[(String, String)],
    ) -> io::Result<Live> {
        let client = Client::start_overheard(argv, folder, env)?;
        Ok(Live {
            client,
            told: Vec::new(),
        })
    }

    /// Writes all messages to a new transcript from now on, whose first line is this case with the host's command.
    ///
    /// # Errors
    /// If the file exists already, or cannot be written.
    pub fn record(&mut self, path: &Path, case: Case) -> io::Result<()> {
        self.client.record(path, case)
    }

    /// Names this moment in the recording, if there is one.
    pub fn mark(&mut self, mark: &str) {
        self.client.mark(mark);
    }

    /// Ends the host and the recording, if there is one.
    ///
    /// # Errors
    /// If something of it could not be written.
    pub fn stop_recording(&mut self) -> io::Result<()> {
        self.client.stop_recording()
    }

    /// Ends the host and all that it started, from another thread.
    pub fn ender(&self) -> impl Fn() + Send + 'static {
        self.client.ender()
    }
}

impl Caller for Live {
    fn call(&mut self, method: &str, params: &Json) -> Result<Answer, Lost> {
        let id = self.client.next_id();
        let request = Request {
            line: request::line(id, method, params),
            phase: Phase::parse(method).unwrap_or(Phase::OTHER),
            key: Key::parse(&format!("{method}:{id}")),
        };
        let told = &mut self.told;
        let answer = self.client.request(&request, |_, line| {
            told.extend(Notification::read(line));
            None
        });
        answer.map(Answer::read).map_err(|ended| Lost(ended.0))
    }

    fn listen(&mut self, until: Instant) -> Result<(), Lost> {
        let told = &mut self.told;
        let heard = self.client.listen(until, |line| {
            told.extend(Notification::read(line));
        });
        heard.map_err(|ended| Lost(ended.0))
    }

    fn told(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.told)
    }
}
