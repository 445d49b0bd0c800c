//! Writes all that is generated, from what was built last; with `--check` it fails where that would
//! change anything. It refuses pages of rules that lack the usual form.

#![expect(clippy::print_stderr, reason = "it says what is stale")]

use anyhow::{Context, Result, bail};
use cfengine_protocol::release::RELEASES;
use puppet_runtime::Release;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use stickler_conform::{Situations as _, lines};
use stickler_dialects::Registered;
use stickler_judge::{Page, Rule};
use stickler_suite::config;
use stickler_suite::plans::shared;
use stickler_transcript::Relation;

/// How it is run, so that it reads the help of the present program.
const BUILD: &str =
    "run `ci/cargo build --workspace --all-targets`, then `target/debug/stickler-generate`";

/// What the page about versions says first.
const AGENTS: &str = "\
Generated from `fixtures/recorded/releases`. Stickler knows the behaviour of four versions of cf-agent, because
{situations} situations were recorded with each of them: a policy, what its modules answer, what the agent sends and
what it makes of the answers. In all other situations that were recorded, the four do the same.

- A module has to work with those that its users have. `[subject] agents` in
  [`stickler.toml`](stickler-toml.md) names them; without it, these are all four. Where messages differ, `stickler
  check` holds sessions for each, and findings say which versions they concern.
- `stickler agent --compat VERSION` behaves as one of them, and `stickler policy order --compat VERSION` and `stickler
  policy check --compat VERSION` tell what it would do with a policy.
- `stickler doctor` says which version is installed, and whether it was measured. For a version that was not,
  Stickler takes the nearest older one.

The table shows what each version does where they differ. \"The same\" is what the version to the left does.";

/// What the page about releases of Puppet says first.
const PUPPETS: &str = "\
Generated from `fixtures/recorded/puppet`. Stickler knows the behaviour of three releases of Puppet with
puppet-resource_api, because {situations} situations were recorded with each of them: a type, what its provider
answers, a manifest or a command, what is called and what Puppet makes of the answers. In {differing} of them, the
three do not do the same.

