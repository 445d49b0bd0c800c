//! `stickler doctor`: what this machine can do.

mod namespaces;

use crate::args::DoctorArgs;
use anstyle::{AnsiColor, Style};
use namespaces::KERNEL;
use std::io::IsTerminal;
use stickler_face::args::ListFormat;
use stickler_face::doctor::{Item, PEER, Topic};
use stickler_face::failure::chain;
use stickler_face::programs::{Program, own_path, subject_path};
use stickler_face::{Dialects, Done, Face, Failure, terminal};
use stickler_judge::Exit;
use stickler_session::CpuLease;
use stickler_session::sandbox::{Host, HostOptions, Tier};

/// The interpreters of modules.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "python3", "perl", "ruby", "node", "php", "lua",
];
/// The topics.
const SANDBOX: Topic = Topic("sandbox", "Sandbox");
const CPU: Topic = Topic("cpu", "CPUs");
const INTERPRETER: Topic = Topic("interpreter", "Interpreters in the modules' PATH");
const TERMINAL: Topic = Topic("terminal", "Terminal");

pub fn run(dialects: &Dialects, args: &DoctorArgs) -> Done {
    if args.apparmor_profile {
        let program = std::env::current_exe().map_err(anyhow::Error::from)?;
        terminal::print(namespaces::profile(&program))?;
        return Ok(Exit::Success);
    }
    let (sandboxes, best) = sandboxes();
    let mut items = sandboxes;
    items.push(namespaces::item(best == Some(Tier::Overlay)));
    items.push(landlock(&items));
    items.extend(cpus());
    items.extend(INTERPRETERS.iter().map(|name| interpreter(name)));
    let own = dialects.all().flat_map(Face::doctor);
    let (peers, needed): (Vec<Item>, Vec<Item>) = own.partition(|item| item.topic == PEER);
    items.extend(needed);
    items.extend(peers);
    items.push(screen());
    let text = match args.format {
        ListFormat::Pretty => pretty(&items, best.as_ref(), args.color.on_stdout()),
        ListFormat::Json => json(&items, best.as_ref())?,
    };
    terminal::print(text)?;
    Ok(if best.is_some() {
        Exit::Success
    } else {
        Exit::NoSession
    })
}

/// Tries each tier; also returns the best one that works.
fn sandboxes() -> (Vec<Item>, Option<Tier>) {
    let mut best = None;
    let mut items = Vec::new();
    for tier in [Tier::Overlay, Tier::Copy, Tier::None] {
        let name = tier.to_string();
        items.push(match Host::probe(Some(tier), HostOptions::default()) {
            Ok(host) => {
                best = best.or(Some(tier));
                let refused: Vec<String> = host
                    .refused()
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                let mut lacks = host.lacks();
                if !refused.is_empty() {
                    lacks.push(format!("writes to {}", refused.join(", ")));
                }
                Item {
                    lacks,
                    ..Item::new(SANDBOX, &name, true, what(tier))
                }
            }
            Err(error) => Item::new(SANDBOX, &name, false, chain(&error)),
        });
    }
    (items, best)
}

fn what(tier: Tier) -> &'static str {
    match tier {
        Tier::Overlay => {
            "the module sees this machine but cannot change it; Stickler sees every effect"
        }
        Tier::Copy => "the module can write only to its scratch directory",
        Tier::None => "the module changes this machine; Stickler evaluates only your own examples",
    }
}

/// The tier `copy` needs it.
fn landlock(items: &[Item]) -> Item {
    let copy = items.iter().find(|item| item.name == "copy");
    let ok = copy.is_some_and(|item| item.ok);
    let detail = if ok {
        "works".to_owned()
    } else {
        copy.map_or_else(String::new, |item| item.detail.clone())
    };
    Item::new(KERNEL, "landlock", ok, detail).optional()
}

fn cpus() -> Vec<Item> {
    let usable = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let sessions = if usable == 1 {
        "1: sessions run one after the other".to_owned()
    } else {
        format!("{usable}: this many sessions run in parallel, unless --jobs is set")
    };
    let pinning = match CpuLease::take() {
        Some(lease) => Item::new(
            CPU,
            "pinning",
            true,
            format!(
                "works (CPU {} was free): harness and module share one",
                lease.cpu()
            ),
        ),
        None => Item::new(
            CPU,
            "pinning",
            false,
            "no CPU could be reserved (other runs use all of them, or the system refuses): exchanges take longer",
        ),
    };
    vec![Item::new(CPU, "usable", true, sessions), pinning.optional()]
}

