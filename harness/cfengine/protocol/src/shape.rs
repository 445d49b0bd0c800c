//! The shape of a path that each process chooses anew, such as `stage.4711.x6MSzM`: what the names of two
//! runs have in common, and where they differ.

/// The shape of two paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Vec<Vec<Piece>>);

/// A part of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// The same in both names.
    Fixed(Vec<u8>),
    /// A number in both, such as a process number or a part of a date.
    Number,
    /// Random letters and digits.
    Random {
        /// The shortest that it may be.
        least: usize,
        /// The longest that it may be.
        most: usize,
        /// Do both have digits, or letters in both cases, as few ordinary words do?
        mixed: bool,
    },
}

/// Characters that random words consist of. `_` may also separate words.
const ALPHABETS: [fn(u8) -> bool; 2] = [
    |byte| byte.is_ascii_alphanumeric(),
    |byte| byte.is_ascii_alphanumeric() || byte == b'_',
];

/// So many letters without a digit are a random word, and not part of an ordinary name.
const LONG: usize = 6;

impl Shape {
    /// The shape of two different paths. `None` if they have nothing in common, or differ in more than
    /// numbers and random words.
    pub fn of(one: &[u8], other: &[u8]) -> Option<Shape> {
        let components = |path| <[u8]>::split(path, |byte| *byte == b'/');
        if one == other || components(one).count() != components(other).count() {
            return None;
        }
        let pieces = components(one).zip(components(other));
        let pieces = pieces.map(|(one, other)| {
            let mut alphabets = ALPHABETS.iter();
            alphabets.find_map(|alphabet| of_names(one, other, *alphabet))
        });
        pieces.collect::<Option<Vec<_>>>().map(Shape)
    }

    /// Do the two paths look random even if nobody knows that they name the same?
    pub(crate) fn is_certain(&self) -> bool {
        let mut pieces = self.0.iter().flatten();
        !pieces.any(|piece| matches!(piece, Piece::Random { mixed: false, .. }))
    }

    /// Does the path, or a directory above it, have this shape?
    pub fn covers(&self, path: &[u8]) -> bool {
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        names.len() >= self.0.len()
            && self
                .0
                .iter()
                .zip(names)
                .all(|(pieces, name)| matches(pieces, name))
    }
}

fn of_names(one: &[u8], other: &[u8], alphabet: fn(u8) -> bool) -> Option<Vec<Piece>> {
    if one == other {
        return Some(vec![Piece::Fixed(one.to_vec())]);
    }
    let words = |name| <[u8]>::chunk_by(name, |a, b| alphabet(*a) == alphabet(*b));
    if words(one).count() != words(other).count() {
        return None;
    }
    let mut pieces = Vec::new();
    for (one, other) in words(one).zip(words(other)) {
        if one == other && one.iter().all(u8::is_ascii_digit) {
            // In a sandbox, the first process has the same number in each run.
            pieces.push(Piece::Number);
        } else if one == other {
            pieces.push(Piece::Fixed(one.to_vec()));
        } else if !alphabet(one[0]) || !alphabet(other[0]) {
            return None;
        } else {
            pieces.extend(of_words(one, other)?);
        }
    }
    Some(pieces)
}

/// Two words that differ only in their numbers, or that are random after a common beginning.
fn of_words(one: &[u8], other: &[u8]) -> Option<Vec<Piece>> {
    let runs = |word| <[u8]>::chunk_by(word, |a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let same = |one: &[u8], other: &[u8]| one[0].is_ascii_digit() && other[0].is_ascii_digit();
    let mut pairs = runs(one).zip(runs(other));
    if runs(one).count() == runs(other).count()
        && pairs.all(|(one, other)| one == other || same(one, other))
    {
        let pieces = runs(one).zip(runs(other)).map(|(one, other)| {
            if same(one, other) {
                Piece::Number
            } else {
                Piece::Fixed(one.to_vec())
            }
        });
        return Some(pieces.collect());
    }
    let known: fn(&(&u8, &u8)) -> bool = |(one, other)| one == other && one.is_ascii_lowercase();
    let start = one.iter().zip(other).take_while(known).count();
    let rests = [&one[start..], &other[start..]];
    let mixed = rests.iter().all(|rest| rest.iter().any(u8::is_ascii_digit));
    let long = rests.iter().all(|rest| rest.len() >= LONG);
    // Random words may begin alike by coincidence.
    let (start, rests) = match (mixed || long, start < 3) {
        (true, false) => (start, rests),
        _ => (0, [one, other]),
    };
    let is_random = |word: &&[u8]| word.len() >= LONG || word.iter().any(u8::is_ascii_digit);
    if !rests.iter().all(is_random) {
        return None;
    }
    let (least, most) = (
        rests[0].len().min(rests[1].len()),
        rests[0].len().max(rests[1].len()),
    );
    // Numbers in another base have no fixed length.
    let slack = most - least;
    let mut pieces = Vec::new();
    if start > 0 {
        pieces.push(Piece::Fixed(one[..start].to_vec()));
    }
    let classes: [fn(&u8) -> bool; 3] = [
        u8::is_ascii_digit,
        u8::is_ascii_uppercase,
        u8::is_ascii_lowercase,
    ];
    let is_mixed = |word: &&[u8]| {
        let found = classes.iter().filter(|class| word.iter().any(class));
        word.len() >= LONG && found.count() > 1
    };
    pieces.push(Piece::Random {
        least: least.saturating_sub(slack).max(1),
        most: most + slack,
        mixed: rests.iter().all(is_mixed),
    });
    Some(pieces)
}

/// Is a name made of these pieces?
fn matches(pieces: &[Piece], name: &[u8]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return name.is_empty();
    };
    let run = |alphabet: fn(u8) -> bool| name.iter().take_while(|byte| alphabet(**byte)).count();
    let lengths = match first {
        Piece::Fixed(text) => {
            return name
                .strip_prefix(&text[..])
                .is_some_and(|name| matches(rest, name));
        }
        Piece::Number => 1..=run(|byte| byte.is_ascii_digit()),
        Piece::Random { least, most, .. } => *least..=run(ALPHABETS[1]).min(*most),
    };
    let mut lengths = lengths.rev();
    lengths.any(|length| matches(rest, &name[length..]))
}
