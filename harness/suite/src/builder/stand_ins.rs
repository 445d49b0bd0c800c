//! Stand-ins for commands that count their calls, fail, wait, or say something.

use super::{CaseBuilder, assigned};
use crate::instance::SCRATCH;
use stickler_reading::{CALLS, FAILED};
use stickler_transcript::{Bytes, Plant};

/// What stand-ins for commands rely on.
const SETTLED: [&str; 5] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "PYTHONUTF8",
    "PYTHONCOERCECLOCALE",
];

/// How many seconds a stand-in for a command waits for another one.
const QUEUED: u32 = 5;

/// The begin of a stand-in for a command that counts its calls. Several processes may call it at once.
fn counted(name: &str, behind: &str) -> String {
    format!(
        "#!/bin/sh\n\
         [ -f {CALLS} ] || exec {behind} \"$@\"\n\
         exec 9<{CALLS}\n\
         flock -w {QUEUED} 9 2>/dev/null\n\
         read -r calls names < {CALLS}\n\
         case \" $names \" in *\" {name} \"*) ;; *) names=\"$names {name}\" ;; esac\n\
         echo $((calls + 1)) $names > {CALLS}\n\
         exec 9<&-\n"
    )
}

impl CaseBuilder<'_> {
    /// From here on, the stand-ins for commands work for `works` calls in all, and then fail.
    pub fn fail_fakes(&mut self, works: usize, code: u8) -> &mut Self {
        self.wrap_fakes(|name, behind| {
            let counted = counted(name, behind);
            format!(
                "{counted}[ \"$calls\" -lt {works} ] && exec {behind} \"$@\"\n\
                 echo \"{name}: fails\" >&2\nexit {code}\n"
            )
        });
        self.count_calls_from(0)
    }

    /// From here on, a single call of the stand-ins for commands fails: the one after `works` others. With `asked`, it only
    /// fails if it works and prints something, as a command does that is asked for what there is.
    pub fn fail_one_fake(&mut self, works: usize, code: u8, asked: bool) -> &mut Self {
        let tells = "found=$({behind} \"$@\")\n\
             status=$?\n\
             if [ $status -ne 0 ] || [ -z \"$found\" ]; then\n\
             [ -z \"$found\" ] || printf '%s\\n' \"$found\"\n\
             exit $status\n\
             fi\n";
        self.wrap_fakes(|name, behind| {
            let counted = counted(name, behind);
            let tells = match asked {
                true => tells.replace("{behind}", behind),
                false => String::new(),
            };
            format!(
                "{counted}[ \"$calls\" -ne 0 ] && exec {behind} \"$@\"\n\
                 {tells}echo \"1 $names {FAILED}\" > {CALLS}\n\
                 echo \"{name}: fails\" >&2\nexit {code}\n"
            )
        });
        self.fail_call(works)
    }

    /// After [`fail_one_fake`](Self::fail_one_fake), the call after `works` others fails from here on.
    pub fn fail_call(&mut self, works: usize) -> &mut Self {
        let works = i32::try_from(works).unwrap_or(i32::MAX);
        self.count_calls_from(-works).observe("a command fails")
    }

    /// Lets the stand-ins for commands wait for each other: they are the author's, and need not work where several
    /// processes call them at the same time. One that stays is waited for only for a while.
    pub fn queued_fakes(&mut self) -> &mut Self {
        let first = self.setting.config.fakes.first();
        let Some(lock) = first.map(|(name, _)| format!("{SCRATCH}/fakes/{name}")) else {
            return self;
        };
        self.wrap_fakes(|_, behind| {
            format!(
                "#!/bin/sh\n\
                 if [ -z \"$STICKLER_QUEUED\" ] && exec 9<{lock}; then\n\
                 flock -w {QUEUED} 9 2>/dev/null\n\
                 STICKLER_QUEUED=1; export STICKLER_QUEUED\n\
                 fi\n\
                 exec {behind} \"$@\"\n"
            )
        })
    }

    /// Lets the first call of a stand-in for a command wait so many seconds, in a single process, and do no work. Later
    /// calls work.
    pub fn slow_fakes(&mut self, seconds: u32) -> &mut Self {
        self.wrap_fakes(|name, behind| {
            format!(
                "#!/bin/sh\n\
                 if (set -C; echo 1 {name} > {CALLS}) 2>/dev/null; then exec sleep {seconds}; fi\n\
                 exec {behind} \"$@\"\n"
            )
        })
    }

    /// Lets the stand-ins for commands say something on standard error, and work.
    pub fn noisy_fakes(&mut self) -> &mut Self {
        self.wrap_fakes(|name, behind| {
            format!(
                "#!/bin/sh\necho \"{name}: a warning that Stickler added\" >&2\nexec {behind} \"$@\"\n"
            )
        })
    }

    /// Gives stand-ins for commands the home directory and the locale that the subject has so far,
    /// whatever it has later: they are the author's, and not under test.
    pub fn settled_fakes(&mut self) -> &mut Self {
        let own = &self.plan.commands[0].env;
        let lines = SETTLED.map(|name| assigned(own, name)).concat();
        self.wrap_fakes(|_, behind| format!("#!/bin/sh\n{lines}exec {behind} \"$@\"\n"))
    }

    /// Puts scripts in place of the stand-ins, which they may call under another path.
    fn wrap_fakes(&mut self, script: impl Fn(&str, &str) -> String) -> &mut Self {
        let mut behind_them = Vec::new();
        for plant in &mut self.plan.plants {
            let path = plant.path.lossy().into_owned();
            let Some(name) = path.strip_prefix(&format!("{SCRATCH}/bin/")) else {
                continue;
            };
            let behind = format!("{SCRATCH}/behind/{name}");
            let script = script(name, &behind);
            let content = std::mem::replace(&mut plant.content, script.into_bytes().into());
            behind_them.push(Plant {
                path: behind.into(),
                content,
                mode: plant.mode,
            });
        }
        self.plan.plants.append(&mut behind_them);
        self
    }

    /// From here on, failing stand-ins work again. They still count their calls.
    pub fn mend_fakes(&mut self) -> &mut Self {
        self.count_calls_from(-1_000_000).observe("commands work")
    }

    /// From here on, stand-ins that [`fail_fakes`](Self::fail_fakes) changed fail, if they were to work
    /// for no call.
    pub fn break_fakes(&mut self) -> &mut Self {
        self.count_calls_from(0).observe("commands fail")
    }

    fn count_calls_from(&mut self, calls: i32) -> &mut Self {
        let begin = format!("echo {calls} > {CALLS}");
        self.run(["sh", "-c", &begin].map(Bytes::from).into())
    }
}