fn interpreter(name: &str) -> Item {
    let subject = Program::find(name, &subject_path());
    let own = Program::find(name, &own_path());
    let item = match (subject, own) {
        (Some(program), own) => {
            let mut detail = program.described(program.version().as_deref());
            if let Some(own) = own.filter(|own| !own.same_as(&program)) {
                detail.push_str(&format!(
                    "; yours is {}, which modules do not see",
                    own.path.display()
                ));
            }
            Item::new(INTERPRETER, name, true, detail)
        }
        (None, Some(own)) => Item::new(
            INTERPRETER,
            name,
            false,
            format!(
                "modules do not see it: {} is outside their PATH; name it with --interpreter {}",
                own.path.display(),
                own.path.display()
            ),
        ),
        (None, None) => Item::new(INTERPRETER, name, false, "not found"),
    };
    item.optional()
}

fn screen() -> Item {
    let tty = std::io::stdout().is_terminal();
    let colors = if terminal::Color::Auto.on_stdout() {
        "colours"
    } else {
        "no colours"
    };
    let ci = match std::env::var("CI") {
        Ok(value) if !value.is_empty() => ", CI is set: no progress, no questions",
        _ => "",
    };
    let kind = if tty { "a terminal" } else { "no terminal" };
    Item::new(
        TERMINAL,
        "standard output",
        true,
        format!("{kind}, {} columns, {colors}{ci}", terminal::width()),
    )
    .optional()
}

fn pretty(items: &[Item], best: Option<&Tier>, color: bool) -> String {
    let paint = |style: Style| if color { style } else { Style::new() };
    let bold = paint(Style::new().bold());
    let green = paint(Style::new().fg_color(Some(AnsiColor::Green.into())));
    let red = paint(Style::new().fg_color(Some(AnsiColor::Red.into())));
    let dim = paint(Style::new().dimmed());
    let width = items.iter().map(|item| item.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut topic = None;
    for item in items {
        if topic != Some(item.topic) {
            if topic.is_some() {
                out.push('\n');
            }
            topic = Some(item.topic);
            out.push_str(&format!("{bold}{}{bold:#}\n", item.topic.1));
        }
        // The words say everything that the colours say.
        let (sign, style) = match (item.ok, item.optional) {
            (true, _) => ("yes", green),
            (false, true) => ("no ", dim),
            (false, false) => ("no ", red),
        };
        out.push_str(&format!(
            "  {style}{sign}{style:#}  {:<width$}  {}\n",
            item.name,
            stickler_report::visible(&item.detail)
        ));
        if !item.lacks.is_empty() {
            let text = format!("lacks: {}", item.lacks.join(", "));
            let room = terminal::width().saturating_sub(width + 9).max(30);
            for line in crate::replay::wrapped(&text, room) {
                out.push_str(&format!("       {:width$}  {dim}{}{dim:#}\n", "", line));
            }
        }
        for line in &item.todo {
            out.push_str(&format!("       {:width$}  {line}\n", ""));
        }
    }
    out.push('\n');
    out.push_str(&match best {
        Some(Tier::None) => format!(
            "{bold}`stickler check` can run, but without a sandbox: the module changes this machine{bold:#}\n"
        ),
        Some(Tier::Copy) => format!(
            "{bold}`stickler check` can run, in the sandbox \"copy\"{bold:#}\n\
             It judges almost all rules, but sees only changes in the scratch directory.\n"
        ),
        Some(tier) => format!("{bold}`stickler check` can run, in the sandbox \"{tier}\"{bold:#}\n"),
        None => format!("{bold}`stickler check` cannot run here{bold:#}\n"),
    });
    out
}

fn json(items: &[Item], best: Option<&Tier>) -> Result<String, Failure> {
    let mut out = String::new();
    for item in items {
        let mut value = serde_json::to_value(item).map_err(anyhow::Error::from)?;
        if let Some(object) = value.as_object_mut() {
            object.shift_insert(0, "event".to_owned(), "item".into());
        }
        out.push_str(&format!("{value}\n"));
    }
    let summary = serde_json::json!({
        "event": "summary",
        "ok": best.is_some(),
        "sandbox": best.map(ToString::to_string),
    });
    out.push_str(&format!("{summary}\n"));
    Ok(out)
}
