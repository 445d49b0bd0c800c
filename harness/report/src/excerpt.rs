//! The evidence of a finding: a gutter, the messages in both directions, effects beside them, and
//! marks below them.

use crate::line::{DIM, GREEN, Line, PLAIN, RED};
use crate::text::{LINE_FEED, cut, cut_around, visible, width};
use crate::words::{count, sign};
use stickler_judge::{Arrow, ExcerptLine, Found, abridge};

/// The indent of all lines of a finding.
pub(crate) const INDENT: usize = 6;
/// If there are more rows of evidence than this, some are left out.
const ROWS: usize = 16;
/// How many rows from the beginning are kept.
const HEAD: usize = 9;
/// How many rows in the middle are kept because they have marks.
const PINS: usize = 4;
/// The column of effects beside the text, counted from the text.
const SIDE: usize = 30;
/// The column of the expected answer, counted from the effects.
const EXPECTED: usize = 20;

/// One row before layout.
#[derive(Default)]
struct Row {
    exchange: Option<usize>,
    /// Does an exchange begin here?
    fresh: bool,
    sign: &'static str,
    text: String,
    mark: Option<(usize, usize)>,
    note: Option<String>,
    side: Option<String>,
    expected: Option<String>,
    received: bool,
    /// Must it be shown?
    pinned: bool,
}

impl Row {
    /// The column of what is shown beside the text, counted from the text.
    fn side_at(&self) -> usize {
        SIDE.max(width(&self.text) + 2)
    }

    /// The column of what is shown beside the text and the effect.
    fn expected_at(&self) -> usize {
        match &self.side {
            Some(side) => (self.side_at() + EXPECTED).max(self.side_at() + width(side) + 3),
            None if self.text.is_empty() => 0,
            None => self.side_at(),
        }
    }
}

/// The lines that show a finding, within this many columns.
pub(crate) fn lines(found: &Found, columns: usize) -> Vec<Line> {
    let label = found
        .excerpt
        .iter()
        .filter_map(|line| line.exchange)
        .map(|number| format!("#{number}").len())
        .max();
    // label, two spaces, sign, space
    let gutter = INDENT + label.map_or(0, |label| label.max(2) + 2) + 2;
    let room = columns.saturating_sub(gutter).max(12);
    let (mut rows, end) = rows(found, room);
    let expected = expect(found, &mut rows, room);
    if let (Some(expected), true) = (&expected, rows.is_empty()) {
        let text = cut(expected, columns.saturating_sub(INDENT));
        return vec![Line::indented(INDENT).add(GREEN, &text)];
    }
    if let Some(expected) = expected {
        let row = Row {
            expected: Some(cut(&expected, room).into_owned()),
            ..Row::default()
        };
        rows.insert(end, row);
    }
    thin(rows)
        .iter()
        .flat_map(|row| draw(row, gutter, room))
        .collect()
}

/// The rows, and how many there are up to the end of the faulty exchange, which may not be the last
/// one.
fn rows(found: &Found, room: usize) -> (Vec<Row>, usize) {
    let own = found.exchange;
    let mut rows: Vec<Row> = Vec::new();
    let mut exchange = None;
    let mut before = None;
    // A line without an exchange introduces another session.
    let mut first_session = true;
    let mut end = None;
    for line in &found.excerpt {
        // Exchanges of two sessions may have the same number.
        let again = line.arrow == Arrow::Sent && before != Some(Arrow::Sent);
        let fresh = line.exchange.is_some() && (line.exchange != exchange || again);
        exchange = line.exchange.or(exchange);
        before = Some(line.arrow);
        first_session &= line.exchange.is_some() || end.is_none();
        if line.arrow != Arrow::Effect || fresh || !beside(&mut rows, line, room) {
            let from = rows.len();
            rows.extend(spread(line, room));
            rows[from].fresh = fresh;
            for row in &mut rows[from..] {
                row.exchange = exchange;
            }
        }
        if first_session && line.exchange.is_some() && line.exchange == own {
            end = Some(rows.len());
        }
    }
    let end = end.unwrap_or(rows.len());
    (rows, end)
}

