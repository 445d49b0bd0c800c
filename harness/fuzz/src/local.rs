//! A bounded, complete search around an input that showed something new. The fields and the places in them that did so
//! are found by taking changes back one by one (an effector map, as AFL++ has it). Then all that may stand there is tried.

mod around;
mod field;

use crate::input::{Ask, Input, InputItem, InputStep, Verb};
use crate::mutate::last_part;
use crate::near::{near, near_value};
use crate::space::Space;
use crate::technique::Source;
use crate::turns::by_turns;
use around::{Around, hash, own_places};
use field::{Field, fields, item, item_mut, text, with, with_value};
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use stickler_transcript::{Bytes, Value};

/// How many places of one text are taken back one by one.
const PLACES: usize = 64;
/// How many words of the subject are tried at one place.
const WORDS: usize = 200;
/// How many values of one field are crossed with those of others.
const CROSSED: usize = 6;
/// So many other messages come between a message and the same again.
const BETWEEN: [usize; 5] = [1, 2, 3, 10, 33];
/// How many searches are remembered, so that none is made twice.
const MOST: usize = 200_000;
/// How long one search may take at a time, so that others have their turn.
const TURN: Duration = Duration::from_millis(500);

/// What came of an input of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// It shows what the search is about.
    Shows,
    /// It does not, or nobody looked.
    Lost,
    /// There is no time for more.
    Over,
}

/// What runs the inputs of a search. With `looks`, the result is wanted.
pub(crate) trait Runner {
    /// Why the campaign must end.
    type Error;

    /// Runs an input. Did it show something that no other had shown?
    ///
    /// # Errors
    /// If the campaign must end.
    fn run(&mut self, input: &Input, by: Source, looks: bool) -> Result<(Ran, bool), Self::Error>;
}

/// What searches have found out so far.
pub(crate) struct Local<'s> {
    space: &'s Space<'s>,
    /// How many texts of which search were tried; searches as hashes.
    done: HashMap<u64, usize, FixedState>,
    /// Values whose fields showed something, by kind and field.
    telling: BTreeMap<(String, Bytes), Vec<Value>>,
}

/// One search: what it still may run, and whether it must stop.
struct Search<'r, R> {
    runner: &'r mut R,
    until: Instant,
    /// Did an input show something new? Then the search around that one comes first.
    found: bool,
}

/// An input around which nobody has searched to the end. The greatest comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lead {
    /// How often was it searched around? At first only for what takes little time: each lead gets that before any gets
    /// more.
    pub(crate) turns: Reverse<usize>,
    /// Did a search find it? Such a search goes on from there.
    pub(crate) found: bool,
    /// Did it run a line first? Otherwise it ran one more often.
    pub(crate) is_line: bool,
    /// Is it an example of the author?
    pub(crate) own: bool,
    /// Was all tried that takes little time?
    pub(crate) briefed: bool,
    /// Its number in the corpus: the newest first.
    pub(crate) number: usize,
}

/// How much of a search is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Searched {
    /// What takes little time.
    Brief,
    /// The rest, too.
    All,
}

/// A search has ended early.
struct Over;

/// What a part of a search gives.
type Done<T, R> = Result<Result<T, Over>, <R as Runner>::Error>;

/// Ends the function if the search is over.
macro_rules! go {
    ($done:expr) => {
        match $done? {
            Ok(done) => done,
            Err(Over) => return Ok(Err(Over)),
        }
    };
}

impl<R: Runner> Search<'_, R> {
    /// Does an input show what the search is about?
    fn shows(&mut self, input: &Input) -> Done<bool, R> {
        let ran = self.ran(input, Source::Undo, true)?;
        Ok(ran.map(|ran| ran == Ran::Shows))
    }

    /// Runs an input, for what else it may show.
    fn tries(&mut self, input: &Input, by: Source) -> Done<(), R> {
        Ok(self.ran(input, by, false)?.map(|_| ()))
    }

    fn ran(&mut self, input: &Input, by: Source, looks: bool) -> Done<Ran, R> {
        if Instant::now() >= self.until {
            return Ok(Err(Over));
        }
        let (ran, found) = self.runner.run(input, by, looks)?;
        self.found |= found;
        Ok(match ran {
            Ran::Over => Err(Over),
            ran => Ok(ran),
        })
    }

    /// Ends the search for now if it has found something.
    fn pauses(&self) -> Result<(), Over> {
        match self.found {
            true => Err(Over),
            false => Ok(()),
        }
    }
}

