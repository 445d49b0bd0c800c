//! Values that try a subject: hard text, other types, baits.

use stickler_transcript::{Provenance, Value, Variation};

/// A text to append to a value.
pub struct Hard {
    /// Kind of the variant: `text`, `control`, `odd`, `surrogate`.
    pub kind: Variation,
    /// Name of the variant.
    pub name: &'static str,
    /// Stands before the value.
    pub before: &'static [u8],
    /// Stands behind it.
    pub after: &'static [u8],
    /// Who can send it in a JSON request.
    pub provenance: Provenance,
    /// It cannot stand in the line protocol.
    pub json_only: bool,
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

/// Text that promises may carry and careless code mangles.
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
    // As base64 ends.
    hard(Variation::Text, "padding", b"", b"="),
    hard(
        Variation::Text,
        "unicode",
        "ä日𝔘 ".as_bytes(),
        " e\u{301} 😀 \u{a0}ﬁ ß".as_bytes(),
    ),
    // Two bytes each: to cut at any byte is to cut through one, here or there.
    hard(Variation::Text, "umlauts", b"", UMLAUTS.as_bytes()),
    hard(
        Variation::Text,
        "umlauts at an odd offset",
        b"",
        ODD_UMLAUTS.as_bytes(),
    ),
    // A pattern that tries all ways to part a long run takes for ever.
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
    // Printed by no terminal, and by `%q` of Go as no JSON.
    hard(
        Variation::Text,
        "tags",
        b"",
        "a\u{e0001}b\u{200b}c".as_bytes(),
    ),
    json("newlines", b"a\nb\n\nc"),
    // What keeps lines ends each one itself: advice alone.
    Hard {
        provenance: Provenance::Beyond,
        ..json("a trailing newline", b"\n")
    },
    // To what reads files as text these are line ends like others: advice alone.
    Hard {
        provenance: Provenance::Beyond,
        ..json("Windows line ends", b"a\r\nb\r\nc")
    },
    json("tabs", b"a\tb\tc"),
    hard(Variation::Control, "control", b"", b"a\x01b\x1b[31mc\x7f"),
    // Not at the end: bash takes the line end for the rest of a character.
    hard(
        Variation::Control,
        "invalid-utf8",
        b"",
        b"a\xffb\xc3\x28\xe2\x82d",
    ),
    hard(Variation::Odd, "edges", b"  ", b"  "),
];

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

/// A text that shows when it is run instead of carried.
pub struct Bait {
    /// What would run it.
    pub name: &'static str,
    /// Stands before the value.
    pub before: &'static str,
    /// Stands behind it; `CANARY` is the command that leaves a trace, `NAME` and `NUMBER`
    /// are its words, `SIGN` is the trace.
    pub after: &'static str,
    /// The value itself is left out.
    pub whole: bool,
    /// Text that appears when it is computed; else the command leaves a file.
    pub computed: Option<&'static str>,
    /// Who can send it.
    pub provenance: Provenance,
    /// It holds a line end.
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

/// What injected text looks like in the languages that modules are written in.
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
    // Where the first quote alone is escaped.
    bait("second single quote", "", "'';CANARY;'"),
    bait("second double quote", "", "\"\";CANARY;\""),
    Bait {
        json_only: true,
        ..bait("shell newline", "", "\nCANARY\n")
    },
    whole("shell arithmetic", "x[`CANARY`]"),
    // Arithmetic is often done with the first word alone.
    whole("shell arithmetic without spaces", "x[`{NAME,NUMBER}`]"),
    whole("shell command", "CANARY"),
    whole("redirection", ">SIGN"),
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
    // Out of a quoted text, in Perl, Ruby and PHP.
    bait("call after single quotes", "", "';system(\"CANARY\");'"),
    bait("call after double quotes", "", "\";system('CANARY');\""),
    // Behind a value that is looked at, and then evaluated, with no quotes around it.
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
    // Only a formatted print makes the number whole.
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

/// Name of the command that leaves a trace.
pub const CANARY: &str = "stickler-canary";

/// A small generator of numbers, the same for the same seed everywhere
/// (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// `salt` parts the streams of one seed.
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
