//! Makes manifests from a seed.

use puppet_types::Dice;
use std::fmt::Write as _;

pub struct Writer<'d> {
    dice: &'d mut Dice,
    out: String,
    variables: Vec<String>,
    titles: Vec<(&'static str, String)>,
    count: usize,
}

const KINDS: [&str; 3] = ["pka", "pkb", "package_key"];
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "ensure"];
const TEXTS: &[&str] = &[
    "'plain'",
    "'it\\'s'",
    "'a\\\\b\\n'",
    "''",
    "\"tab\\t\\\"q\\\" \\$x\"",
    "\"é\\u00e9\\u{1F600}\"",
    "bare",
    "php-yum",
    "a::b",
    "'two words'",
    "\"line\\\nbreak\"",
    "'$x'",
    "\"$ 5\"",
    "'Ünï'",
    "\"\\s\\r\\n\\q\"",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "42",
    "-7",
    "0x1F",
    "0755",
    "1.5",
    "-0.25",
    "1e3",
    "2.5e-3",
    "123456789012",
];

fn capital(kind: &str) -> String {
    kind[..1].to_uppercase() + &kind[1..]
}

impl Writer<'_> {
    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        self.dice.pick(all).copied().expect("a choice")
    }

    fn blank(&mut self) -> &'static str {
        self.pick(&[
            " ",
            " ",
            " ",
            "\n",
            "\n  ",
            "  ",
            " # a comment\n",
            " /* a */ ",
            "\t",
        ])
    }

    fn value(&mut self, depth: usize) -> String {
        let most = if depth == 0 { 8 } else { 19 };
        match self.dice.below(most) {
            0..=2 => self.pick(TEXTS).to_owned(),
            3 | 4 => self.pick(NUMBERS).to_owned(),
            5 => self
                .pick(&["true", "false", "undef", "default", "present"])
                .to_owned(),
            6 => self.pick(&["/a.b/", "/x\\/y/", "/^\\d+$/"]).to_owned(),
            7 => self.variable(),
            8 | 9 => {
                let count = self.dice.below(4);
                let items: Vec<String> = (0..count).map(|_| self.value(depth - 1)).collect();
                let trailing = if count > 0 && self.dice.one_in(4) {
                    ","
                } else {
                    ""
                };
                format!("[{}{trailing}]", items.join(", "))
            }
            10 | 11 => {
                let count = self.dice.below(4);
                let pairs: Vec<String> = (0..count)
                    .map(|_| {
                        let key = self.pick(&["'k'", "a", "1", "\"x y\"", "true", "'q'"]);
                        format!("{key} => {}", self.value(depth - 1))
                    })
                    .collect();
                format!("{{ {} }}", pairs.join(", "))
            }
            12 => format!("Sensitive({})", self.value(depth - 1)),
            13 => self.interpolated(depth - 1),
            14 => {
                if self.dice.one_in(4) {
                    let sign = self.pick(&["<<", ">>"]);
                    return format!(
                        "{} {sign} {}",
                        self.pick(NUMBERS),
                        self.pick(&["2", "-3", "70"])
                    );
                }
                let sign = self.pick(&["+", "-", "*", "/", "%", "+", "-"]);
                format!("{} {sign} {}", self.pick(NUMBERS), self.pick(NUMBERS))
            }
            15 => {
                let rare = self.dice.one_in(12);
                let common = ["==", "!=", "in", "==", "and", "or"];
                let sign = self.pick(if rare {
                    &["<", ">=", "=~", "+"]
                } else {
                    &common
                });
                format!(
                    "({} {sign} {})",
                    self.value(depth - 1),
                    self.value(depth - 1)
                )
            }
            16 => format!(
                "{} ? {{ {} => {}, default => {} }}",
                self.value(depth - 1),
                self.value(depth - 1),
                self.value(depth - 1),
                self.value(depth - 1)
            ),
            17 => format!("!{}", self.value(depth - 1)),
            _ => {
                let list = self.pick(&["[1, [2, 'x']]", "{ 'k' => [1], 1 => 'one' }", "'text'"]);
                let rare = self.dice.one_in(12);
                let key = self.pick(if rare {
                    &["['k']", "[1.5]"]
                } else {
                    &["[0]", "[-1]", "[1]", "[0, 2]"]
                });
                format!("{list}{key}")
            }
        }
    }

    fn variable(&mut self) -> String {
        match self.dice.pick(&self.variables) {
            Some(name) => format!("${name}"),
            None => "'no variable'".to_owned(),
        }
    }

    fn interpolated(&mut self, depth: usize) -> String {
        let mut text = "\"x ".to_owned();
        for _ in 0..=self.dice.below(2) {
            match self.dice.below(4) {
                0 => text += &self.variable(),
                1 => {
                    let name = self.variable();
                    let _ = write!(text, "${{{}}}", name.trim_start_matches('$'));
                }
                2 if self.dice.one_in(8) => {
                    let name = self.variable();
                    let _ = write!(text, "${{{}[0]}}", name.trim_start_matches('$'));
                }
                _ => {
                    let value = self.value(depth.min(1));
                    let _ = write!(text, "${{ {value} }}");
                }
            }
            text += self.pick(&[" ", "-", "\\t", "$ ", "é"]);
        }
        text + "\""
    }

    fn title(&mut self, kind: &'static str) -> String {
        self.count += 1;
        let number = if self.dice.one_in(25) {
            self.count - 1
        } else {
            self.count
        };
        let text = match self.dice.below(6) {
            0 => format!("two words {number}"),
            1 => format!("A::B{number}"),
            2 => format!("ü{number}"),
            _ => format!("t{number}"),
        };
        self.titles.push((kind, text.clone()));
        text
    }

    fn reference(&mut self) -> String {
        if self.dice.one_in(150) {
            return "Pka['nowhere']".to_owned();
        }
        if self.titles.is_empty() {
            let title = self.title("pka");
            self.out += &format!("pka {{ '{title}': }}\n");
        }
        let at = self.dice.below(self.titles.len());
        let (kind, title) = self.titles[at].clone();
        format!("{}['{title}']", capital(kind))
    }

    fn references(&mut self) -> String {
        match self.dice.below(4) {
            0 => format!("[{}, {}]", self.reference(), self.reference()),
            1 => format!("[{}, [{}]]", self.reference(), self.reference()),
            2 => {
                let own = self.reference();
                format!("\"{}\"", own.replace('\'', ""))
            }
            _ => self.reference(),
        }
    }

    fn attributes(&mut self) -> String {
        let mut text = String::new();
        let mut used = Vec::new();
        for _ in 0..self.dice.below(5) {
            let name = self.pick(&NAMES);
            if used.contains(&name) && !self.dice.one_in(60) {
                continue;
            }
            used.push(name);
            let value = match name {
                "ensure" => "present".to_owned(),
                _ => self.value(2),
            };
            let blank = self.blank();
            let _ = write!(text, "{blank}{name} => {value},");
        }
        let more = match self.dice.below(12) {
            0 => format!(
                " tag => {},",
                self.pick(&["'t'", "['x', 'Y::Z']", "'u'", "undef", "['a b']"])
            ),
            1 => format!(
                " noop => {},",
                self.pick(&["true", "false", "'true'", "true", "undef", "false", "yes"])
            ),
            2 => format!(
                " loglevel => {},",
                self.pick(&["debug", "'err'", "verbose", "info", "crit", "loud"])
            ),
            3 => {
                self.count += 1;
                let text = format!(" alias => 'alias{}',", self.count);
                text
            }
            4 | 5 => {
                let name = self.pick(&["require", "before", "notify", "subscribe"]);
                format!(" {name} => {},", self.references())
            }
            6 => {
                let value = self.value(1);
                format!(" * => {{ 'e' => {value} }},")
            }
            _ => String::new(),
        };
        text += &more;
        if self.dice.one_in(3) {
            text = text.trim_end_matches(',').to_owned();
        }
        text
    }

    fn resource(&mut self) -> String {
        let kind = *self.dice.pick(&KINDS).expect("a type");
        let mut bodies = Vec::new();
        if self.dice.one_in(6) {
            bodies.push(format!("default:{}", self.attributes()));
        }
        for _ in 0..=self.dice.below(2) {
            let title = if self.dice.one_in(4) {
                format!("['{}', '{}']", self.title(kind), self.title(kind))
            } else {
                format!("'{}'", self.title(kind))
            };
            bodies.push(format!("{title}:{}", self.attributes()));
        }
        let end = if self.dice.one_in(5) { ";" } else { "" };
        format!("{kind} {{{}{}{end} }}", self.blank(), bodies.join("; "))
    }

    fn operand(&mut self) -> String {
        match self.dice.below(4) {
            0 => self.resource(),
            1 => format!("[{}, {}]", self.reference(), self.reference()),
            _ => self.reference(),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 14 } else { 17 }) {
            0..=4 => self.resource(),
            5..=7 => {
                let value = self.value(2);
                let name = format!("v{}", self.variables.len());
                let text = format!("${name} = {value}");
                self.variables.push(name);
                text
            }
            8 => {
                let kind = *self.dice.pick(&KINDS).expect("a type");
                format!("{} {{{} }}", capital(kind), self.attributes())
            }
            9 if self.dice.one_in(2) => {
                let own = self.reference();
                format!("{own} {{ {} => {} }}", self.pick(&NAMES), self.value(1))
            }
            9..=13 => {
                let mut text = self.operand();
                for _ in 0..=self.dice.below(2) {
                    let sign = self.pick(&["->", "~>", "<-", "<~"]);
                    let _ = write!(text, " {sign} {}", self.operand());
                }
                text
            }
            14 | 15 => {
                let word = self.pick(&["if", "unless"]);
                format!(
                    "{word} {} {{ {} }} else {{ {} }}",
                    self.value(1),
                    self.statement(depth - 1),
                    self.statement(depth - 1)
                )
            }
            _ => format!(
                "case {} {{ {}, {}: {{ {} }} default: {{ {} }} }}",
                self.value(1),
                self.value(1),
                self.value(1),
                self.statement(depth - 1),
                self.statement(depth - 1)
            ),
        }
    }
}

