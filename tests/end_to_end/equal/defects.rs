//! Each of the subjects with a defect: the comparison shows which one has it.

use super::{MGMT, PROMISE, PUPPET, PUPPET_LINE, differing, equal, intents};
use crate::cli::{Folder, Output, json_lines};
use crate::common::side_by_side;

/// The differences of a stage, in words.
fn told(done: &Output, stage: &str) -> String {
    let lines = json_lines(done);
    let own = lines
        .iter()
        .filter(|line| line["event"] == "difference" && line["stage"] == stage);
    let words = own.map(|line| line["message"].as_str().expect("words"));
    words.collect::<Vec<_>>().join("\n")
}

/// A subject with one defect, and what is said about it.
struct Defect {
    file: &'static str,
    intent: &'static str,
    from: &'static str,
    to: &'static str,
    subject: &'static str,
    stage: &'static str,
    says: &'static str,
}

const DEFECTS: [Defect; 14] = [
    Defect {
        file: PUPPET,
        intent: "file",
        from: "    unfinished = ",
        to: "    raise Puppet::Error, 'no luck'\n    unfinished = ",
        subject: "Puppet",
        stage: "creation",
        says: "fails: Puppet::Error: no luck",
    },
    Defect {
        file: PROMISE,
        intent: "file",
        from: "        item.mend()\n",
        to: "        os._exit(3)\n",
        subject: "CFEngine",
        stage: "creation",
        says: "claims nothing instead of \"changed\": (no answer: the process ended)",
    },
    Defect {
        file: PROMISE,
        intent: "file",
        from: "os.chmod(new, mode)",
        to: "os.chmod(new, 0o666)",
        subject: "CFEngine",
        stage: "creation",
        says: "its mode is 0666 instead of 0640",
    },
    Defect {
        file: PROMISE,
        intent: "line",
        from: "text + self.line + \"\\n\"",
        to: "text + self.line",
        subject: "CFEngine",
        stage: "creation",
        says: "it has `oak` instead of `oak⏎` in line 3",
    },
    Defect {
        file: PROMISE,
        intent: "file",
        from: "return \"repaired\"",
        to: "return \"kept\"",
        subject: "CFEngine",
        stage: "creation",
        says: "claims \"in sync\" instead of \"changed\"",
    },
    Defect {
        file: PROMISE,
        intent: "link",
        from: "        if warns:",
        to: "        if warns and item.mend():",
        subject: "CFEngine",
        stage: "noop",
        says: "changed `{dir}/current`, although it may change nothing",
    },
    Defect {
        file: PROMISE,
        intent: "directory",
        from: "        if item.is_right():\n            return \"kept\"",
        to: "        if item.is_right() or path in DONE:\n            return \"kept\"\n        DONE.append(path)",
        subject: "CFEngine",
        stage: "drift",
        says: "claims \"in sync\" instead of \"changed\"",
    },
    Defect {
        file: PUPPET,
        intent: "file",
        from: "mode.to_i(8)",
        to: "mode.to_i(10)",
        subject: "Puppet",
        stage: "creation",
        says: "its mode is 1200 instead of 0640",
    },
    Defect {
        file: PUPPET_LINE,
        intent: "line",
        from: "\"#{line}\\n\" }.join",
        to: "\"#{line}\\n\" }.join.chomp",
        subject: "Puppet",
        stage: "second_run",
        says: "it has `oak` instead of `oak⏎` in line 3",
    },
    Defect {
        file: PUPPET,
        intent: "file",
        from: "next if noop",
        to: "",
        subject: "Puppet",
        stage: "noop",
        says: "changed `{dir}/motd`, although it may change nothing",
    },
    Defect {
        file: PUPPET_LINE,
        intent: "line",
        from: "    write(name[:path], lines(name[:path]) + [name[:line]])",
        to: "    return if @@done\n\n    @@done = true\n    \
             write(name[:path], lines(name[:path]) + [name[:line]])",
        subject: "Puppet",
        stage: "drift",
        says: "`{dir}/trees` is not as the author declared",
    },
    Defect {
        file: MGMT,
        intent: "file",
        from: "return false, mend()",
        to: "return true, mend()",
        subject: "mgmt",
        stage: "creation",
        says: "claims \"in sync\" instead of \"changed\"",
    },
    Defect {
        file: MGMT,
        intent: "directory",
        from: "\tif !apply {\n\t\treturn false, nil\n\t}\n",
        to: "",
        subject: "mgmt",
        stage: "noop",
        says: "changed `{dir}/srv/data`, although it may change nothing",
    },
    Defect {
        file: MGMT,
        intent: "link",
        from: "\treturn false, mend()",
        to: "\tif done {\n\t\treturn true, nil\n\t}\n\tdone = true\n\treturn false, mend()",
        subject: "mgmt",
        stage: "drift",
        says: "it leads to `releases/1` instead of `releases/2`",
    },
];

impl Defect {
    /// The intents, of which this subject has the defect.
    fn planted(&self) -> Folder {
        let folder = intents(&[(self.file, self.from, self.to)]);
        // What keeps a result in memory needs a place for it.
        let declares = [
            (PROMISE, "DONE.append", "HEADER = ", "DONE = []\nHEADER = "),
            (
                PUPPET_LINE,
                "@@done",
                "  def get(",
                "  @@done = false\n\n  def get(",
            ),
            (
                MGMT,
                "if done",
                "// bring mends",
                "var done bool\n\n// bring mends",
            ),
        ];
        for (file, has, from, to) in declares {
            if self.file == file && self.to.contains(has) {
                folder.replace(file, from, to);
            }
        }
        folder
    }
}

#[test]
fn a_defect_shows_in_the_subject_that_has_it() {
    side_by_side(&DEFECTS, |defect| {
        let folder = defect.planted();
        let file = format!("{}.toml", defect.intent);
        let done = equal(&folder, &file, &["--format", "json"]);
        done.exits(1);
        assert_eq!(differing(&done), [defect.subject], "{}", done.all());
        let words = told(&done, defect.stage);
        assert!(words.contains(defect.says), "{words}\n{}", done.all());
    });
}