- A module has to work with those that its users have. `[subject] runtimes` in
  [`stickler.toml`](stickler-toml.md) names them; without it, these are all three. [Which sessions are
  held](puppet.md#releases) follows from that, and findings say which releases they concern.
- `stickler apply`, `stickler resource`, `stickler diff` and `stickler check` have `--runtime RELEASE`. Without it,
  they behave as the installed Puppet if it is one of these, else as the newest.
- `stickler doctor` says which one is installed, and whether it was measured.

The table shows what each release does where they differ. \"The same\" is what the release to the left does. Each
release has its own default of the setting `strict`: `warning` in Puppet 7, `error` in Puppet 8.";

fn main() -> Result<()> {
    let check = std::env::args().any(|argument| argument == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = [
        ("CONTRIBUTING.md", contributing(&root)?),
        ("docs/findings.md", findings(&root)?),
        ("docs/proofs.md", proofs(&root)?),
        ("docs/command-line.md", command_line(&root)?),
        ("docs/agents.md", agents(&root)?),
        ("docs/puppet-releases.md", puppets(&root)?),
        ("docs/functions.md", functions()),
        ("docs/conform.md", conform(&root)?),
        ("docs/stickler-toml.md", stickler_toml(&root)?),
        (
            "docs/schema/equal-case.schema.json",
            config::equal_schema(&stickler_dialects::words()),
        ),
    ];
    let files = files.map(|(name, wanted)| (name.to_owned(), wanted));
    let mut files = Vec::from(files);
    for dialect in stickler_dialects::all() {
        files.extend(of_dialect(&*dialect)?);
    }
    let mut stale = false;
    for (name, wanted) in files {
        let path = root.join(&name);
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        if found == wanted {
            continue;
        }
        if check {
            stale = true;
            let diff = similar::TextDiff::from_lines(&found, &wanted);
            eprintln!(
                "{name} is stale:\n{}",
                diff.unified_diff().context_radius(1)
            );
        } else {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, wanted).with_context(|| format!("writing {name}"))?;
            eprintln!("{name} written");
        }
    }
    if stale {
        bail!("{BUILD}");
    }
    let unproven = stickler_proof::unproven(&root)?;
    if !unproven.is_empty() {
        bail!("without a mutant or a near miss: {}", unproven.join(", "));
    }
    Ok(())
}

/// The page about agents under test, with the rules that measured agents break.
fn conform(root: &Path) -> Result<String> {
    const MARK: &str = "<!-- generated -->\n";
    let page = std::fs::read_to_string(root.join("docs/conform.md"))?;
    let (own, _) = page
        .split_once(MARK)
        .context("docs/conform.md has no mark")?;
    let file = root.join("fixtures/recorded/releases/broken.jsonl");
    let text = std::fs::read_to_string(file).context("broken.jsonl is not readable")?;
    let mut broken: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let known: serde_json::Value = serde_json::from_str(line)?;
        if let (Some(rule), Some(situation)) = (known["rule"].as_str(), known["situation"].as_str())
        {
            broken
                .entry(rule.to_owned())
                .or_default()
                .push(situation.to_owned());
        }
    }
    let rules = stickler_dialects::all()
        .into_iter()
        .flat_map(|one| one.all_rules());
    let rules: Vec<&Rule> = rules.collect();
    let mut table = format!(
        "{own}{MARK}\ncf-agent 3.21.0, the only release that was measured with hostile modules, breaks these rules. A test \
         plays some of the situations again.\n\n| rule | requires | situations | such as |\n|---|---|---|---|\n"
    );
    for (code, situations) in &broken {
        let rule = rules.iter().find(|rule| rule.code == code);
        let title = rule
            .context("a rule of broken.jsonl")?
            .page()
            .title
            .replace('|', "\\|");
        let first = situations.first().map_or("", String::as_str);
        let anchor = code.to_ascii_lowercase();
        let _ = writeln!(
            table,
            "| [{code}](rules-promise-modules.md#{anchor}) | {title} | {} | `{first}` |",
            situations.len()
        );
    }
    Ok(table)
}

/// What belongs to a dialect: the page of its rules, and the schema of its descriptions.
fn of_dialect(dialect: &dyn Registered) -> Result<Vec<(String, String)>> {
    let folders = dialect.rules_folders().iter();
    let folders: Vec<String> = folders.map(|folder| format!("`{folder}`")).collect();
    let head = format!(
        "# The rules for {}\n\nGenerated from the doc comments in {}. `stickler explain CODE` shows one rule.",
        dialect.vocabulary().subjects,
        folders.join(" and ")
    );
    let words = dialect.vocabulary();
    Ok(vec![
        (
            dialect.rules_page().to_owned(),
            rules_page(&head, &dialect.all_rules())?,
        ),
        (
            format!("docs/schema/{}", words.schema),
            config::json_schema(words),
        ),
    ])
}

/// The headings of each page of a rule.
const HEADINGS: [&str; 6] = [
    "What it requires",
    "Why",
    "How it is judged",
    "Example",
    "How to fix",
    "Source",
];

/// The most lines of such a page.
const LINES: usize = 32;

/// Refuses a page without the usual form.
fn check_form(code: &str, source: &str) -> Result<()> {
    let page = Page::from_source(source);
    let headings: Vec<&str> = page.sections().map(|(heading, _)| heading).collect();
    if headings != HEADINGS {
        bail!("{code}: the headings are {headings:?}, and have to be {HEADINGS:?}");
    }
    if let Some((heading, _)) = page.sections().find(|(_, text)| text.is_empty()) {
        bail!("{code}: there is no text below \"{heading}\"");
    }
    let lines = page.markdown.lines().count();
    if lines > LINES {
        bail!("{code}: the page has {lines} lines; write at most {LINES}");
    }
    Ok(())
}

