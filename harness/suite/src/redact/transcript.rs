//! Masks secrets in a transcript: in what was sent and answered, and in the paths, commands and texts
//! that come from the author or the subject. Names of the format stay as they are.

use super::Redactor;
use stickler_transcript::{
    Bytes, Call, Change, Declared, Drift, Entry, Event, Plan, PlannedCommand, Step, Subject,
    Transcript,
};

impl Redactor {
    /// Masks secrets in a transcript, its plan included.
    pub fn transcript(&self, transcript: &mut Transcript) {
        if self.is_empty() {
            return;
        }
        let case = &mut transcript.case;
        self.subject(&mut case.subject);
        for item in &mut case.items {
            self.optional(&mut item.description);
        }
        for trap in &mut case.traps {
            self.bytes(&mut trap.sign);
            self.bytes(&mut trap.bait);
        }
        if let Some(plan) = &mut case.plan {
            self.plan(plan);
        }
        if let Some(command) = &mut case.command {
            self.command(command);
        }
        transcript
            .events
            .iter_mut()
            .for_each(|event| self.event(event));
    }

    fn subject(&self, subject: &mut Subject) {
        self.all(&mut subject.foreign);
        self.all(&mut subject.own);
    }

    fn event(&self, event: &mut Event) {
        match event {
            Event::In { data, .. }
            | Event::Out { data, .. }
            | Event::Printed { data, .. }
            | Event::Err { data, .. } => self.bytes(data),
            Event::Effects { changes, .. } => {
                changes.iter_mut().for_each(|change| self.change(change));
            }
            Event::Writes {
                call, foreign, own, ..
            } => {
                if let Some(call) = call {
                    self.call(call);
                }
                self.all(foreign);
                self.all(own);
            }
            Event::Verified {
                declared,
                found,
                failed,
                ..
            } => {
                self.declared(declared);
                self.entry(found.as_deref_mut());
                self.optional(failed);
            }
            Event::Drifted { drift, failed, .. } => {
                self.drift(drift);
                self.optional(failed);
            }
            Event::Left { processes, .. } => self.texts(processes),
            Event::Outcome(outcome) => {
                self.bytes(&mut outcome.identity);
                self.all(&mut outcome.errors);
                self.all(&mut outcome.defines);
            }
            Event::Trouble { message, .. } => *message = self.text(message),
            Event::Start { .. }
            | Event::Request(_)
            | Event::Unsent { .. }
            | Event::Closed { .. }
            | Event::Silent { .. }
            | Event::Killed { .. }
            | Event::Exit { .. }
            | Event::Sample { .. }
            | Event::Protected { .. }
            | Event::Marked { .. }
            | Event::Listened { .. }
            | Event::Full { .. }
            | Event::End { .. } => {}
        }
    }

    fn change(&self, change: &mut Change) {
        self.bytes(&mut change.path);
        self.entry(change.before.as_mut());
        self.entry(change.after.as_mut());
    }

    fn entry(&self, entry: Option<&mut Entry>) {
        if let Some(content) = entry.and_then(|entry| entry.content.as_mut()) {
            self.bytes(content);
        }
    }

    fn call(&self, call: &mut Call) {
        for path in [&mut call.path, &mut call.program].into_iter().flatten() {
            self.bytes(path);
        }
    }

    fn plan(&self, plan: &mut Plan) {
        for command in &mut plan.commands {
            self.command(command);
        }
        for plant in &mut plan.plants {
            self.bytes(&mut plant.path);
            self.bytes(&mut plant.content);
        }
        if let Some(words) = &mut plan.oracle {
            self.bytes(words);
        }
        for step in &mut plan.steps {
            match step {
                Step::Send(send) => {
                    for piece in &mut send.pieces {
                        self.bytes(&mut piece.data);
                    }
                }
                Step::Drift(drift) => self.drift(drift),
                Step::Verify { declared, .. } => self.declared(declared),
                _ => {}
            }
        }
    }

    fn command(&self, command: &mut PlannedCommand) {
        self.all(&mut command.argv);
        for (_, value) in &mut command.env {
            self.bytes(value);
        }
        self.bytes(&mut command.cwd);
    }

    fn drift(&self, drift: &mut Drift) {
        match drift {
            Drift::Write { path, content } => {
                self.bytes(path);
                self.bytes(content);
            }
            Drift::Link { path, target } => {
                self.bytes(path);
                self.bytes(target);
            }
            Drift::Command { words, .. } => self.all(words),
            Drift::Mode { path, .. }
            | Drift::Owner { path, .. }
            | Drift::Directory { path }
            | Drift::Remove { path } => self.bytes(path),
        }
    }

    fn declared(&self, declared: &mut Declared) {
        match declared {
            Declared::Creates { path, content, .. } => {
                self.bytes(path);
                if let Some(content) = content {
                    self.bytes(content);
                }
            }
            Declared::Absent { path } => self.bytes(path),
            Declared::Succeeds { words, .. } => self.all(words),
        }
    }

    fn all(&self, values: &mut [Bytes]) {
        values.iter_mut().for_each(|value| self.bytes(value));
    }

