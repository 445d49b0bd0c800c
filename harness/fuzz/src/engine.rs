//! The corpus and its schedule, by `LibAFL`.

mod rare;
mod shares;

use crate::bandit::Bandit;
use crate::dice::Dice;
use crate::input::Input;
use crate::local::{self, Local, Ran, Runner, Searched};
use crate::mutate::{Means, mutate};
use crate::novelty::{MARKS, PAIRS};
use crate::probes::Probes;
use crate::space::Space;
use crate::technique::{Made, Source, Techniques};
use crate::worth::{self, Mark, Room, Worth};
use crate::yields::Yields;
use libafl::corpus::{Corpus, CorpusId, InMemoryCorpus, Testcase};
use libafl::events::NopEventManager;
use libafl::executors::{Executor, ExitKind, HasObservers};
use libafl::feedbacks::{
    ConstFeedback, Feedback, MapNoveltiesMetadata, MaxMapFeedback, StateInitializer,
};
use libafl::fuzzer::{Evaluator, Fuzzer, StdFuzzer};
use libafl::mutators::{MutationResult, Mutator};
use libafl::observers::{CanTrack, ExplicitTracking, StdMapObserver};
use libafl::schedulers::minimizer::TopRatedsMetadata;
use libafl::schedulers::{IndexesLenTimeMinimizerScheduler, QueueScheduler};
use libafl::stages::StdMutationalStage;
use libafl::state::{HasCorpus, HasRand, StdState};
use libafl::{Error, HasMetadata, feedback_and_fast, feedback_or, state::Stoppable};
use libafl_bolts::Named;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::tuples::{RefIndexable, tuple_list};
use rare::{Hits, Rare};
use shares::{Shares, Work};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::num::NonZero;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many mutants of one input run before the next is chosen, at most.
const MUTANTS: NonZero<usize> = NonZero::new(32).unwrap();

/// How many probes run before other work gets its share, at least.
const FIRST: usize = 64;
/// How many probes run in one turn, and for how long.
const PROBES: usize = 32;
const TURN: Duration = Duration::from_millis(500);
/// What an input in the corpus takes besides itself, about, in bytes.
const OVERHEAD: usize = 1_000;

/// What the engine drives.
pub trait Target {
    /// Runs an input that these techniques made, and notes in the map what it showed. False if that is nothing new for
    /// sure.
    ///
    /// # Errors
    /// If the campaign must end.
    fn execute(&mut self, input: &Input, by: Techniques, map: &mut [u8]) -> Result<bool, Stop>;

    /// An input that these techniques made showed something new, and is in the corpus now. It has these marks.
    fn added(&mut self, input: &Input, by: Techniques, marks: &[Mark]);

    /// How many inputs may be in the corpus of the engine.
    fn room(&self) -> Room;

    /// Inputs like one of the corpus in which a comparison of the subject comes out the other way.
    ///
    /// # Errors
    /// If the campaign must end.
    fn matched(&mut self, input: &Input) -> Result<Vec<Made>, Stop>;

    /// Do the next inputs come from comparisons?
    fn follow(&mut self, follows: bool);

    /// Is all wanted that the next input shows?
    fn looks(&mut self, looks: bool);

    /// Inputs that others have found.
    fn imported(&mut self) -> Vec<Made>;

    /// Is the campaign over?
    fn is_over(&self) -> bool;

    /// Is there time for inputs that need a process of their own?
    fn affords_processes(&self) -> bool;
}

/// The campaign must end.
#[derive(Debug)]
pub struct Stop;

type Observer = ExplicitTracking<StdMapObserver<'static, u8, false>, true, true>;
type Observers = (Observer, ());
type State = StdState<InMemoryCorpus<Input>, Input, StdRand, InMemoryCorpus<Input>>;

struct Subject<'t, T> {
    target: &'t mut T,
    observers: Observers,
    /// What the target last said about processes.
    free: &'t Cell<bool>,
    /// May the last input have shown something new?
    looks: Rc<Cell<bool>>,
    /// What made the next input.
    by: Rc<Cell<Techniques>>,
    hits: Hits,
}

