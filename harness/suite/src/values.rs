//! Values that challenge a subject: hard text, other types, baits.

use stickler_transcript::{Provenance, Value, Variation};

/// A text to append to a value.
pub struct Hard {
    /// Kind of the variant: `text`, `control`, `odd`, `surrogate`.
    pub kind: Variation,
    /// Name of the variant.
    pub name: &'static str,
    /// Text to put before the value.
    pub before: &'static [u8],
    /// Text to put after it.
    pub after: &'static [u8],
    /// Who can send it in a JSON request.
    pub provenance: Provenance,
    /// The line protocol cannot carry it.
    pub json_only: bool,
}

impl Hard {
    /// Does it hold all signs of another one?
    pub(crate) fn holds(&self, other: &Hard) -> bool {
        let is_sign = |byte: &&u8| !byte.is_ascii_alphanumeric() && **byte != b' ';
        let signs = other.before.iter().chain(other.after).filter(is_sign);
        let mut signs = signs.map(|sign| {
            [self.before, self.after]
                .iter()
                .any(|part| part.contains(sign))
        });
        self.name != other.name && signs.all(|is_there| is_there)
    }
}

const fn hard(
    kind: Variation,
    name: &'static str,
    before: &'static [u8],
    after: &'static [u8],
) -> Hard {
    Hard {
        kind,
        name,
        before,
        after,
        provenance: Provenance::Agent,
        json_only: false,
    }
}

const fn json(name: &'static str, after: &'static [u8]) -> Hard {
    Hard {
        json_only: true,
        ..hard(Variation::Text, name, b"", after)
    }
}

const UMLAUTS: &str = concat!(
    "éééééééééééééééééééééééééééééééééééééééééééééééééé",
    "éééééééééééééééééééééééééééééééééééééééééééééééééé",
);
const ODD_UMLAUTS: &str = concat!(
    "x",
    "éééééééééééééééééééééééééééééééééééééééééééééééééé",
    "éééééééééééééééééééééééééééééééééééééééééééééééééé",
);

/// Text that items may contain and that careless code mangles.
pub const HARD: &[Hard] = &[
    hard(Variation::Text, "equals", b"k=v=", b" a==b c"),
    hard(Variation::Text, "backslashes", b"", b"\\n\\t\\\\ a\\x\\"),
    hard(Variation::Text, "dollars", b"$HOME ", b" $1 $$ $PATH"),
    hard(Variation::Text, "quotes", b"'a' \"b\" ", b" it's \"so\""),
    hard(Variation::Text, "percent", b"%s ", b" 100% %d %n %x%%"),
    hard(Variation::Text, "commas", b"a,", b",b, c;"),
    hard(Variation::Text, "runs of spaces", b"", b" a  b   c"),
    hard(Variation::Text, "stars", b"* ", b" ? [a-z] ~ {a,b} !x"),
    hard(Variation::Text, "dashes", b"-e --x ", b" -- -v"),
    hard(Variation::Text, "markup", b"<b>&amp; ", b" # // -- <x/>"),
    hard(Variation::Text, "braces", b"{0} ", b" {x} %(y)s {} }"),
    hard(Variation::Text, "openings", b"", b" {x [y (z \"w"),
    // A typical end of base64.
    hard(Variation::Text, "padding", b"", b"="),
    hard(
        Variation::Text,
        "unicode",
        "ä日𝔘 ".as_bytes(),
        " e\u{301} 😀 \u{a0}ﬁ ß".as_bytes(),
    ),
    // Each letter has two bytes: any cut at a byte position splits one, in one of the two variants.
    hard(Variation::Text, "umlauts", b"", UMLAUTS.as_bytes()),
    hard(
        Variation::Text,
        "umlauts at an odd offset",
        b"",
        ODD_UMLAUTS.as_bytes(),
    ),
    // A backtracking pattern that tries all splits of a long run takes forever.
    hard(
        Variation::Text,
        "repetitions",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
    ),
    hard(
        Variation::Text,
        "separators",
        b"",
        "a\u{2028}b\u{85}c".as_bytes(),
    ),
    // Characters that Go's `%q` escapes in a way that is not JSON.
    hard(
        Variation::Text,
        "tags",
        b"",
        "a\u{e0001}b\u{200b}c".as_bytes(),
    ),
    json("newlines", b"a\nb\n\nc"),
    // A module that keeps values as lines terminates each line itself: advice only.
    Hard {
        provenance: Provenance::Beyond,
        ..json("a trailing newline", b"\n")
    },
    // For code that reads files in text mode these are ordinary line ends: advice only.
    Hard {
        provenance: Provenance::Beyond,
        ..json("Windows line ends", b"a\r\nb\r\nc")
    },
    json("tabs", b"a\tb\tc"),
    hard(Variation::Control, "control", b"", b"a\x01b\x1b[31mc\x7f"),
    // Not at the end: bash would take the line end for the rest of a character.
    hard(
        Variation::Control,
        "invalid-utf8",
        b"",
        b"a\xffb\xc3\x28\xe2\x82d",
    ),
    hard(Variation::Odd, "edges", b"  ", b"  "),
];