impl<'s> Local<'s> {
    /// Nothing is known yet.
    pub(crate) fn new(space: &'s Space<'s>) -> Self {
        Local {
            space,
            done: HashMap::default(),
            telling: BTreeMap::new(),
        }
    }

    /// Searches around an input that showed something new, until it finds something, or others have their turn. The
    /// brief part comes first: what takes little time. How much is done, if a part is?
    ///
    /// # Errors
    /// If the campaign must end.
    pub(crate) fn search<R: Runner>(
        &mut self,
        input: &Input,
        is_brief: bool,
        runner: &mut R,
    ) -> Result<Option<Searched>, R::Error> {
        if !input.is_tame() {
            return Ok(Some(Searched::All));
        }
        let mut search = Search {
            runner,
            until: Instant::now() + TURN,
            found: false,
        };
        Ok(self.around(input, is_brief, &mut search)?.ok())
    }

    fn around<R: Runner>(
        &mut self,
        input: &Input,
        is_brief: bool,
        search: &mut Search<'_, R>,
    ) -> Done<Searched, R> {
        // What does not come again was another input's. A second time, the process may be in another state.
        if !go!(search.shows(input)) && !go!(search.shows(input)) {
            return Ok(Ok(Searched::All));
        }
        let input = go!(self.alone(input, search));
        let (telling, _) = go!(self.telling(&input, search));
        let input = go!(self.enriched(&input, &telling, search));
        let (telling, own) = go!(self.telling(&input, search));
        if is_brief {
            for field in &telling {
                go!(self.crossed(&input, *field, search));
            }
            go!(self.otherwise(&input, search));
            if let Some(last) = input.steps.len().checked_sub(1) {
                go!(self.named(&input, last, search));
            }
            for field in &own {
                go!(self.beside(&input, *field, search));
            }
            go!(self.later(&input, search));
            return Ok(Ok(Searched::Brief));
        }
        let brief = go!(self.brief(&input, search));
        let mut around = Vec::new();
        for field in &telling {
            let places = go!(self.places(&brief, *field, search));
            around.extend(Around::of(&brief, *field, (places, true), &telling));
        }
        for one in &around {
            go!(self.words(one, search));
        }
        let own = own.into_iter().map(|field| {
            let places = own_places(&brief, field);
            Around::of(&brief, field, (places, false), &telling)
        });
        let begin = around.len();
        around.extend(own.flatten());
        go!(self.bytes(&around, true, search));
        for one in &around[begin..] {
            go!(self.words(one, search));
        }
        go!(self.bytes(&around, false, search));
        Ok(Ok(Searched::All))
    }

    /// The fields whose changes showed something, and those that are as the author wrote them.
    fn telling<R: Runner>(
        &self,
        input: &Input,
        search: &mut Search<'_, R>,
    ) -> Done<(Vec<Field>, Vec<Field>), R> {
        let (mut telling, mut own) = (Vec::new(), Vec::new());
        for field in fields(input) {
            match self.undone(input, field) {
                Some(undone) if !go!(search.shows(&undone)) => telling.push(field),
                Some(_) => {}
                None => own.push(field),
            }
        }
        Ok(Ok((telling, own)))
    }

