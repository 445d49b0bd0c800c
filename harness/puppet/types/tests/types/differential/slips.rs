//! Type expressions with a slip of the pen.

use crate::grammar::expression;
use puppet_types::Dice;

/// A type expression in which one character is missing, surplus or wrong.
pub fn damaged(dice: &mut Dice) -> String {
    let mut text: Vec<char> = expression(dice, 2).chars().collect();
    let at = dice.below(text.len());
    const SLIPS: &[char] = &[
        '[', ']', ',', '\'', '"', ' ', '\n', '1', 'a', 'A', '{', '(', '-', '/', '$', ':', '=', '#',
        'é', '.',
    ];
    match dice.below(3) {
        0 => {
            text.remove(at);
        }
        1 => text.insert(at, *dice.pick(SLIPS).expect("a slip")),
        _ => text[at] = *dice.pick(SLIPS).expect("a slip"),
    }
    text.into_iter().collect()
}