/// Single signs of what [`HARD`] combines: a subject may refuse the combination and mangle one of its parts.
pub const SINGLE: &[Hard] = &[
    hard(Variation::Text, "a comma", b"", b",b"),
    hard(Variation::Text, "a semicolon", b"", b";b"),
    hard(Variation::Text, "a colon", b"", b":b"),
    hard(Variation::Text, "a pipe", b"", b"|b"),
    hard(Variation::Text, "a hash", b"", b" #b"),
    hard(Variation::Text, "a single quote", b"", b"'s"),
    hard(Variation::Text, "a double quote", b"", b" \"b"),
    hard(Variation::Text, "an escaped letter", b"", b"\\nb"),
    hard(Variation::Text, "a backslash at the end", b"", b"\\"),
    hard(Variation::Text, "a doubled percent sign", b"", b" 100%% b"),
    json("a newline", b"\nb"),
];

/// Values that programs and shells read otherwise than as text: as options, files, homes, patterns
/// and variables.
pub const OPERANDS: &[&str] = &[
    "-n", "--", "--help", "-rf", "@file", "~", "~root", "*", "?", "[a]", "$HOME",
];

/// Values that programs take for their standard input, which is the subject's own: there, its
/// requests arrive.
pub const OWN_INPUT: &[&str] = &["-", "/dev/stdin"];

/// What follows a `=` in the name of a file, and is found nowhere else.
pub const TAIL: &str = "stickler-tail";

/// Values of a type other than text.
pub fn mistyped(of: &[u8], json: bool) -> Vec<(Variation, Value, Provenance)> {
    if !json {
        return Vec::new();
    }
    let text = || Value::Text(of.to_vec());
    vec![
        (
            Variation::List,
            Value::List(vec![text(), text()]),
            Provenance::Agent,
        ),
        (
            Variation::Object,
            Value::Object(vec![
                (b"key".to_vec(), text()),
                (b"other".to_vec(), Value::List(vec![text()])),
            ]),
            Provenance::Agent,
        ),
        (
            Variation::Number,
            Value::Number("42".into()),
            Provenance::Beyond,
        ),
        (Variation::Bool, Value::Bool(true), Provenance::Beyond),
        (Variation::Null, Value::Null, Provenance::Beyond),
    ]
}

/// A text that leaves a trace if the subject runs it.
pub struct Bait {
    /// The interpreter that would run it.
    pub name: &'static str,
    /// Text before the value.
    pub before: &'static str,
    /// Text after it. `CANARY` is the command that leaves a trace, `NAME` and `NUMBER` are its
    /// words, `SIGN` is the trace.
    pub after: &'static str,
    /// Does the bait replace the value?
    pub whole: bool,
    /// The text that appears if the bait is computed; without it, the command leaves a file.
    pub computed: Option<&'static str>,
    /// Who can send it.
    pub provenance: Provenance,
    /// Does it contain a line end?
    pub json_only: bool,
}

const fn bait(name: &'static str, before: &'static str, after: &'static str) -> Bait {
    Bait {
        name,
        before,
        after,
        whole: false,
        computed: None,
        provenance: Provenance::Agent,
        json_only: false,
    }
}

const fn whole(name: &'static str, text: &'static str) -> Bait {
    Bait {
        whole: true,
        ..bait(name, "", text)
    }
}

const fn computed(name: &'static str, text: &'static str) -> Bait {
    Bait {
        computed: Some("1787569"),
        ..bait(name, "", text)
    }
}

