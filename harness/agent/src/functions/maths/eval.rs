//! Infix expressions: `+ - * / % ^`, comparisons, functions of one number.

/// How deep brackets may stand in each other.
const DEEPEST: usize = 100;

/// The value of an expression; comparisons come to 1 or 0.
///
/// # Errors
/// What is left of it where it is none.
pub(super) fn evaluate(text: &str) -> Result<f64, &str> {
    let mut parser = Parser {
        rest: text.trim(),
        depth: 0,
    };
    match parser.comparison() {
        Ok(value) if parser.rest.is_empty() => Ok(value),
        _ => Err(parser.rest),
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

type Step = Result<f64, &'static str>;

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn comparison(&mut self) -> Step {
        let left = self.sum()?;
        for (token, holds) in [
            ("==", (|a, b| a == b) as fn(f64, f64) -> bool),
            ("!=", |a, b| a != b),
            (">=", |a, b| a >= b),
            ("<=", |a, b| a <= b),
            (">", |a, b| a > b),
            ("<", |a, b| a < b),
        ] {
            if self.eat(token) {
                let right = self.sum()?;
                return Ok(f64::from(u8::from(holds(left, right))));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Step {
        let mut left = self.product()?;
        loop {
            if self.eat("+") {
                left += self.product()?;
            } else if self.eat("-") {
                left -= self.product()?;
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Step {
        let mut left = self.power()?;
        loop {
            if self.rest.starts_with("**") {
                return Ok(left);
            } else if self.eat("*") {
                left *= self.power()?;
            } else if self.eat("/") {
                left /= self.power()?;
            } else if self.eat("%") {
                left %= self.power()?;
            } else {
                return Ok(left);
            }
        }
    }

    fn power(&mut self) -> Step {
        let mut left = self.value()?;
        while self.eat("^") || self.eat("**") {
            left = left.powf(self.value()?);
        }
        Ok(left)
    }

    fn value(&mut self) -> Step {
        if self.eat("(") {
            return self.bracket();
        }
        if self.eat("-") {
            self.deeper()?;
            let value = self.value()?;
            self.depth -= 1;
            return Ok(-value);
        }
        let word = self.rest.find(|c: char| !c.is_ascii_alphanumeric());
        let word = self.rest[..word.unwrap_or(self.rest.len())].to_owned();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.named(&word);
        }
        self.number()
    }

    fn deeper(&mut self) -> Result<(), &'static str> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("nested too deep");
        }
        Ok(())
    }

    fn bracket(&mut self) -> Step {
        self.deeper()?;
        let value = self.comparison()?;
        self.depth -= 1;
        if self.eat(")") {
            Ok(value)
        } else {
            Err("syntax error")
        }
    }

    fn named(&mut self, word: &str) -> Step {
        self.eat(word);
        let constant = match word {
            "e" => Some(std::f64::consts::E),
            "log2e" => Some(std::f64::consts::LOG2_E),
            "log10e" => Some(std::f64::consts::LOG10_E),
            "ln2" => Some(std::f64::consts::LN_2),
            "ln10" => Some(std::f64::consts::LN_10),
            "pi" => Some(std::f64::consts::PI),
            "sqrt2" => Some(std::f64::consts::SQRT_2),
            _ => None,
        };
        if let Some(constant) = constant {
            return Ok(constant);
        }
        if !self.eat("(") {
            return Err("syntax error");
        }
        let x = self.bracket()?;
        Ok(match word {
            "ceil" => x.ceil(),
            "floor" => x.floor(),
            "log10" => x.log10(),
            "log2" => x.log2(),
            "log" => x.ln(),
            "sqrt" => x.sqrt(),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            "abs" => x.abs(),
            "step" => f64::from(u8::from(x >= 0.0)),
            _ => return Err("syntax error"),
        })
    }

    fn number(&mut self) -> Step {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            match bytes[end] {
                b'0'..=b'9' | b'.' => end += 1,
                b'e' | b'E' if end > 0 => end += 1,
                b'+' | b'-' if exponent => end += 1,
                _ => break,
            }
        }
        let number: f64 = self.rest[..end].parse().map_err(|_| "syntax error")?;
        self.rest = &self.rest[end..];
        let factor = match self.rest.bytes().next() {
            Some(b'k') => 1e3,
            Some(b'K') => 1024.0,
            Some(b'm') => 1e6,
            Some(b'M') => 1024.0 * 1024.0,
            Some(b'g') => 1e9,
            Some(b'G') => 1024.0 * 1024.0 * 1024.0,
            _ => {
                self.rest = self.rest.trim_start();
                return Ok(number);
            }
        };
        self.rest = self.rest[1..].trim_start();
        Ok(number * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn operators_bind_as_usual() {
        assert_eq!(evaluate("1 + 2 * 3"), Ok(7.0));
        assert_eq!(evaluate("(1+2)*3"), Ok(9.0));
        assert_eq!(evaluate("2^3"), Ok(8.0));
        assert_eq!(evaluate("-4 + 1k"), Ok(996.0));
        assert_eq!(evaluate("3 > 2"), Ok(1.0));
        assert!(evaluate("1 +").is_err());
        assert!(evaluate("").is_err());
    }
}
