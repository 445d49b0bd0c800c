//! The whole command line: the neutral one, and what each dialect adds.
//!
//! In the help, neutral options stand at 10, 20, 30, … in the order of their declaration, and neutral commands where
//! they say. An option or command of a dialect says with `display_order` where it stands between them.

use crate::face::{Comparison, Face, Peer};
use clap::Command;

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

/// Words in the help that the dialects give, by their marks.
type Words = Vec<(&'static str, String)>;

fn words(faces: &[Box<dyn Face>]) -> Words {
    let all = || faces.iter();
    let comparisons: Vec<Comparison> = all().filter_map(|face| face.comparison()).collect();
    let peers = |word: fn(&Peer) -> &'static str, between: &str| {
        let peers = comparisons.iter().filter_map(|one| one.peer.as_ref());
        peers.map(word).collect::<Vec<_>>().join(between)
    };
    let replays = comparisons.iter().filter_map(|one| one.replays);
    let names: Vec<String> = all()
        .map(|face| format!("`{}`", face.vocabulary().dialect))
        .collect();
    let names = match &names[..] {
        [names @ .., last] if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        names => names.concat(),
    };
    let found = all().filter_map(|face| face.found_by_init());
    let folders = all().filter_map(|face| face.folder());
    vec![
        ("{dialects}", names),
        ("{found}", found.collect::<Vec<_>>().join(" or ")),
        ("{folders}", folders.collect::<Vec<_>>().join(" or ")),
        ("{comparisons}", capital(&peers(|peer| peer.does, ", or "))),
        ("{files}", capital(&peers(|peer| peer.file, "; or, "))),
        ("{peers}", peers(|peer| peer.name, " or of ")),
        ("{replays}", replays.collect::<Vec<_>>().join(" or ")),
    ]
}

/// The text with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
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