impl<T> HasObservers for Subject<'_, T> {
    type Observers = Observers;

    fn observers(&self) -> RefIndexable<&Observers, Observers> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut Observers, Observers> {
        RefIndexable::from(&mut self.observers)
    }
}

impl<T: Target, EM, S, Z> Executor<EM, Input, S, Z> for Subject<'_, T> {
    fn run_target(
        &mut self,
        _: &mut Z,
        _: &mut S,
        _: &mut EM,
        input: &Input,
    ) -> Result<ExitKind, Error> {
        if self.target.is_over() {
            return Err(Error::shutting_down());
        }
        let map = self.observers.0.as_mut();
        let may_be_new = self.target.execute(input, self.by.get(), map);
        let may_be_new = may_be_new.map_err(|Stop| Error::shutting_down())?;
        if may_be_new {
            self.hits.count(map);
        }
        self.looks.set(may_be_new);
        self.free.set(self.target.affords_processes());
        Ok(ExitKind::Ok)
    }
}

/// Says whether the marks of the last input are worth a look: there are many.
struct Looks(Rc<Cell<bool>>);

impl Named for Looks {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("looks")
    }
}

impl<S> StateInitializer<S> for Looks {}

impl<EM, S> Feedback<EM, Input, Observers, S> for Looks {
    fn is_interesting(
        &mut self,
        _: &mut S,
        _: &mut EM,
        _: &Input,
        _: &Observers,
        _: &ExitKind,
    ) -> Result<bool, Error> {
        Ok(self.0.get())
    }
}

/// The marks of inputs that joined the corpus, and what made these inputs, in their order.
type Joined = Rc<RefCell<VecDeque<(Techniques, Vec<Mark>)>>>;

/// Notes what joins the corpus.
struct Noted {
    joined: Joined,
    by: Rc<Cell<Techniques>>,
}

impl Named for Noted {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("noted")
    }
}

impl<S> StateInitializer<S> for Noted {}

impl<EM, S> Feedback<EM, Input, Observers, S> for Noted {
    fn append_metadata(
        &mut self,
        _: &mut S,
        _: &mut EM,
        observers: &Observers,
        _: &mut Testcase<Input>,
    ) -> Result<(), Error> {
        let marks = worth::marks(observers.0.as_ref());
        let joined = (self.by.get(), marks);
        self.joined.borrow_mut().push_back(joined);
        Ok(())
    }
}

struct Mutations<'s> {
    space: &'s Space<'s>,
    free: &'s Cell<bool>,
    bandit: Bandit<'s>,
    by: Rc<Cell<Techniques>>,
}

impl Named for Mutations<'_> {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("mutations")
    }
}

impl<S: HasRand + HasCorpus<Input>> Mutator<Input, S> for Mutations<'_> {
    fn mutate(&mut self, state: &mut S, input: &mut Input) -> Result<MutationResult, Error> {
        let mut dice = Dice::new(state.rand_mut().next(), "mutation");
        let count = state.corpus().count();
        let other = state.corpus().nth(dice.below(count));
        let other = state.corpus().cloned_input_for_id(other).ok();
        let mut means = Means {
            space: self.space,
            dice: &mut dice,
            other: other.as_ref(),
        };
        let by = mutate(&mut means, input, self.bandit.weights(), self.free.get());
        self.by.set(by);
        Ok(MutationResult::Mutated)
    }

    fn post_exec(&mut self, _: &mut S, _: Option<CorpusId>) -> Result<(), Error> {
        Ok(())
    }
}