/// The manual pages of all rules.
fn rules_page(head: &str, rules: &[&Rule]) -> Result<String> {
    let mut text = format!("{head}\n\n| code | level | requires |\n|---|---|---|\n");
    for rule in rules {
        let level = rule.level.name();
        let title = rule.page().title.replace('|', "\\|");
        let anchor = rule.code.to_ascii_lowercase();
        let _ = writeln!(text, "| [{}](#{anchor}) | {level} | {title} |", rule.code);
    }
    for rule in rules {
        check_form(rule.code, rule.source)?;
        let page = rule.page();
        let _ = write!(text, "\n## {}\n\n**{}**\n", rule.code, page.title);
        for line in page.markdown.lines().skip(1) {
            let line = line
                .strip_prefix("## ")
                .map_or_else(|| line.to_owned(), |h| format!("### {h}"));
            let _ = writeln!(text, "{line}");
        }
    }
    Ok(text)
}

/// How many mutants and near misses each rule has.
fn proofs(root: &Path) -> Result<String> {
    let mut text = String::from(
        "# The proofs of the rules\n\nGenerated from the tables of mutants. A mutant is a subject with one \
         defect: its rule catches it. A near miss is the legal behaviour closest to a defect: no rule catches it. \
         \"Others\" are the other rules that may fail beside a mutant of the rule: the most of any of its mutants. What \
         is filed under its rule, since it follows, does not count. `ci/prove CODE` runs those of a rule.\n",
    );
    for proof in stickler_proof::proofs() {
        let subjects = stickler_proof::read(&proof, root)?;
        let counts = stickler_proof::counts(&proof, &subjects);
        let [mutants, near] = counts
            .values()
            .fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let _ = write!(
            text,
            "\n## Rules about {}\n\nThe table is `{}`.\n\n| rule | mutants | others | near misses |\n|---|---|---|---|\n",
            proof.about, proof.table
        );
        for (code, [mutants, near]) in counts {
            let others = stickler_proof::others(&subjects, code);
            let _ = writeln!(text, "| {code} | {mutants} | {others} | {near} |");
        }
        let _ = writeln!(text, "| all | {mutants} | | {near} |");
    }
    families(&mut text);
    Ok(text)
}

/// Which families of sessions each dialect has.
fn families(text: &mut String) {
    let dialects = stickler_dialects::all();
    let names: Vec<&str> = dialects
        .iter()
        .map(|one| one.vocabulary().dialect)
        .collect();
    let _ = write!(
        text,
        "\n## Plan families\n\nThe suite plans these for any dialect whose rules read one of their relations, and \
         whose subjects can do what they need.\n\n| family | relations | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let mut served = vec![0; names.len()];
    for family in shared() {
        let relations: Vec<String> = family.relations.iter().map(Relation::to_string).collect();
        let _ = write!(text, "| {} | {} |", family.name, relations.join(", "));
        for (dialect, count) in dialects.iter().zip(&mut served) {
            let rules = dialect.rules().into_iter();
            let read = rules.flat_map(Rule::relations).collect();
            let serves = family.serves(&read, dialect.unknown().verbs().capabilities());
            *count += usize::from(serves);
            text.push_str(if serves { " yes |" } else { " |" });
        }
        text.push('\n');
    }
    let served: Vec<String> = served.iter().map(usize::to_string).collect();
    let _ = writeln!(text, "| all | | {} |", served.join(" | "));
    text.push_str(
        "\nThese belong to one dialect.\n\n| dialect | relation | sessions |\n|---|---|---|\n",
    );
    for dialect in &dialects {
        let words = dialect.vocabulary();
        let own: BTreeSet<Relation> = dialect.own_relations().into_iter().collect();
        for relation in own {
            let about = words.about(relation);
            let _ = writeln!(text, "| {} | {relation} | {about} |", words.dialect);
        }
    }
}

/// The page for contributors, with the table of rules: a line for each table of mutants.
fn contributing(root: &Path) -> Result<String> {
    const HEAD: &str = "| rules about | codes | files of rules, with their table beside the folder | page | mutants |\n\
                        |---|---|---|---|---|\n";
    let page = std::fs::read_to_string(root.join("CONTRIBUTING.md"))?;
    let (before, after) = page
        .split_once(HEAD)
        .context("CONTRIBUTING.md has the table of rules")?;
    let old = after
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('|'));
    let old: usize = old.map(str::len).sum();
    let mut table = String::new();
    for dialect in stickler_dialects::all() {
        let folders = dialect.rules_folders().iter();
        for (proof, folder) in dialect.proofs().into_iter().zip(folders) {
            let code = proof.rules.first().context("rules have codes")?;
            let _ = writeln!(
                table,
                "| {} | {}NNN | `{folder}` | `{}` | `{}` |",
                proof.about,
                &code[..2],
                dialect.rules_page(),
                proof.table
            );
        }
    }
    Ok(format!("{before}{HEAD}{table}{}", &after[old..]))
}