    fn texts(&self, texts: &mut [String]) {
        for text in texts {
            *text = self.text(text);
        }
    }

    fn optional(&self, text: &mut Option<String>) {
        *text = text.as_deref().map(|text| self.text(text));
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Example};
    use crate::redact::Redactor;
    use stickler_transcript::{Bytes, Event, Transcript, Value, read_transcripts};

    fn hiding(secret: &str) -> Redactor {
        Redactor::of(&Config {
            examples: vec![Example {
                attributes: vec![("token".into(), Value::text(secret))],
                ..Example::default()
            }],
            ..Config::default()
        })
    }

    /// A transcript with a word in each place that an author or a subject decides.
    fn full_of(word: &str) -> Transcript {
        let file = r#"{"kind":"file","mode":0,"uid":0,"gid":0,"size":1,"content":"WORD"}"#;
        let creates = r#"{"declared":"creates","path":"/d/WORD","content":"WORD"}"#;
        let command = r#"{"argv":["WORD"],"env":[["A","WORD"]],"cwd":"/WORD","umask":18}"#;
        let drifts = [
            r#"{"drift":"write","path":"/WORD","content":"WORD"}"#,
            r#"{"drift":"link","path":"/WORD","target":"WORD"}"#,
            r#"{"drift":"remove","path":"/WORD"}"#,
            r#"{"drift":"command","command":0,"words":["WORD"],"deadline_us":1}"#,
        ];
        let planned: Vec<String> = drifts
            .iter()
            .map(|drift| drift.replacen('{', r#"{"step":"drift","#, 1))
            .collect();
        let case = [
            r#"{"event":"case","version":3,"id":"a/b","dialect":"toy","tier":"none","#,
            r#""subject":{"name":"toy","foreign":["/WORD"],"own":["/WORD"]},"#,
            r#""items":[{"label":"e1","example":"one","original":true,"invalid":false,"#,
            r#""description":"with WORD"}],"#,
            r#""traps":[{"kind":"command","sign":"WORD","bait":"WORD"}],"command":COMMAND,"#,
            r#""plan":{"commands":[COMMAND],"plants":[{"path":"/WORD","content":"WORD","mode":0}],"#,
            r#""steps":[PLANNED,{"step":"verify","key":"e:e1","declared":CREATES}],"oracle":"WORD"}}"#,
        ];
        let case = case.concat().replace("COMMAND", command);
        let case = case.replace("PLANNED", &planned.join(","));
        let mut lines = vec![case];
        for data in ["in", "out", "printed", "err"] {
            lines.push(format!(
                r#"{{"event":"{data}","t":1,"process":0,"data":"a WORD"}}"#
            ));
        }
        lines.push(format!(
            r#"{{"event":"effects","t":1,"point":"x","changes":[{{"path":"/WORD","kind":"changed","before":{file},"after":{file}}}]}}"#
        ));
        lines.push(
            r#"{"event":"writes","t":1,"process":0,"count":1,"call":{"name":"open","path":"/WORD","program":"WORD"},"foreign":["WORD"],"own":["WORD"]}"#
                .to_owned(),
        );
        lines.push(format!(
            r#"{{"event":"verified","t":1,"key":"e:e1","declared":CREATES,"found":{file},"failed":"WORD"}}"#
        ));
        for drift in drifts {
            lines.push(format!(
                r#"{{"event":"drifted","t":1,"drift":{drift},"failed":"WORD"}}"#
            ));
        }
        lines.push(
            r#"{"event":"left","t":1,"processes":["a WORD"],"holds_stdout":false,"holds_stdin":false}"#
                .to_owned(),
        );
        lines.push(
            r#"{"event":"outcome","t":1,"kind":"k","identity":"WORD","place":"p","outcome":"failed","turn":1,"errors":["WORD"],"defines":["WORD"]}"#
                .to_owned(),
        );
        lines.push(r#"{"event":"trouble","t":1,"message":"a WORD"}"#.to_owned());
        lines.push(r#"{"event":"end","t":1,"complete":true}"#.to_owned());
        let text = lines.join("\n").replace("CREATES", creates);
        let text = text.replace("WORD", word);
        let mut all = read_transcripts(text.as_bytes()).expect("a transcript");
        all.remove(0)
    }

    #[test]
    fn masking_reaches_each_place_that_an_author_or_a_subject_decides() {
        let masked = hiding("hunter22").redacted(&full_of("hunter22"));
        assert_eq!(masked, full_of("REDACTED"));
    }

    #[test]
    fn masking_ends_when_a_secret_is_a_part_of_the_mask() {
        let mut transcript = Transcript {
            events: vec![Event::Out {
                t: 0,
                process: 0,
                data: Bytes::from("is DACT"),
            }],
            case: stickler_transcript::Case::default(),
        };
        hiding("DACT").transcript(&mut transcript);
        let Event::Out { data, .. } = &transcript.events[0] else {
            unreachable!("it is the only event");
        };
        assert_eq!(data.lossy(), "is REDACTED");
    }
}
