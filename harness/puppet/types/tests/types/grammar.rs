//! Makes type expressions up.

use puppet_types::Dice;

const PATTERNS: &[&str] = &[
    "a",
    "^a",
    "a$",
    r"\Aa\z",
    r"\Aa\Z",
    "^$",
    r"\A\d+\z",
    r"\A\w+\Z",
    r"\A[[:alpha:]]+\z",
    r"\A\p{Alpha}+\z",
    "(?i)abc",
    "a(?i)b|c",
    "(?<x>a)b",
    r"\A(?!absent)",
    r"(?<=a)b",
    "a++b",
    r"\h{2,4}",
    r"\A(0x)?[0-9a-fA-F]{8}\Z",
    r"^\s",
    r"[^\n]\z",
    ".",
    "(?m).",
    "a|^b|c$",
    r"\A[-\w.]+(:\d+)?\z",
    "[a-c&&[^b]]",
    r"\bé",
    r"x{2}+",
    "^/",
    r"\A\/",
    "(a)\\1",
    r"\S+\Z",
    r"[\[\]]",
    "(?x) a b # c",
    r"[[:punct:]]",
    r"[[:space:]]",
    r"\A[^[:upper:]]*\z",
    "(?>a+)b",
    "^*",
    "()",
    "a{,2}b",
    "[]a]",
    "\\A\\u00e9",
    r"\R\z",
    "\\A(?:(?i:A)b)+\\z",
];

const WORDS: &[&str] = &[
    "a",
    "b",
    "present",
    "absent",
    "'A b'",
    "'5'",
    "\"x\\ty\"",
    "true_",
    "a-b",
];

/// A type expression, mostly a valid one.
pub fn expression(dice: &mut Dice, depth: usize) -> String {
    let simple = [
        "Any",
        "Undef",
        "Default",
        "Scalar",
        "ScalarData",
        "Data",
        "RichData",
        "Numeric",
        "Integer",
        "Float",
        "Boolean",
        "String",
        "Enum",
        "Pattern",
        "Regexp",
        "Array",
        "Hash",
        "Struct",
        "Tuple",
        "Collection",
        "Iterable",
        "Variant",
        "Optional",
        "NotUndef",
        "Sensitive",
        "Type",
        "Binary",
        "Timestamp",
        "Timespan",
        "SemVer",
        "SemVerRange",
        "URI",
        "Runtime",
        "Unknown",
        "Stdlib::Absolutepath",
        "CatalogEntry",
        "String[1]",
        "Boolean[true]",
        "Callable",
    ];
    if depth == 0 || dice.one_in(5) {
        return (*dice.pick(&simple).expect("a type")).to_owned();
    }
    let inner = |dice: &mut Dice| expression(dice, depth - 1);
    match dice.below(18) {
        0 => format!(
            "Integer[{}]",
            range(
                dice,
                &["-5", "0", "1", "7", "0x10", "99999999999999999999", "-2"]
            )
        ),
        1 => format!("Float[{}]", range(dice, &["-1.5", "0", "0.25", "1e3", "2"])),
        2 | 3 => format!("String[{}]", range(dice, &["0", "1", "2", "3", "8"])),
        4 | 5 => {
            let mut words = list(dice, |dice| (*dice.pick(WORDS).expect("a word")).to_owned());
            if dice.one_in(6) {
                words.push_str(", true");
            }
            format!("Enum[{words}]")
        }
        6 | 7 => {
            let patterns = list(dice, |dice| {
                let source = dice.pick(PATTERNS).expect("a pattern");
                format!("/{}/", source.replace('/', "\\/").replace("\\\\/", "\\/"))
            });
            format!("Pattern[{patterns}]")
        }
        8 => {
            let element = inner(dice);
            match dice.below(3) {
                0 => format!("Array[{element}, {}]", range(dice, &["0", "1", "2"])),
                1 => format!("Array[{}]", range(dice, &["1", "2", "0"])),
                _ => format!("Array[{element}]"),
            }
        }
        9 => {
            let (key, value) = (inner(dice), inner(dice));
            let key = if dice.one_in(2) {
                "String".to_owned()
            } else {
                key
            };
            if dice.one_in(3) {
                format!("Hash[{key}, {value}, {}]", range(dice, &["0", "1", "2"]))
            } else {
                format!("Hash[{key}, {value}]")
            }
        }
        10 => {
            let pairs = list(dice, |dice| {
                let key = *dice.pick(WORDS).expect("a word");
                let value = expression(dice, depth - 1);
                match dice.below(4) {
                    0 => format!("Optional[{key}] => {value}"),
                    1 => format!("NotUndef[{key}] => {value}"),
                    _ => format!("{key} => {value}"),
                }
            });
            format!("Struct[{{{pairs}}}]")
        }
        11 => {
            let mut types = list(dice, |dice| expression(dice, depth - 1));
            if dice.one_in(2) {
                types.push_str(", ");
                types.push_str(&range(dice, &["0", "1", "2", "3"]));
            }
            format!("Tuple[{types}]")
        }
        12 | 13 => format!(
            "Variant[{}]",
            list(dice, |dice| expression(dice, depth - 1))
        ),
        14 => format!("Optional[{}]", inner(dice)),
        15 => format!("NotUndef[{}]", inner(dice)),
        16 => format!("Sensitive[{}]", inner(dice)),
        _ => {
            let name = ["Type", "Iterable", "Collection", "Optional"];
            match *dice.pick(&name).expect("a name") {
                "Collection" => format!("Collection[{}]", range(dice, &["0", "1", "2"])),
                "Optional" => format!("Optional[{}]", dice.pick(WORDS).expect("a word")),
                name => format!("{name}[{}]", inner(dice)),
            }
        }
    }
}

fn list(dice: &mut Dice, mut one: impl FnMut(&mut Dice) -> String) -> String {
    let count = 1 + dice.below(3);
    let all: Vec<String> = (0..count).map(|_| one(dice)).collect();
    all.join(", ")
}

fn range(dice: &mut Dice, numbers: &[&str]) -> String {
    let one = |dice: &mut Dice| *dice.pick(numbers).expect("a number");
    match dice.below(5) {
        0 => one(dice).to_owned(),
        1 => format!("default, {}", one(dice)),
        2 => format!("{}, default", one(dice)),
        _ => format!("{}, {}", one(dice), one(dice)),
    }
}