/// What injections look like in the languages of modules.
pub const BAITS: &[Bait] = &[
    bait("shell backticks", "", "`CANARY`"),
    bait("shell semicolon", "", ";CANARY;"),
    bait("shell semicolon with comment", "", " ;CANARY #"),
    bait("shell and", "", " && CANARY && :"),
    bait("shell or", "", " || CANARY || :"),
    bait("shell pipe", "", " | CANARY | :"),
    bait("shell background", "", " & CANARY & :"),
    bait("single quotes", "", "';CANARY;'"),
    bait("double quotes", "", "\";CANARY;\""),
    bait("double quotes with comment", "", "\";CANARY #"),
    bait("single quotes with comment", "", "';CANARY #"),
    // For code that escapes only the first quote.
    bait("second single quote", "", "'';CANARY;'"),
    bait("second double quote", "", "\"\";CANARY;\""),
    Bait {
        json_only: true,
        ..bait("shell newline", "", "\nCANARY\n")
    },
    whole("shell arithmetic", "x[`CANARY`]"),
    // Code often computes with the first word only.
    whole("shell arithmetic without spaces", "x[`{NAME,NUMBER}`]"),
    whole("shell command", "CANARY"),
    whole("redirection", ">SIGN"),
    // `open` of Ruby and Perl starts such a program.
    whole("program to open", "|CANARY"),
    whole("python expression", "__import__('os').system('CANARY')"),
    whole("python list", "[__import__('os').system('CANARY')]"),
    bait(
        "python single quotes",
        "",
        "'+str(__import__('os').system('CANARY'))+'",
    ),
    bait(
        "python double quotes",
        "",
        "\"+str(__import__('os').system('CANARY'))+\"",
    ),
    whole("perl or ruby expression", "system('CANARY')"),
    // Leaves a quoted text in Perl, Ruby and PHP.
    bait("call after single quotes", "", "';system(\"CANARY\");'"),
    bait("call after double quotes", "", "\";system('CANARY');\""),
    // For code that checks a value and then evaluates it without quotes.
    bait("call after the value", "", ";system(\"CANARY\");"),
    bait(
        "python call after the value",
        "",
        ",__import__('os').system('CANARY')",
    ),
    bait("ruby interpolation", "", "#{system('CANARY')}"),
    bait("perl interpolation", "", "@{[system('CANARY')]}"),
    bait("php interpolation", "", "{${system('CANARY')}}"),
    bait("tcl command", "", "[exec CANARY]"),
    whole(
        "node expression",
        "require('child_process').execSync('CANARY')",
    ),
    whole(
        "node list",
        "[process.mainModule.require('child_process').execSync('CANARY')]",
    ),
    bait("pipe to read from", "", ";CANARY|"),
    bait("awk string", "", "\";system(\"CANARY\");\""),
    Bait {
        json_only: true,
        ..bait("sed execution", "", "/e;1e CANARY\n#")
    },
    Bait {
        provenance: Provenance::Beyond,
        ..bait("shell substitution", "", "$(CANARY)")
    },
    // Only formatted printing completes the number.
    computed("format string", "178%.0s7569"),
    Bait {
        computed: Some("153%!s(MISSING)2964"),
        ..bait("format string of Go", "", "153%s2964")
    },
    computed("double brace template", "{{1337*1337}}"),
    computed("erb template", "<%= 1337*1337 %>"),
    computed("ruby interpolation, computed", "#{1337*1337}"),
    computed("SQL expression after a quote", "'||(1337*1337)||'"),
    Bait {
        whole: true,
        ..computed("expression", "1337*1337")
    },
    Bait {
        provenance: Provenance::Beyond,
        ..computed("dollar template", "${1337*1337} $((1337*1337))")
    },
];

/// Names of attributes that careless code runs, computes or prints with: a shell that sets or
/// reads a variable of that name, a pattern, a format, an expression. No policy can hold such a
/// name, so agents never send one.
pub const NAMES: &[Bait] = &[
    whole("shell substitution", "x$(CANARY)"),
    whole("shell backticks", "x`CANARY`"),
    whole("shell semicolon", "x;CANARY;"),
    whole("shell semicolon with comment", "x;CANARY #"),
    // `${!name}`, `printf -v`, `declare`, `unset` and arithmetic compute an index.
    whole("shell index", "x[$(CANARY)]"),
    whole("shell index without spaces", "x[$({NAME,NUMBER})]"),
    whole("single quotes", "x';CANARY;'"),
    whole("double quotes", "x\";CANARY;\""),
    whole("python expression", "__import__('os').system('CANARY')"),
    whole(
        "python single quotes",
        "x'+str(__import__('os').system('CANARY'))+'",
    ),
    whole("perl or ruby expression", "system('CANARY')"),
    whole("ruby interpolation", "x#{system('CANARY')}"),
    whole("perl interpolation", "x@{[system('CANARY')]}"),
    whole("tcl command", "x[exec CANARY]"),
    Bait {
        whole: true,
        ..computed("format string", "178%.0s7569")
    },
    Bait {
        whole: true,
        ..computed("double brace template", "x{{1337*1337}}")
    },
];

/// Names that match others when they are used as a pattern, or lead elsewhere as a file's name.
pub const PATTERNS: &[&str] = &[".*", "*", "(", "[a", "../stickler", "-e"];

/// The name of the command that leaves a trace.
pub const CANARY: &str = "stickler-canary";

/// A small random number generator (SplitMix64). The same seed gives the same numbers on every
/// machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// `salt` separates the streams of one seed.
    pub fn new(seed: u64, salt: &str) -> Self {
        Dice(
            salt.bytes()
                .fold(seed ^ 0x9e37_79b9_7f4a_7c15, |state, byte| {
                    (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                }),
        )
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A name that nobody uses.
    pub fn name(&mut self, letters: usize) -> String {
        (0..letters)
            .map(|_| char::from(b'a' + u8::try_from(self.roll() % 26).unwrap_or(0)))
            .collect()
    }
}