    /// The input with what showed something in the author's item that has the most fields, if it still shows that: a
    /// condition may be about a field that the input has not.
    fn enriched<R: Runner>(
        &self,
        input: &Input,
        telling: &[Field],
        search: &mut Search<'_, R>,
    ) -> Done<Input, R> {
        let Some(item) = telling.first().and_then(|at| item(input, at.step)) else {
            return Ok(Ok(input.clone()));
        };
        let items = self.space.items.iter().filter(|one| one.kind == item.kind);
        let Some(richest) = items.max_by_key(|one| one.fields().count()) else {
            return Ok(Ok(input.clone()));
        };
        if richest.fields().count() <= item.fields().count() {
            return Ok(Ok(input.clone()));
        }
        let mut rich = richest.clone();
        for at in telling {
            let Some((name, value)) = item.fields().nth(at.field).cloned() else {
                continue;
            };
            rich.set(name, value);
        }
        let mut enriched = input.clone();
        for ask in enriched.asks_mut().filter(|ask| ask.item == *item) {
            ask.item = rich.clone();
        }
        let is_same = go!(search.shows(&enriched));
        Ok(Ok(if is_same { enriched } else { input.clone() }))
    }

    /// The last message asks for something else.
    fn otherwise<R: Runner>(&mut self, input: &Input, search: &mut Search<'_, R>) -> Done<(), R> {
        let place = hash(&("otherwise", input));
        if self.tried(place) > 0 {
            return Ok(Ok(()));
        }
        self.note(place);
        for verb in [Verb::Look, Verb::Evaluate, Verb::Later] {
            let mut other = input.clone();
            if let Some(InputStep::Ask(last)) = other.steps.last_mut()
                && last.verb != verb
                && (verb != Verb::Look || self.space.setting.knowledge.dry)
            {
                last.verb = verb;
                go!(search.tries(&other, Source::Otherwise));
            }
        }
        Ok(Ok(()))
    }

    /// Each value near the author's in another field, while what showed something is held: a condition may be about both.
    fn beside<R: Runner>(
        &mut self,
        input: &Input,
        at: Field,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        let field = item(input, at.step).and_then(|item| item.fields().nth(at.field));
        let Some((_, value)) = field else {
            return Ok(Ok(()));
        };
        let near = near_value(value).into_iter();
        let near = near.map(|(_, value)| with_value(input, at, &value));
        self.others(("beside", at.field), input, near, search)
    }

    /// Other values that types and sources name for the fields of an item, also for those that it has not.
    fn named<R: Runner>(
        &mut self,
        input: &Input,
        step: usize,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        let Some(own) = item(input, step) else {
            return Ok(Ok(()));
        };
        let Some((number, base)) = self.space.base(&own.example) else {
            return Ok(Ok(()));
        };
        let is_authors = |(name, _): &(Bytes, Value)| {
            let find = |item: &InputItem| {
                let mut fields = item.fields();
                let known = fields.find(|(known, _)| known == name);
                known.map(|(_, value)| value.clone())
            };
            find(own) == find(base)
        };
        let others = self.space.others(number).into_iter().filter(is_authors);
        let named = others.map(|(name, value)| {
            let mut changed = input.clone();
            for ask in changed.asks_mut().filter(|ask| ask.item == *own) {
                ask.item.set(name.clone(), value.clone());
            }
            changed
        });
        self.others(("named", step), input, named, search)
    }

    /// Each of these inputs that was not tried yet, in a search around an input.
    fn others<R: Runner>(
        &mut self,
        which: (&str, usize),
        input: &Input,
        others: impl Iterator<Item = Input>,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        let place = hash(&(which, input));
        for other in others.skip(self.tried(place)) {
            go!(self.tries(&other, Source::Beside, search));
            self.note(place);
        }
        Ok(Ok(()))
    }

    /// The input with its messages as mere validations, if that is enough: they change nothing, and take less time.
    fn brief<R: Runner>(&self, input: &Input, search: &mut Search<'_, R>) -> Done<Input, R> {
        let mut brief = input.clone();
        for ask in brief.asks_mut() {
            ask.verb = Verb::Validate;
        }
        let is_enough = brief == *input || go!(search.shows(&brief));
        Ok(Ok(if is_enough { brief } else { input.clone() }))
    }