/// Leaves out rows until a finding fits on a screen. Keeps the first, the last, and those that must
/// be shown, and says how many are left out.
fn thin(rows: Vec<Row>) -> Vec<Row> {
    let total = rows.len();
    if total <= ROWS {
        return rows;
    }
    let tail = total - (ROWS - HEAD - 2);
    let mut kept = Vec::new();
    let mut gap = 0;
    let mut pins = PINS;
    for (index, mut row) in rows.into_iter().enumerate() {
        let pinned = (row.pinned || row.expected.is_some()) && pins > 0;
        if index >= HEAD && index < tail {
            if !pinned {
                gap += 1;
                continue;
            }
            pins -= 1;
        }
        if gap > 0 {
            kept.push(Row {
                text: format!("… {} left out", count(gap, "line")),
                ..Row::default()
            });
            gap = 0;
            row.fresh = true;
        }
        kept.push(row);
    }
    kept
}

/// Shows an effect beside its answer, if it fits.
fn beside(rows: &mut Vec<Row>, line: &ExcerptLine, room: usize) -> bool {
    let text = effect(line);
    let Some(last) = rows.last_mut() else {
        return false;
    };
    let plain =
        line.mark.is_none() && line.note.is_none() && last.mark.is_none() && last.note.is_none();
    let fits = last.side_at() <= SIDE && SIDE + width(&text) <= room;
    if !plain || !fits || !last.received {
        return false;
    }
    if last.side.is_none() {
        last.side = Some(text);
    } else {
        let row = Row {
            exchange: last.exchange,
            side: Some(text),
            received: true,
            ..Row::default()
        };
        rows.push(row);
    }
    true
}

/// The text of an effect with its sign, unless the text already begins with one.
fn effect(line: &ExcerptLine) -> String {
    let text = visible(&line.text);
    if text.starts_with(['+', '-', '~', '(']) {
        text.into_owned()
    } else {
        format!("+ {text}")
    }
}

/// The rows of one line of evidence, at least one: the line is broken after line feeds.
fn spread(line: &ExcerptLine, room: usize) -> Vec<Row> {
    let (mut sign, mut text) = (sign(line.arrow), line.text.as_str());
    if line.arrow == Arrow::Effect && line.mark.is_none() {
        (sign, text) = match text.split_at_checked(1) {
            Some(("+", rest)) => ("+", rest.trim_start()),
            Some(("-", rest)) => ("-", rest.trim_start()),
            Some(("~", rest)) => ("~", rest.trim_start()),
            Some(("(", _)) => (" ", text),
            _ => (sign, text),
        };
    }
    let pieces: Vec<_> = pieces(text, line.mark)
        .into_iter()
        .flat_map(|(text, mark)| fold(text, mark, room))
        .collect();
    let first = pieces.iter().position(|piece| piece.1.is_some());
    let marked = pieces.iter().rposition(|piece| piece.1.is_some());
    let noted = marked.unwrap_or(pieces.len().saturating_sub(1));
    let row = |(index, (text, mark)): (usize, (String, Option<(usize, usize)>))| {
        let (text, mark) = match mark {
            Some(mark) => {
                let (text, place) = cut_around(&text, mark, room);
                (text, Some(place))
            }
            None => (cut(&text, room).into_owned(), None),
        };
        let note = line.note.clone().filter(|_| index == noted);
        Row {
            sign: if index == 0 { sign } else { "" },
            pinned: note.is_some() || first == Some(index),
            received: line.arrow == Arrow::Received,
            text,
            mark,
            note,
            ..Row::default()
        }
    };
    pieces.into_iter().enumerate().map(row).collect()
}

/// A piece of text, and what is marked of it: start and length in characters.
type Piece = (String, Option<(usize, usize)>);

/// Shows JSON and Ruby's hashes in two rows if they do not fit into one, so that few keys are hidden.
fn fold(text: String, mark: Option<(usize, usize)>, room: usize) -> Vec<Piece> {
    if width(&text) <= room {
        return vec![(text, mark)];
    }
    let byte = |count: usize| text.char_indices().nth(count).map_or(text.len(), |it| it.0);
    let (start, length) = mark.unwrap_or_default();
    let keep = byte(start)..byte(start.saturating_add(length));
    // Words do not fill the first row completely.
    let budget = room * 2 * 9 / 10;
    let (short, keep) = match abridge(&text, budget, keep) {
        Some(shorter) => shorter,
        None if mark.is_none() && text.contains("=>") => (cut(&text, budget).into_owned(), 0..0),
        None => return vec![(text, mark)],
    };
    let at = short[..keep.start].chars().count();
    let mark = mark.map(|_| (at, short[keep].chars().count()));
    let mut rows = Vec::new();
    let mut rest = &short[..];
    let mut from = 0;
    while !rest.is_empty() {
        let commas = rest.match_indices(", ").map(|(at, _)| at + 2);
        let end = match commas.take_while(|end| width(&rest[..*end]) <= room).last() {
            Some(end) if width(rest) > room => end,
            _ => rest.len(),
        };
        let (row, later) = rest.split_at(end);
        let to = from + row.chars().count();
        let part = mark.and_then(|(start, length)| {
            let (start, end) = (start.clamp(from, to), (start + length).clamp(from, to));
            (start < end).then_some((start - from, end - start))
        });
        rows.push((row.to_owned(), part));
        (rest, from) = (later, to);
    }
    rows
}

