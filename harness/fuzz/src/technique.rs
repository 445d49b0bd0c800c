//! Techniques: the ways to make inputs, by name, and which of them made an input.

use crate::input::Input;

/// One way to make inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Technique {
    /// Its name, such as `step/double`.
    pub name: &'static str,
    /// What it does, as a sentence without its end.
    pub sentence: &'static str,
}

/// Declares the sources of inputs, each with its name and its sentence.
macro_rules! sources {
    ($($source:ident $name:literal $sentence:literal,)*) => {
        /// What makes whole inputs, one after the other. A mutation changes an input once instead.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Source {
            $($source,)*
        }

        /// The techniques of the sources, in their order.
        pub(crate) const SOURCES: &[Technique] = &[
            $(Technique { name: $name, sentence: $sentence },)*
        ];
    };
}

sources! {
    Seeds "seed/examples" "runs the author's examples, alone and in short sequences",
    Imported "seed/corpus" "runs what the folder of the corpus holds, or another worker found",
    Behind "seed/behind" "runs an input behind those before it in its process, as one input",
    Neighbours "probe/near" "tries each value near that of the author in each field",
    TwoNeighbours "probe/two-near" "tries values near those of the author in two fields at once",
    AfterAnother "probe/after" "changes an item that the same process has just brought about",
    Words "probe/words" "tries each word that troubles programs in each field",
    OwnWords "probe/own-words" "tries each word of the subject's source in each field",
    Lengths "probe/lengths" "tries texts as long as buffers in each field",
    SplitLengths "probe/split-lengths" "the same with a letter of two bytes across the end",
    WholeLengths "probe/whole-lengths" "tries messages as long as buffers",
    Outside "probe/outside" "puts something in the way of an item, or changes what it brought about",
    Lists "probe/lists" "tries the author's lists with an element more, backwards, and empty",
    Unknown "probe/unknown" "adds attributes with names of the subject's source",
    Everywhere "probe/cuts" "cuts each message into pieces at each place",
    Pieces "probe/pieces" "sends longer messages in pieces, some cut inside a letter",
    Slow "probe/slow" "sends messages byte by byte, and with a pause where one may seem to be over",
    Sequences "probe/sequences" "asks about two items in each short sequence",
    Crowds "probe/crowds" "asks about many items, or often about one, before the first comes again",
    Without "probe/without" "leaves out each attribute, and empties each text",
    Framed "probe/framing" "sends messages without an end, two at once, or with other line ends",
    Environments "probe/environment" "changes the environment in one way",
    Again "compared/again" "sends the last message again, if the subject compared anything",
    Exact "compared/exact" "puts one side of a comparison in the place of the other",
    Near "compared/near" "puts a value near one side of a comparison in the place of the other",
    Length "compared/length" "makes a text as long as a length that was compared",
    Form "compared/form" "puts in a text whose other form, such as base64, was compared",
    Afterwards "compared/afterwards" "sends the message as it was after its change",
    Undo "search/undo" "takes the changes of an input that showed something back, one by one",
    Cross "search/cross" "puts values together that showed something in different fields",
    Otherwise "search/otherwise" "asks for something else about what showed something",
    Beside "search/beside" "tries values near the author's in other fields than the one that showed something",
    Byte "search/byte" "tries each byte at a place that showed something, and beside it",
    Next "search/next" "sends a message that showed something again, with each byte at a place",
    Nearby "search/near" "tries each text near one that showed something",
    Word "search/word" "puts each word of the subject's source where something showed",
    Later "search/later" "sends what showed something again after others, a change, a refusal or a look",
}

impl From<Source> for Techniques {
    fn from(source: Source) -> Self {
        let mut all = Techniques::default();
        all.add(source as usize);
        all
    }
}

/// The techniques that made an input, by their places in the list of all: first the sources, then the mutations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Techniques(u128);

impl Techniques {
    /// Adds a technique by its place in the list.
    pub(crate) fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    /// How many there are.
    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Their places, in order.
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let place = usize::try_from(rest.trailing_zeros()).ok();
            let place = place.filter(|_| rest != 0)?;
            rest &= rest - 1;
            Some(place)
        })
    }

    /// With one more.
    pub(crate) fn and(mut self, source: Source) -> Self {
        self.add(source as usize);
        self
    }
}

/// An input, and the techniques that made it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    pub(crate) input: Input,
    pub(crate) by: Techniques,
}

impl Made {
    /// An input of a source.
    pub(crate) fn new(input: Input, source: Source) -> Self {
        let by = source.into();
        Made { input, by }
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Techniques};

    #[test]
    fn a_set_of_techniques_returns_the_places_that_were_added() {
        let mut all = Techniques::from(Source::Exact).and(Source::Seeds);
        all.add(127);
        all.add(127);
        let places: Vec<usize> = all.places().collect();
        assert_eq!(places, [0, Source::Exact as usize, 127]);
        assert_eq!(all.count(), 3);
        assert_eq!(Techniques::default().places().count(), 0);
    }
}