    /// The input with the one message that is enough, if there is one.
    fn alone<R: Runner>(&self, input: &Input, search: &mut Search<'_, R>) -> Done<Input, R> {
        if input.steps.len() < 2 {
            return Ok(Ok(input.clone()));
        }
        for step in input.steps.iter().rev() {
            if !matches!(step, InputStep::Ask(_)) {
                continue;
            }
            let one = Input {
                steps: vec![step.clone()],
                ..input.clone()
            };
            if go!(search.shows(&one)) {
                return Ok(Ok(one));
            }
        }
        Ok(Ok(input.clone()))
    }

    /// What showed something, once more: after others, after a change, after a refusal, after a look.
    fn later<R: Runner>(&mut self, input: &Input, search: &mut Search<'_, R>) -> Done<(), R> {
        let Some(InputStep::Ask(last)) = input.steps.last() else {
            return Ok(Ok(()));
        };
        let place = hash(&("later", last));
        if self.tried(place) > 0 {
            return Ok(Ok(()));
        }
        self.note(place);
        let others: Vec<&InputItem> = match self.space.items.len() {
            0 => vec![&last.item],
            _ => self.space.items.iter().collect(),
        };
        let ask = |verb, item: &InputItem| InputStep::Ask(Ask::plain(verb, item.clone()));
        let again = |between: Vec<InputStep>| {
            let again = InputStep::Ask(last.clone());
            let steps = input.steps.iter().cloned();
            Input {
                steps: steps.chain(between).chain([again]).collect(),
                ..input.clone()
            }
        };
        for count in BETWEEN {
            for verb in [last.verb, Verb::Validate] {
                let items = others.iter().cycle().take(count);
                let between = items.map(|item| ask(verb, item)).collect();
                go!(search.tries(&again(between), Source::Later));
            }
            // The same between itself.
            let between = vec![InputStep::Ask(last.clone()); count.min(BETWEEN[3])];
            go!(search.tries(&again(between), Source::Later));
        }
        for item in self.space.invalid.iter().take(2) {
            go!(search.tries(&again(vec![ask(Verb::Evaluate, item)]), Source::Later));
        }
        for item in others.iter().take(2) {
            let mut refused = (*item).clone();
            refused
                .attributes
                .push(("stickler".into(), Value::text("x")));
            for between in [
                ask(Verb::Evaluate, item),
                ask(Verb::Validate, &refused),
                ask(Verb::Look, item),
            ] {
                go!(search.tries(&again(vec![between]), Source::Later));
            }
        }
        Ok(Ok(()))
    }

    /// The input with a field as the author wrote it, or without the field if he did not. `None` if it is so.
    fn undone(&self, input: &Input, at: Field) -> Option<Input> {
        let mut undone = input.clone();
        let item = item_mut(&mut undone, at.step)?;
        let (name, value) = item.fields().nth(at.field)?.clone();
        let (_, base) = self.space.base(&item.example)?;
        match base.fields().find(|(known, _)| *known == name) {
            Some((_, known)) if *known == value => return None,
            Some((_, known)) => {
                let known = known.clone();
                item.fields_mut().nth(at.field)?.1 = known;
            }
            None => {
                let attribute = at.field.checked_sub(item.identity.len())?;
                item.attributes.remove(attribute);
            }
        }
        Some(undone)
    }

    /// The fields whose changes showed something, together.
    fn crossed<R: Runner>(
        &mut self,
        input: &Input,
        at: Field,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        let Some(item) = item(input, at.step) else {
            return Ok(Ok(()));
        };
        let Some((name, value)) = item.fields().nth(at.field).cloned() else {
            return Ok(Ok(()));
        };
        let kind = item.kind.clone();
        let known = self
            .telling
            .entry((kind.clone(), name.clone()))
            .or_default();
        if known.contains(&value) {
            return Ok(Ok(()));
        }
        // The newest count most.
        if known.len() >= CROSSED {
            known.remove(0);
        }
        known.push(value);
        let others: Vec<(Bytes, Value)> = self
            .telling
            .iter()
            .filter(|((other, field), _)| *other == kind && *field != name)
            .flat_map(|((_, field), values)| {
                values
                    .iter()
                    .map(move |value| (field.clone(), value.clone()))
            })
            .collect();
        for (field, value) in others {
            let mut crossed = input.clone();
            if let Some(item) = item_mut(&mut crossed, at.step) {
                item.set(field, value);
            }
            if crossed != *input {
                go!(search.tries(&crossed, Source::Cross));
            }
        }
        Ok(Ok(()))
    }

