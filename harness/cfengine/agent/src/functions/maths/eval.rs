//! Infix expressions, as cf-agent reads them. `^ * / %` share one precedence and associate to the
//! left; so do `+ -` and the comparisons. Text after the longest expression is ignored.

/// How deep brackets may be nested.
const DEEPEST: usize = 1000;
/// How many bytes of an expression are read.
const LONGEST: usize = 1023;
/// Numbers that differ by less than this are equal.
const CLOSE: f64 = 1e-17;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Broken {
    /// The text does not start with an expression.
    Syntax,
    /// A remainder by zero.
    Remainder,
}

/// The value of an expression. Comparisons give 1 or 0; an empty text gives 0.
///
/// # Errors
/// See [`Broken`].
pub(super) fn evaluate(text: &str) -> Result<f64, Broken> {
    if text.is_empty() {
        return Ok(0.0);
    }
    let bytes = text.as_bytes();
    let mut parser = Parser {
        rest: &bytes[..bytes.len().min(LONGEST)],
        function: "",
        depth: 0,
        crashes: false,
    };
    parser.blanks();
    match parser.sum() {
        Some(_) if parser.crashes => Err(Broken::Remainder),
        Some(value) => Ok(value),
        None => Err(Broken::Syntax),
    }
}

/// Whether a number counts as zero.
pub(super) fn is_zero(number: f64) -> bool {
    number.abs() < CLOSE
}