/// A manifest that is mostly sound.
pub fn manifest(dice: &mut Dice) -> String {
    let mut writer = Writer {
        dice,
        out: String::new(),
        variables: Vec::new(),
        titles: Vec::new(),
        count: 0,
    };
    for _ in 0..=writer.dice.below(5) {
        let statement = writer.statement(1);
        let blank = if writer.dice.one_in(8) { " " } else { "\n" };
        writer.out += &statement;
        writer.out += blank;
    }
    writer.out
}

/// A manifest with a slip of the pen.
pub fn damaged(dice: &mut Dice) -> String {
    let mut text: Vec<char> = manifest(dice).chars().collect();
    const SLIPS: &[char] = &[
        '{', '}', '[', ']', '(', ')', ',', ';', ':', '\'', '"', '$', '@', '>', '=', '-', '~', '+',
        '*', '/', '|', '\\', '.', ' ', '\n', '#', '1', 'a', 'A', 'é', '?', '!', '<', '&',
    ];
    for _ in 0..=dice.below(2) {
        let at = dice.below(text.len());
        match dice.below(3) {
            0 => {
                text.remove(at);
            }
            1 => text.insert(at, *dice.pick(SLIPS).expect("a slip")),
            _ => text[at] = *dice.pick(SLIPS).expect("a slip"),
        }
    }
    text.into_iter().collect()
}
