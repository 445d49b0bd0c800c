//! The whole command line: the neutral one, and what each dialect adds.
//!
//! In the help, neutral options stand at 10, 20, 30, … in the order of their declaration, and neutral commands where
//! they say. An option or command of a dialect says with `display_order` where it stands between them.

use crate::face::Face;
use clap::{ArgMatches, Command, Subcommand};

/// Where options of a dialect stand that say nothing about it.
const LAST: usize = 900;

/// The neutral command line with what all dialects add.
pub fn whole(neutral: Command, faces: &[Box<dyn Face>]) -> Command {
    let words = words(faces);
    let whole = each(neutral, &|command| {
        let command = worded(spaced(command), &words);
        // The name of a set of options would replace what the command does.
        let about = command.get_about().cloned().unwrap_or_default();
        let all = faces.iter().fold(command, |command, face| {
            let command = command.next_display_order(LAST);
            face.extend(command.next_help_heading(None::<&'static str>))
        });
        all.about(about)
    });
    each(whole, &in_order)
}

/// Changes all commands below a command, and then itself.
fn each(command: Command, change: &dyn Fn(Command) -> Command) -> Command {
    change(command.mut_subcommands(|below| each(below, change)))
}

/// Leaves places between options.
fn spaced(command: Command) -> Command {
    let mut place = 0;
    command.mut_args(|arg| {
        if arg.is_positional() {
            return arg;
        }
        place += 10;
        arg.display_order(place)
    })
}

/// Options and commands in the order of the help, for scripts and manual pages.
fn in_order(mut command: Command) -> Command {
    let mut args: Vec<_> = command.get_arguments().collect();
    args.sort_by_key(|arg| match arg.is_positional() {
        true => 0,
        false => arg.get_display_order(),
    });
    let ids: Vec<_> = args.iter().map(|arg| arg.get_id().clone()).collect();
    let mut below: Vec<_> = command.get_subcommands().collect();
    below.sort_by_key(|one| one.get_display_order());
    let names: Vec<_> = below.iter().map(|one| one.get_name().to_owned()).collect();
    // What is changed moves to the end.
    for id in ids {
        command = command.mut_arg(id, |arg| arg);
    }
    for name in names {
        command = command.mut_subcommand(name, |one| one);
    }
    command
}

/// The marks in the help of neutral commands for words of the dialects, with what stands between these words: where
/// `init` finds a subject that is not named, what folders are subjects; what `diff` does, the files that it takes, the
/// programs beside which references run, and what it does with a recording alone.
const MARKS: [(&str, &str); 6] = [
    ("{found}", " or "),
    ("{folders}", " or "),
    ("{comparisons}", ", or "),
    ("{files}", "; or, "),
    ("{peers}", " or of "),
    ("{replays}", " or "),
];

/// Words in the help that the dialects give, by their marks.
type Words = Vec<(&'static str, String)>;

fn words(faces: &[Box<dyn Face>]) -> Words {
    let names = listed(faces.iter().map(|face| face.vocabulary().dialect));
    let demos = faces.iter().filter_map(|face| face.demo());
    let demos = listed(demos.map(|demo| demo.system));
    let of_mark = |(mark, between)| {
        let given = faces.iter().flat_map(|face| face.help());
        let given = given
            .filter(|(own, _)| *own == mark)
            .map(|(_, words)| *words);
        (mark, given.collect::<Vec<_>>().join(between))
    };
    let mut words = vec![("{dialects}", names), ("{demos}", demos)];
    words.extend(MARKS.map(of_mark));
    words
}

/// Names as a choice.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names = names.map(|name| format!("`{name}`"));
    let names = names.collect::<Vec<_>>().join(", ");
    match names.rsplit_once(", ") {
        Some((first, last)) => format!("{first} or {last}"),
        None => names,
    }
}

/// Puts the words of the dialects into the help of a command.
fn worded(mut command: Command, words: &Words) -> Command {
    let told = |text: String| {
        let marked = words.iter().filter(|(mark, _)| text.contains(mark));
        let told = marked.fold(text.clone(), |text, (mark, words)| {
            text.replace(mark, words)
        });
        (told != text).then_some(told)
    };
    if let Some(about) = command
        .get_about()
        .and_then(|about| told(about.to_string()))
    {
        command = command.about(about);
    }
    command.mut_args(|arg| {
        let help = arg.get_help().and_then(|help| told(help.to_string()));
        match help {
            Some(help) => arg.help(help),
            None => arg,
        }
    })
}

/// The command of a command line, if it is one of a dialect's own.
pub fn own<C: Subcommand>(matches: &ArgMatches) -> Option<C> {
    let name = matches.subcommand_name()?;
    C::has_subcommand(name)
        .then(|| C::from_arg_matches(matches).unwrap_or_else(|error| error.exit()))
}