/// Makes a text visible and breaks it after line feeds. The mark (start and length in characters of
/// the raw text) is divided among the pieces.
fn pieces(text: &str, mark: Option<(usize, usize)>) -> Vec<Piece> {
    let seen = visible(text);
    let shown = |count: usize| {
        let raw: String = text.chars().take(count).collect();
        visible(&raw).chars().count()
    };
    let mark = mark.map(|(start, length)| (shown(start), shown(start.saturating_add(length))));
    let mut pieces: Vec<(usize, String)> = vec![(0, String::new())];
    let mut feed = false;
    for (index, c) in seen.chars().enumerate() {
        if feed && c != LINE_FEED {
            pieces.push((index, String::new()));
        }
        feed = c == LINE_FEED;
        if let Some((_, piece)) = pieces.last_mut() {
            piece.push(c);
        }
    }
    let count = pieces.len();
    pieces
        .into_iter()
        .enumerate()
        .map(|(index, (from, piece))| {
            let to = from + piece.chars().count();
            let part = mark.and_then(|(start, end)| {
                let empty_here =
                    start == end && start >= from && (start < to || index + 1 == count);
                let (start, end) = (start.clamp(from, to), end.clamp(from, to));
                (start < end || empty_here).then_some((start - from, end - start))
            });
            (piece, part)
        })
        .collect()
}

/// Shows the expected answer beside the actual one, if it fits; otherwise returns it.
fn expect(found: &Found, rows: &mut [Row], room: usize) -> Option<String> {
    let expected = format!("expected {}", visible(found.expected.as_deref()?));
    if rows.iter().any(|row| row.mark.is_some()) {
        return Some(expected);
    }
    // The faulty exchange may not be the last one shown.
    let own = found.exchange;
    let answers = |row: &&mut Row| row.received && !row.text.is_empty();
    let has_own = rows.iter().any(|row| row.received && row.exchange == own);
    let row = rows
        .iter_mut()
        .filter(answers)
        .rfind(|row| !has_own || row.exchange == own);
    match row {
        Some(row) if row.note.is_none() && row.expected_at() + width(&expected) <= room => {
            row.expected = Some(expected);
            None
        }
        _ => Some(expected),
    }
}

fn draw(row: &Row, gutter: usize, room: usize) -> Vec<Line> {
    let label = match row.exchange {
        Some(number) if row.fresh => format!("#{number}"),
        _ => String::new(),
    };
    let mut line = Line::indented(INDENT)
        .add(DIM, &label)
        .to(gutter - 2)
        .add(DIM, row.sign)
        .to(gutter)
        .add(PLAIN, &row.text);
    if let Some(side) = &row.side {
        line = line.to(gutter + row.side_at()).add(PLAIN, side);
    }
    if let Some(expected) = &row.expected {
        line = line.to(gutter + row.expected_at()).add(GREEN, expected);
    }
    let note = row.note.as_deref().map(visible);
    let Some((start, length)) = row.mark else {
        let Some(note) = note else {
            return vec![line];
        };
        if row.side_at() + width(&note) <= room {
            return vec![line.to(gutter + row.side_at()).add(DIM, &note)];
        }
        return vec![line, Line::indented(gutter).add(DIM, &cut(&note, room))];
    };
    let carets = "^".repeat(length.max(1));
    let mut below = Line::indented(gutter + start).add(RED, &carets);
    let Some(note) = note else {
        return vec![line, below];
    };
    if start + carets.len() + 1 + width(&note) <= room {
        below = below.add(PLAIN, " ").add(RED, &note);
        return vec![line, below];
    }
    vec![
        line,
        below,
        Line::indented(gutter).add(RED, &cut(&note, room)),
    ]
}
