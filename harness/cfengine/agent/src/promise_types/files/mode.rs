//! Modes: octal numbers and `u+rwx,go-w`.

use crate::context::Agent;
use crate::log::Severity;

/// Bits to set and bits to clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask {
    pub(super) plus: u32,
    pub(super) minus: u32,
}

impl Mask {
    /// Applies the mask to a file's current mode.
    pub(super) fn apply(self, mode: u32) -> u32 {
        ((mode & 0o7777) | self.plus) & !self.minus
    }

    /// The mode of a new file.
    pub(super) fn fresh(self) -> u32 {
        self.plus & !self.minus
    }
}

impl Agent {
    /// Prints what cf-agent prints when it parses a mode.
    pub(crate) fn say_mode(&mut self, text: &str) {
        let mut said = Vec::new();
        _ = parse(text, &mut said);
        for (level, message) in said {
            self.say(level, message);
        }
    }
}

/// Messages with their levels.
pub(super) type Complaints = Vec<(Severity, String)>;

/// Parses a mode, and collects messages. The error holds the mask of the part that was parsed.
pub(super) fn parse(text: &str, said: &mut Complaints) -> Result<Mask, Mask> {
    let mut mask = Mask::default();
    let mut before: Option<Sort> = None;
    let parts: Vec<&str> = text.split(',').collect();
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        let state = if at == 0 { State::Start } else { State::Who };
        let Some(clause) = clause(part, text, state, said) else {
            return Err(mask);
        };
        let incomplete = clause.value == 0 || clause.state == State::Who;
        if last && incomplete && !matches!(text, "0000" | "000") {
            said.push((Severity::Error, "mode string is incomplete".into()));
            return Err(mask);
        }
        match clause.action {
            '+' => mask.plus |= clause.value,
            '-' => mask.minus |= clause.value,
            _ => {
                mask.plus |= clause.value;
                mask.minus |= !clause.value & 0o7777 & clause.affected;
            }
        }
        if before.is_some() && before != clause.sort {
            let message = "Symbolic and numeric form for modes mixed";
            said.push((Severity::Info, message.into()));
        }
        before = clause.sort;
    }
    Ok(mask)
}

/// What the parser expects in a clause.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Who,
    Which,
}

/// The notation of a mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Octal,
    Symbolic,
}

struct Clause {
    action: char,
    value: u32,
    affected: u32,
    state: State,
    sort: Option<Sort>,
    acts: bool,
}

impl Clause {
    /// Reports a character in the wrong place; the parser accepts it anyway.
    fn judge(&self, c: char, said: &mut Complaints) {
        let (state, sort) = match c {
            'a' | 'u' | 'g' | 'o' | '+' | '-' | '=' => (State::Who, Sort::Symbolic),
            '0'..='7' => (State::Which, Sort::Octal),
            _ => (State::Which, Sort::Symbolic),
        };
        if self.state != State::Start && self.state != state {
            let message = format!("Mode string constant ({c}) used out of context");
            said.push((Severity::Error, message));
        } else if self.sort.is_some_and(|own| own != sort) {
            let message = "Symbolic and numeric filemodes mixed within expression";
            said.push((Severity::Error, message.into()));
        }
    }
}

fn clause(part: &str, whole: &str, state: State, said: &mut Complaints) -> Option<Clause> {
    let mut clause = Clause {
        action: '=',
        value: 0,
        affected: 0,
        state,
        sort: None,
        acts: false,
    };
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        let bits = match c {
            'a' => 0o7777,
            'u' => 0o4700,
            'g' => 0o2070,
            'o' => 0o007,
            'r' => 0o444,
            'w' => 0o222,
            'x' => 0o111,
            's' => 0o6000,
            't' => 0o1000,
            _ => 0,
        };
        let acts = matches!(c, '+' | '-' | '=');
        if acts && clause.acts {
            said.push((Severity::Error, "Too many +-= in mode string".into()));
            return None;
        }
        if acts || bits != 0 || matches!(c, '0'..='7') {
            clause.judge(c, said);
            clause.sort = Some(Sort::Symbolic);
        }
        match c {
            'a' | 'u' | 'g' | 'o' => clause.affected |= bits,
            '+' | '-' | '=' => {
                clause.action = c;
                clause.acts = true;
                clause.state = State::Which;
                clause.sort = None;
            }
            't' => clause.value |= bits,
            'r' | 'w' | 'x' | 's' => clause.value |= bits & clause.affected,
            '0'..='7' => {
                let end = rest.find(|c: char| !c.is_ascii_digit());
                let digits = &rest[..end.unwrap_or(rest.len())];
                let octal = digits.find(['8', '9']).unwrap_or(digits.len());
                let value = u32::from_str_radix(&digits[..octal], 8).unwrap_or(u32::MAX);
                clause.value = value & !0o170_000;
                if value & 0o170_000 != 0 {
                    let message = format!(
                        "Mode-Value is not entirely within the system's allowed permissions (octal 170000) and will be filtered accordingly : {whole}"
                    );
                    said.push((Severity::Info, message));
                }
                if clause.value > 0o7777 {
                    said.push((Severity::Error, format!("Mode-Value too big : {whole}")));
                    return None;
                }
                clause.sort = Some(Sort::Octal);
                clause.state = State::Which;
                clause.acts = true;
                clause.affected = 0o7777;
                rest = &rest[digits.len() - 1..];
            }
            _ => {
                said.push((Severity::Error, format!("Invalid mode string ({whole})")));
                return None;
            }
        }
        rest = &rest[c.len_utf8()..];
    }
    Some(clause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, mode: u32) -> u32 {
        let mask = parse(text, &mut Vec::new());
        mask.unwrap_or_default().apply(mode)
    }

    #[test]
    fn modes_are_octal_or_symbolic() {
        assert_eq!(applied("600", 0o755), 0o600);
        assert_eq!(applied("0644", 0o4755), 0o644);
        assert_eq!(applied("u+rwx,go-w", 0o622), 0o700);
        assert_eq!(applied("a=rx", 0o777), 0o555);
        assert_eq!(applied("go-rwx", 0o755), 0o700);
        assert_eq!(applied("u=rw,g=r,o=", 0o777), 0o777);
    }

    #[test]
    fn an_invalid_mode_is_reported() {
        let mut said = Vec::new();
        assert!(parse("99x?", &mut said).is_err());
        assert_eq!(said.len(), 1);
    }
}
