//! Modes: octal numbers and `u+rwx,go-w`.

use crate::context::Agent;
use crate::log::Level;

/// Bits to set and bits to clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask {
    pub(super) plus: u32,
    pub(super) minus: u32,
}

impl Mask {
    /// The mode that a file of a mode should have.
    pub(super) fn apply(self, mode: u32) -> u32 {
        ((mode & 0o7777) | self.plus) & !self.minus
    }

    /// The mode of a new file.
    pub(super) fn fresh(self) -> u32 {
        self.plus & !self.minus
    }
}

impl Agent {
    /// Says what reading a mode says.
    pub(crate) fn say_mode(&mut self, text: &str) {
        let mut said = Vec::new();
        _ = parse(text, &mut said);
        for (level, message) in said {
            self.say(level, message);
        }
    }
}

/// A complaint, and how loud.
pub(super) type Complaints = Vec<(Level, String)>;

/// Reads a mode. What is said of it goes to the complaints; none if it can't be
/// read to its end, with the mask as far as it could.
pub(super) fn parse(text: &str, said: &mut Complaints) -> Result<Mask, Mask> {
    let mut mask = Mask::default();
    let mut sorts = Vec::new();
    let parts: Vec<&str> = text.split(',').collect();
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        let Some(clause) = clause(part, text, said) else {
            return Err(mask);
        };
        let incomplete = clause.value == 0 || (!clause.acts && (at > 0 || clause.who));
        if last && incomplete && !matches!(text, "0000" | "000") {
            said.push((Level::Error, "mode string is incomplete".into()));
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
        if sorts.last().is_some_and(|sort| *sort != clause.octal) {
            let message = "Symbolic and numeric form for modes mixed";
            said.push((Level::Info, message.into()));
        }
        sorts.push(clause.octal);
    }
    Ok(mask)
}

struct Clause {
    action: char,
    value: u32,
    affected: u32,
    octal: bool,
    acts: bool,
    who: bool,
}

fn clause(part: &str, whole: &str, said: &mut Complaints) -> Option<Clause> {
    let mut clause = Clause {
        action: '=',
        value: 0,
        affected: 0,
        octal: false,
        acts: false,
        who: false,
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
        match c {
            'a' | 'u' | 'g' | 'o' => {
                clause.affected |= bits;
                clause.who = true;
            }
            '+' | '-' | '=' if clause.acts => {
                said.push((Level::Error, "Too many +-= in mode string".into()));
                return None;
            }
            '+' | '-' | '=' => {
                clause.action = c;
                clause.acts = true;
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
                    said.push((Level::Info, message));
                }
                if clause.value > 0o7777 {
                    said.push((Level::Error, format!("Mode-Value too big : {whole}")));
                    return None;
                }
                clause.octal = true;
                clause.acts = true;
                clause.affected = 0o7777;
                rest = &rest[digits.len() - 1..];
            }
            _ => {
                said.push((Level::Error, format!("Invalid mode string ({whole})")));
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
    fn what_is_no_mode_is_said() {
        let mut said = Vec::new();
        assert!(parse("99x?", &mut said).is_err());
        assert_eq!(said.len(), 1);
    }
}
