//! Waits for notifications: by name, since a mark, and acknowledged.

use super::pump::answer_at_once;
use super::{Session, Until, micros};
use crate::notices::Awaits;
use std::time::Instant;
use stickler_transcript::{Event, Name};

impl Session<'_> {
    /// Names this moment. What has come until now came before it.
    pub(super) fn mark(&mut self, mark: &Name) {
        for process in 0..self.links.len() {
            self.receive(process);
            self.hear(process);
        }
        let counts = self.links.iter();
        let counts = counts.map(|link| link.as_ref().map_or(0, |link| link.notices.count()));
        self.marks.insert(mark.clone(), counts.collect());
        let t = self.now();
        let mark = mark.clone();
        self.events.push(Event::Marked { t, mark });
    }

    /// Waits for a notification, and records whether one came.
    pub(super) fn listen(&mut self, awaits: &Awaits<'_>) {
        let Awaits { process, name, .. } = *awaits;
        self.bury(process);
        let marked = awaits.since.and_then(|mark| self.marks.get(mark));
        // A process that was started after the mark has sent nothing before it.
        let from = marked.and_then(|counts| counts.get(process).copied());
        let from = from.unwrap_or(0);
        let began = Instant::now();
        let deadline = began + self.patience(awaits.deadline_us);
        self.wait(process, Until::Notice { name, from }, deadline);
        let wire = self.wire;
        let mut acknowledged = false;
        let mut heard = false;
        if let Some(link) = self.link_mut(process)
            && let Some(place) = link.notices.find(name, from)
            && let Some(message) = link.notices.take(place)
        {
            heard = true;
            let reply = wire.acknowledge(&message).filter(|_| awaits.acknowledge);
            if let (Some(reply), Some(stdin), false) = (reply, &link.stdin, link.deaf) {
                acknowledged = answer_at_once(stdin, &reply);
                link.deaf = !acknowledged;
            }
        }
        let t = self.now();
        self.events.push(Event::Listened {
            t,
            process,
            name: name.cloned(),
            since: awaits.since.cloned(),
            heard,
            acknowledged,
            waited_us: micros(began.elapsed()),
        });
    }

    /// Takes the notifications out of the output, also those behind an answer that no step has read yet.
    pub(super) fn hear(&mut self, process: usize) {
        let (Some(name_of), end_of) = (self.framing.notification, self.framing.message_end) else {
            return;
        };
        if !self.whole_message(process) {
            return;
        }
        let wire = self.wire;
        let Some(link) = self.link_mut(process) else {
            return;
        };
        let mut at = link.end.unwrap_or(link.incoming.len());
        while let Some(length) = end_of(&link.incoming[at..], 0) {
            let message = &link.incoming[at..at + length];
            let Some(name) = name_of(message) else {
                at += length;
                continue;
            };
            let message = link.incoming.drain(at..at + length).collect();
            link.notified(wire, name, message);
        }
    }
}