/// The page about findings, which says for whose subjects it is.
fn findings(root: &Path) -> Result<String> {
    let page = std::fs::read_to_string(root.join("docs/findings.md"))?;
    let (before, after) = page
        .split_once("It applies to ")
        .context("docs/findings.md says for whom it is")?;
    let (_, after) = after
        .split_once(" alike.")
        .context("docs/findings.md ends its first paragraph")?;
    let words = stickler_dialects::words();
    let subjects: Vec<&str> = words.iter().map(|words| words.subjects).collect();
    let (last, others) = subjects.split_last().context("there are dialects")?;
    Ok(format!(
        "{before}It applies to {} and {last} alike.{after}",
        others.join(", ")
    ))
}

/// What the measured releases of cf-agent do otherwise, and how many situations were recorded.
fn agents(root: &Path) -> Result<String> {
    let folder = root.join("fixtures/recorded/releases");
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).context(format!("{name} is not readable"))
    };
    let differences: toml::Table = read("differences.toml")?.parse()?;
    let differences = differences.get("difference").and_then(|all| all.as_array());
    let situations =
        lines::<cfengine_conform::Line>("situations.jsonl", cfengine_conform::SITUATIONS)?;
    let situations = situations.len();
    let versions: Vec<&str> = RELEASES.iter().map(|release| release.version).collect();
    let mut text = format!(
        "# The versions of cf-agent\n\n{}\n\n| situation | {} |\n|---{}|\n",
        AGENTS.replace("{situations}", &situations.to_string()),
        versions.join(" | "),
        "|---".repeat(versions.len()),
    );
    for difference in differences.into_iter().flatten() {
        let does = difference.get("does").and_then(toml::Value::as_table);
        let does = does.context("a difference says what agents do")?;
        let situation = difference.get("situation").and_then(toml::Value::as_str);
        let _ = write!(
            text,
            "| {} |",
            situation.context("a difference has a situation")?
        );
        for version in &versions {
            let cell = does.get(*version).and_then(toml::Value::as_str);
            let _ = write!(text, " {} |", cell.unwrap_or("the same"));
        }
        text.push('\n');
    }
    Ok(text)
}