type Operator = (&'static str, fn(f64, f64) -> f64);

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

const SUMS: [Operator; 7] = [
    ("+", |l, r| l + r),
    ("-", |l, r| l - r),
    ("==", |l, r| truth(is_zero(l - r))),
    ("<=", |l, r| truth(l < r || is_zero(l - r))),
    ("<", |l, r| truth(l < r)),
    (">=", |l, r| truth(l > r || is_zero(l - r))),
    (">", |l, r| truth(l > r)),
];

const PRODUCTS: [Operator; 5] = [
    ("^", f64::powf),
    ("**", f64::powf),
    ("*", |l, r| l * r),
    ("/", |l, r| l / r),
    ("%", |l, r| long(l).wrapping_rem(long(r)) as f64),
];

/// The first entry that is a prefix of the text wins. So `e` only hides names that begin with it,
/// and `pi` hides `pi_2`.
const CONSTANTS: [(&str, f64); 8] = [
    ("e", std::f64::consts::E),
    ("log2e", std::f64::consts::LOG2_E),
    ("log10e", std::f64::consts::LOG10_E),
    ("ln2", std::f64::consts::LN_2),
    ("ln10", std::f64::consts::LN_10),
    ("pi", std::f64::consts::PI),
    ("sqrt2", std::f64::consts::SQRT_2),
    ("sqrt1_2", std::f64::consts::FRAC_1_SQRT_2),
];

/// A name and its implementation.
type Function = (&'static str, fn(f64) -> f64);

const FUNCTIONS: [Function; 14] = [
    ("ceil", f64::ceil),
    ("floor", f64::floor),
    ("log10", f64::log10),
    ("log2", f64::log2),
    ("log", f64::ln),
    ("sqrt", f64::sqrt),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("abs", f64::abs),
    ("step", |x| if x < 0.0 { 0.0 } else { 1.0 }),
];

/// Converts a number to an integer as C does on x86.
fn long(number: f64) -> i64 {
    let fits = (-9.3e18..9.22e18).contains(&number);
    if fits { number as i64 } else { i64::MIN }
}

struct Parser<'a> {
    rest: &'a [u8],
    /// The name of the function that was read last. A call in a function's argument overwrites it,
    /// and cf-agent then applies the inner function twice.
    function: &'static str,
    depth: usize,
    crashes: bool,
}

impl Parser<'_> {
    fn blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn word(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn token(&mut self, token: &str) -> bool {
        let is = self.word(token);
        if is {
            self.blanks();
        }
        is
    }

    /// Runs `read`; restores the input if it fails.
    fn whole(&mut self, read: impl FnOnce(&mut Self) -> Option<f64>) -> Option<f64> {
        let before = (self.rest, self.function, self.crashes);
        let value = read(self);
        if value.is_none() {
            (self.rest, self.function, self.crashes) = before;
        }
        value
    }

    fn chain(
        &mut self,
        operators: &[Operator],
        operand: fn(&mut Self) -> Option<f64>,
    ) -> Option<f64> {
        let mut left = operand(self)?;
        loop {
            let next = operators.iter().find_map(|(token, apply)| {
                let right = self.whole(|own| {
                    let is = own.token(token);
                    if is { operand(own) } else { None }
                })?;
                self.crashes |= *token == "%" && (right.abs() < 1.0 || right.is_nan());
                Some(apply(left, if self.crashes { 1.0 } else { right }))
            });
            match next {
                Some(value) => left = value,
                None => return Some(left),
            }
        }
    }

    fn sum(&mut self) -> Option<f64> {
        self.chain(&SUMS, Self::product)
    }

    fn product(&mut self) -> Option<f64> {
        self.chain(&PRODUCTS, Self::value)
    }

    fn value(&mut self) -> Option<f64> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = self
            .number()
            .or_else(|| self.constant())
            .or_else(|| self.whole(Self::call))
            .or_else(|| self.whole(Self::bracket));
        self.depth -= 1;
        value
    }

    fn bracket(&mut self) -> Option<f64> {
        let value = if self.token("(") {
            self.sum()?
        } else {
            return None;
        };
        self.token(")").then_some(value)
    }

    fn constant(&mut self) -> Option<f64> {
        let found = CONSTANTS.iter().find(|(name, _)| self.word(name))?;
        Some(found.1)
    }

    fn call(&mut self) -> Option<f64> {
        let (name, _) = FUNCTIONS.iter().find(|(name, _)| self.word(name))?;
        self.function = name;
        let argument = if self.token("(") {
            self.value()?
        } else {
            return None;
        };
        if !self.token(")") {
            return None;
        }
        let (_, apply) = FUNCTIONS.iter().find(|(name, _)| *name == self.function)?;
        Some(apply(argument))
    }

    fn number(&mut self) -> Option<f64> {
        let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        let sign = usize::from(self.rest.first() == Some(&b'-'));
        let whole = digits(&self.rest[sign..]);
        let mut end = sign + whole;
        if self.rest.get(end) == Some(&b'.') {
            let fraction = digits(&self.rest[end + 1..]);
            if whole + fraction == 0 {
                return None;
            }
            end += 1 + fraction;
        } else if whole == 0 {
            return None;
        }
        let number: f64 = std::str::from_utf8(&self.rest[..end]).ok()?.parse().ok()?;
        self.rest = &self.rest[end..];
        self.blanks();
        let factor = match self.rest.first() {
            Some(b'k' | b'K') => 1e3,
            Some(b'm' | b'M') => 1e6,
            Some(b'g' | b'G') => 1e9,
            Some(b't' | b'T') => 1e12,
            Some(b'p' | b'P') => 1e15,
            _ => return Some(number),
        };
        self.rest = &self.rest[1..];
        self.blanks();
        Some(factor * number)
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, evaluate};

    #[test]
    fn operators_of_a_kind_bind_alike() {
        assert_eq!(evaluate("1 + 2 * 3"), Ok(7.0));
        assert_eq!(evaluate("(1+2)*3"), Ok(9.0));
        assert_eq!(evaluate("2+3*4^2"), Ok(146.0));
        assert_eq!(evaluate("-4 + 1k"), Ok(996.0));
        assert_eq!(evaluate("3 > 2 + 5"), Ok(6.0));
        assert_eq!(evaluate("2 M - .5"), Ok(1_999_999.5));
    }

    #[test]
    fn text_after_an_expression_is_ignored() {
        assert_eq!(evaluate("1 +"), Ok(1.0));
        assert_eq!(evaluate("pi_2"), Ok(std::f64::consts::PI));
        assert_eq!(evaluate("3 != 3"), Ok(3.0));
        assert_eq!(evaluate(""), Ok(0.0));
        assert_eq!(evaluate("(2"), Err(Broken::Syntax));
        assert_eq!(evaluate("log(1+2)"), Err(Broken::Syntax));
    }

    #[test]
    fn the_inner_function_takes_the_outer_ones_place() {
        assert_eq!(evaluate("sqrt(abs(-4))"), Ok(4.0));
        assert_eq!(evaluate("sqrt((4))"), Ok(2.0));
    }

    #[test]
    fn a_remainder_by_zero_is_an_error() {
        assert_eq!(evaluate("5 % 0"), Err(Broken::Remainder));
        assert_eq!(evaluate("-7 % 3.9"), Ok(-1.0));
    }
}