/// Runs the seeds, and then probes by turns with mutants of what showed something new, until the target says that the
/// campaign is over. Mutations are chosen by what they bring.
///
/// # Errors
/// If `LibAFL` fails, with its words.
pub fn drive<T: Target>(
    target: &mut T,
    space: &Space<'_>,
    (seeds, probes): (&[Input], Probes<'_>),
    yields: &Yields,
    map: usize,
    seed: u64,
) -> Result<(), String> {
    match driven(target, space, (seeds, probes), yields, map, seed) {
        Ok(()) | Err(Error::ShuttingDown) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// An input whose comparisons were not followed yet. The greatest is followed next: there is no time for all.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lead {
    /// Did it run a line that no other had run?
    is_line: bool,
    /// Does it come from a comparison itself?
    follows: bool,
    /// What is newest leads on from what was found last.
    number: usize,
}

/// What the engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It runs the author's examples.
    Begins,
    /// It mutates, and runs probes.
    Goes,
    /// It follows comparisons.
    Follows,
    /// It searches around what showed something new.
    Searches,
}

/// Runs the inputs of a search around an input with these marks.
struct Searching<'e, 't, Z, S, EM, T: Target> {
    fuzzer: &'e mut Z,
    state: &'e mut S,
    manager: &'e mut EM,
    subject: &'e mut Subject<'t, T>,
    by: &'e Cell<Techniques>,
    marks: &'e [Mark],
}

impl<'t, Z, S, EM, T> Runner for Searching<'_, 't, Z, S, EM, T>
where
    T: Target,
    Z: Evaluator<Subject<'t, T>, EM, Input, S>,
{
    type Error = Error;

    fn run(&mut self, input: &Input, by: Source, looks: bool) -> Result<(Ran, bool), Error> {
        if self.subject.target.is_over() {
            return Ok((Ran::Over, false));
        }
        self.by.set(by.into());
        self.subject.target.looks(looks);
        let done = self
            .fuzzer
            .evaluate_input(self.state, self.subject, self.manager, input);
        self.subject.target.looks(false);
        let (_, added) = done?;
        let map = self.subject.observers.0.as_ref();
        let shows = self
            .marks
            .iter()
            .any(|(at, least)| map.get(*at as usize).is_some_and(|class| class >= least));
        let ran = if shows { Ran::Shows } else { Ran::Lost };
        Ok((ran, added.is_some()))
    }
}

/// The marks that an input of the corpus was the first to show.
fn first_shown(state: &State, id: CorpusId) -> Vec<usize> {
    let Ok(testcase) = state.corpus().get(id) else {
        return Vec::new();
    };
    let testcase = testcase.borrow();
    let new = testcase.metadata::<MapNoveltiesMetadata>();
    new.map_or_else(|_| Vec::new(), |new| new.list.clone())
}

/// Those of the marks of an input of the corpus that it was the first to show, without comparisons: these are followed
/// otherwise.
fn searched_for(state: &State, id: CorpusId, marks: &[Mark]) -> Vec<Mark> {
    let new: HashSet<usize> = first_shown(state, id).into_iter().collect();
    let is_own = |(at, _): &&Mark| {
        let at = *at as usize;
        new.contains(&at) && !(MARKS..MARKS + PAIRS).contains(&at)
    };
    marks.iter().filter(is_own).copied().collect()
}

/// Did an input of the corpus run a line first?
fn runs_new(state: &State, id: CorpusId, lines: &mut HashSet<usize>) -> bool {
    let new = first_shown(state, id).into_iter();
    let new = new.filter(|mark| *mark >= MARKS + PAIRS);
    // Each of them is noted.
    new.filter(|mark| lines.insert(*mark)).count() > 0
}

/// Removes inputs from the corpus. The scheduler would look through the whole corpus for each of them.
fn remove(state: &mut State, gone: &[CorpusId]) -> Result<(), Error> {
    for id in gone {
        state.corpus_mut().remove(*id)?;
    }
    if let Some(best) = state.metadata_map_mut().get_mut::<TopRatedsMetadata>() {
        let gone: HashSet<&CorpusId> = gone.iter().collect();
        best.map.retain(|_, id| !gone.contains(id));
    }
    Ok(())
}

fn driven<T: Target>(
    target: &mut T,
    space: &Space<'_>,
    (seeds, probes): (&[Input], Probes<'_>),
    yields: &Yields,
    map: usize,
    seed: u64,
) -> Result<(), Error> {
    let observer = StdMapObserver::owned("seen", vec![0_u8; map])
        .track_indices()
        .track_novelties();
    let joined = Joined::default();
    let by = Rc::new(Cell::new(Techniques::default()));
    let noted = Noted {
        joined: Rc::clone(&joined),
        by: Rc::clone(&by),
    };
    let looks = Rc::new(Cell::new(true));
    let mut feedback = feedback_and_fast!(
        Looks(Rc::clone(&looks)),
        feedback_or!(MaxMapFeedback::new(&observer), noted)
    );
    let mut objective = ConstFeedback::False;
    let mut state = StdState::new(
        StdRand::with_seed(seed),
        InMemoryCorpus::<Input>::new(),
        InMemoryCorpus::<Input>::new(),
        &mut feedback,
        &mut objective,
    )?;
    let hits = Hits::default();
    let usual = IndexesLenTimeMinimizerScheduler::new(&observer, QueueScheduler::new());
    let scheduler = Rare::new(usual, hits.clone());
    let mut fuzzer = StdFuzzer::new(scheduler, feedback, objective);
    let mut manager = NopEventManager::new();
    let free = &Cell::new(true);
    let mut subject = Subject {
        target,
        free,
        looks,
        by: Rc::clone(&by),
        hits,
        observers: tuple_list!(observer),
    };
    let mutations = Mutations {
        space,
        free,
        bandit: Bandit::new(yields),
        by: Rc::clone(&by),
    };
    let mut stages = tuple_list!(StdMutationalStage::with_max_iterations(mutations, MUTANTS));
    let mut known = 0;
    let mut waiting = BinaryHeap::new();
    let mut leads = BinaryHeap::new();
    let mut about: HashMap<usize, Vec<Mark>> = HashMap::new();
    let mut local = Local::new(space);
    let mut lines = HashSet::new();
    let mut mode = Mode::Begins;
    let mut worth = Worth::new(subject.target.room());
    // Tells the target of what is new in the corpus, and drops what is worth least.
    macro_rules! told {
        () => {
            while let Ok(input) = state.corpus().cloned_input_for_id(CorpusId(known)) {
                let (by, marks) = joined.borrow_mut().pop_front().unwrap_or_default();
                // The scheduler keeps a list of the marks, too.
                let bytes = input.bytes() + OVERHEAD + size_of::<usize>() * marks.len();
                worth.shows(CorpusId(known), input.weight(), bytes, &marks);
                subject.target.added(&input, by, &marks);
                let is_line = runs_new(&state, CorpusId(known), &mut lines);
                waiting.push(Lead {
                    is_line,
                    follows: mode == Mode::Follows,
                    number: known,
                });
                let (found, own) = (mode == Mode::Searches, mode == Mode::Begins);
                // Where lines are told, other answers are many.
                let marks = searched_for(&state, CorpusId(known), &marks);
                let mut places = marks.iter().map(|(at, _)| *at as usize);
                let is_told = places.any(|at| at >= MARKS + PAIRS);
                if !marks.is_empty() && (is_told || own || lines.is_empty()) {
                    about.insert(known, marks);
                    leads.push(local::Lead {
                        found,
                        is_line,
                        turns: Reverse(0),
                        own,
                        briefed: false,
                        number: known,
                    });
                }
                known += 1;
            }
            let current = *state.corpus().current();
            let gone = worth.excess(true, |id| Some(*id) == current);
            if !gone.is_empty() {
                remove(&mut state, &gone)?;
            }
        };
    }
    // Runs an input that a source made.
    macro_rules! run {
        ($made:expr) => {{
            let made = $made;
            by.set(made.by);
            fuzzer.evaluate_input(&mut state, &mut subject, &mut manager, &made.input)?;
        }};
    }
    // Tries what comes from comparisons of what is new.
    macro_rules! followed {
        () => {
            if let Some(Lead { number, .. }) = waiting.pop()
                && let Ok(input) = state.corpus().cloned_input_for_id(CorpusId(number))
            {
                let matched = subject.target.matched(&input);
                subject.target.follow(true);
                mode = Mode::Follows;
                for matched in matched.map_err(|Stop| Error::shutting_down())? {
                    run!(matched);
                    told!();
                }
                mode = Mode::Goes;
                subject.target.follow(false);
            }
        };
    }
    // Searches around what is new.
    macro_rules! searched {
        () => {
            if let Some(lead) = leads.pop()
                && let Some(marks) = about.remove(&lead.number)
                && let Ok(input) = state.corpus().cloned_input_for_id(CorpusId(lead.number))
            {
                mode = Mode::Searches;
                let mut searching = Searching {
                    fuzzer: &mut fuzzer,
                    state: &mut state,
                    manager: &mut manager,
                    subject: &mut subject,
                    by: &by,
                    marks: &marks,
                };
                let done = local.search(&input, !lead.briefed, &mut searching)?;
                told!();
                mode = Mode::Goes;
                if done != Some(Searched::All) {
                    about.insert(lead.number, marks);
                    // Its rest comes after what it has found, and after others.
                    leads.push(local::Lead {
                        turns: Reverse(lead.turns.0 + 1),
                        briefed: lead.briefed || done.is_some(),
                        ..lead
                    });
                }
            }
        };
    }
    for input in seeds {
        run!(Made::new(input.clone(), Source::Seeds));
        told!();
    }
    mode = Mode::Goes;
    // Then what is in the folder of the corpus.
    loop {
        let inputs = subject.target.imported();
        if inputs.is_empty() {
            break;
        }
        for made in inputs {
            run!(made);
            told!();
        }
    }
    if state.corpus().count() == 0
        && let Some(first) = seeds.first()
    {
        by.set(Source::Seeds.into());
        fuzzer.add_input(&mut state, &mut subject, &mut manager, first.clone())?;
    }
    let (mut quick, mut slow) = (probes.quick.peekable(), probes.slow.peekable());
    // The first ones come before all else, however busy the machine is, and as many as take little time.
    let began = Instant::now();
    let mut count = 0;
    while (count < FIRST || began.elapsed() < TURN)
        && let Some(made) = quick.next()
    {
        run!(made);
        told!();
        count += 1;
    }
    let mut shares = Shares::default();
    let mut others = VecDeque::new();
    while !subject.target.is_over() && !state.stop_requested() {
        others.extend(subject.target.imported());
        told!();
        let (has_quick, has_slow) = (quick.peek().is_some(), slow.peek().is_some());
        let work = shares.next(|work| match work {
            Work::Probes => has_quick,
            Work::Slow => has_slow,
            Work::Imports => !others.is_empty(),
            Work::Mutants => true,
            Work::Follows => !waiting.is_empty(),
            Work::Searches => !leads.is_empty(),
        });
        let began = Instant::now();
        match work {
            Some(Work::Probes) => {
                for made in quick.by_ref().take(PROBES) {
                    run!(made);
                    if began.elapsed() > TURN {
                        break;
                    }
                }
            }
            Some(Work::Slow) => {
                if let Some(made) = slow.next() {
                    run!(made);
                }
            }
            Some(Work::Imports) => {
                while began.elapsed() < TURN
                    && let Some(made) = others.pop_front()
                {
                    run!(made);
                }
            }
            Some(Work::Follows) => followed!(),
            Some(Work::Searches) => searched!(),
            Some(Work::Mutants) | None => {
                fuzzer.fuzz_one(&mut stages, &mut subject, &mut state, &mut manager)?;
            }
        }
        if let Some(work) = work {
            shares.had(work, began.elapsed());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Lead;
    use std::collections::BinaryHeap;

    #[test]
    fn leads_with_new_lines_are_followed_first() {
        let lead = |is_line, follows, number| Lead {
            is_line,
            follows,
            number,
        };
        let mut leads: BinaryHeap<Lead> = [
            lead(true, false, 1),
            lead(true, true, 2),
            lead(false, true, 3),
            lead(false, false, 4),
            lead(true, true, 5),
        ]
        .into();
        let order: Vec<usize> = std::iter::from_fn(|| leads.pop())
            .map(|lead| lead.number)
            .collect();
        assert_eq!(order, [5, 2, 1, 3, 4]);
    }
}