/// What the measured releases of Puppet do otherwise, and in how many situations. Each situation in which they differ is
/// part of a difference.
fn puppets(root: &Path) -> Result<String> {
    let folder = root.join("fixtures/recorded/puppet");
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).context(format!("{name} is not readable"))
    };
    let all = puppet_conform::Situations::stored()?;
    let situations = all.len();
    let differing = all.into_iter().map(|line| line.situation);
    let differing = differing.filter(|situation| situation.want.len() > 1);
    let differing: BTreeSet<String> = differing.map(|situation| situation.name).collect();
    let differences: toml::Table = read("differences.toml")?.parse()?;
    let differences = differences.get("difference").and_then(|all| all.as_array());
    let names: Vec<&str> = Release::MEASURED.iter().map(|one| one.name).collect();
    let head = PUPPETS.replace("{situations}", &situations.to_string());
    let mut text = format!(
        "# The releases of Puppet\n\n{}\n\n| situation | {} | rules |\n|---{}|---|\n",
        head.replace("{differing}", &differing.len().to_string()),
        names.join(" | "),
        "|---".repeat(names.len()),
    );
    let mut shown = BTreeSet::new();
    for difference in differences.into_iter().flatten() {
        let texts = |key: &str| -> Vec<&str> {
            let all = difference.get(key).and_then(toml::Value::as_array);
            let all = all.into_iter().flatten();
            all.filter_map(toml::Value::as_str).collect()
        };
        let situation = difference.get("situation").and_then(toml::Value::as_str);
        let situation = situation.context("a difference has a situation")?;
        let does = difference.get("does").and_then(toml::Value::as_table);
        let does = does.context("a difference says what releases do")?;
        if let Some(other) = does.keys().find(|name| !names.contains(&name.as_str())) {
            bail!("{situation}: there is no release {other}");
        }
        for name in texts("recorded") {
            if !differing.contains(name) {
                bail!("{situation}: {name} is no situation in which releases differ");
            }
            shown.insert(name.to_owned());
        }
        let _ = write!(text, "| {situation} |");
        for name in &names {
            let cell = does.get(*name).and_then(toml::Value::as_str);
            let _ = write!(text, " {} |", cell.unwrap_or("the same"));
        }
        let rules: Vec<String> = texts("rules")
            .into_iter()
            .map(|code| format!("[{code}](rules-puppet.md#{})", code.to_ascii_lowercase()))
            .collect();
        let _ = writeln!(text, " {} |", rules.join(", "));
    }
    let missing: Vec<&String> = differing.difference(&shown).collect();
    if !missing.is_empty() {
        bail!("differences.toml says nothing of {missing:?}, in which releases differ");
    }
    Ok(text)
}

/// Which functions of the policy language the reference agent has.
fn functions() -> String {
    let table = cfengine_agent::TABLE;
    let there = table.iter().filter(|function| function.is_supported());
    let mut text = format!(
        "# Functions of the reference agent\n\nGenerated from `harness/cfengine/agent/src/functions/table.rs`. \
         The agent has {1} of the {0} functions of cf-agent 3.21.0. It refuses a policy that calls \
         another one, and names the place: before the run, or, in a promise with a guard, once the \
         function is called.\n\n| function | returns | supported |\n|---|---|---|\n",
        table.len(),
        there.count()
    );
    for function in table {
        let there = if function.is_supported() {
            "yes"
        } else {
            "refused"
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {there} |",
            function.name,
            function.kind.word()
        );
    }
    text
}

/// The page about `stickler.toml`, with the keys of all dialects.
fn stickler_toml(root: &Path) -> Result<String> {
    let page = std::fs::read_to_string(root.join("docs/stickler-toml.md"))?;
    Ok(config::reference(&page, &stickler_dialects::words()))
}

/// The help of all commands.
fn command_line(root: &Path) -> Result<String> {
    // Cargo would build it again, with other features of its dependencies.
    let stickler = std::env::current_exe()?.with_file_name("stickler");
    if !stickler.exists() {
        bail!("{} is missing: {BUILD}", stickler.display());
    }
    let help = |arguments: &[&str]| -> Result<String> {
        let output = Command::new(&stickler)
            .args(arguments)
            .arg("--help")
            .current_dir(root)
            .env("COLUMNS", "100")
            .output()
            .context("running stickler")?;
        if !output.status.success() {
            bail!(
                "stickler {} --help failed: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(String::from_utf8(output.stdout)?)
    };
    let main = help(&[])?;
    let mut text =
        format!("# The command line\n\nGenerated from `--help`.\n\n```text\n{main}```\n");
    let mut left: Vec<String> = commands(&main).rev().map(str::to_owned).collect();
    while let Some(command) = left.pop() {
        let words: Vec<&str> = command.split(' ').collect();
        let shown = help(&words)?;
        let _ = write!(text, "\n## stickler {command}\n\n```text\n{shown}```\n");
        let inner = commands(&shown).rev();
        left.extend(inner.map(|inner| format!("{command} {inner}")));
    }
    Ok(text)
}

/// The commands that a help text lists.
fn commands(help: &str) -> impl DoubleEndedIterator<Item = &str> {
    let lines = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .map_while(|line| line.strip_prefix("  "));
    let names: Vec<&str> = lines
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        // It shows the same texts.
        .filter(|name| *name != "help")
        .collect();
    names.into_iter()
}