    /// The places of a text at which another byte takes back what was shown.
    fn places<R: Runner>(
        &self,
        input: &Input,
        at: Field,
        search: &mut Search<'_, R>,
    ) -> Done<Vec<usize>, R> {
        let Some(text) = text(input, at) else {
            return Ok(Ok(Vec::new()));
        };
        let mut places = Vec::new();
        for place in (last_part(text)..text.len()).take(PLACES) {
            let mut is_telling = false;
            for other in others(text[place]) {
                let mut changed = text.to_vec();
                changed[place] = other;
                let changed = with(input, at, &changed);
                if self.sends(&changed) && !go!(search.shows(&changed)) {
                    is_telling = true;
                    break;
                }
            }
            if is_telling {
                places.push(place);
            }
        }
        Ok(Ok(places))
    }

    /// Each text near one, and each with a word of the subject's, while the rest of the input is held.
    fn words<R: Runner>(&mut self, around: &Around<'_>, search: &mut Search<'_, R>) -> Done<(), R> {
        let place = hash(&(around.held, around.name, &around.text));
        let space = self.space;
        let words = space.dictionary.own().iter().take(WORDS);
        let words = words.flat_map(|word| around.word(word));
        let words = words.map(|text| (Source::Word, text));
        let near = near(&around.text).into_iter();
        let near = near.map(|(_, text)| (Source::Nearby, text));
        for (by, text) in near.chain(words).skip(self.tried(place)) {
            go!(self.tries(&around.with(&text), by, search));
            self.note(place);
        }
        Ok(search.pauses())
    }

    /// Each of these bytes at the places of these texts, by turns one place of each, while the rest is held.
    fn bytes<R: Runner>(
        &mut self,
        around: &[Around<'_>],
        written: bool,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        let targets = around.iter().map(|around| {
            let targets = around.targets().into_iter();
            targets.map(move |target| (around, target))
        });
        for (around, target) in by_turns(targets.collect()) {
            let leads_on =
                around.tells && (target == around.after() || around.places.contains(&target));
            let place = hash(&(
                around.held,
                around.name,
                target,
                around.without(target),
                written,
            ));
            for text in around.bytes(target, written).skip(self.tried(place)) {
                let input = around.with(&text);
                go!(self.tries(&input, Source::Byte, search));
                // In a message of its own, it may go on from what the input led to.
                if leads_on {
                    go!(self.tries(&around.then(&text), Source::Next, search));
                }
                self.note(place);
            }
            go!(Ok(search.pauses()));
        }
        Ok(Ok(()))
    }

    /// Runs an input if it can be sent.
    fn tries<R: Runner>(
        &self,
        input: &Input,
        by: Source,
        search: &mut Search<'_, R>,
    ) -> Done<(), R> {
        match self.sends(input) {
            true => search.tries(input, by),
            false => Ok(Ok(())),
        }
    }

    fn sends(&self, input: &Input) -> bool {
        input.asks().all(|ask| self.space.sends(&ask.item))
    }

    /// How many texts of a search were tried before?
    fn tried(&self, search: u64) -> usize {
        self.done.get(&search).copied().unwrap_or_default()
    }

    /// One more text of a search was tried.
    fn note(&mut self, search: u64) {
        if self.done.len() > MOST {
            self.done.clear();
        }
        *self.done.entry(search).or_default() += 1;
    }
}

/// Two bytes in place of one: of its class, and of another.
fn others(byte: u8) -> [u8; 2] {
    let near = match byte {
        b'9' | b'z' | b'Z' => byte - 1,
        b'0'..=b'8' | b'a'..=b'y' | b'A'..=b'Y' => byte + 1,
        _ => byte ^ 1,
    };
    let far = if byte.is_ascii_alphanumeric() {
        b'~'
    } else {
        b'a'
    };
    [near, far]
}
