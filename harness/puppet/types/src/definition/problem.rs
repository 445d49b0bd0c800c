//! What can be wrong with a definition.

use super::{Auto, Behaviour, Subject};
use crate::parse::ParseError;
use crate::types::{Unfollowed, Unknown};
use std::fmt::{self, Display, Formatter};

/// Where in a definition something is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// The definition itself.
    Top,
    /// An attribute, or a key of `connection_info`.
    Attribute(String),
    /// A title pattern, counted from 0.
    Pattern(usize),
    /// A key for automatic relationships.
    Auto(Auto),
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => f.write_str("the definition"),
            Self::Attribute(name) => write!(f, "attribute `{name}`"),
            Self::Pattern(index) => write!(f, "title pattern {}", index + 1),
            Self::Auto(auto) => write!(f, "`{}`", auto.key()),
        }
    }
}

/// One fault of a definition. Texts of values are as Ruby's `inspect` writes them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// It is no hash.
    #[error("the definition is of class {class}, not a hash")]
    NoHash {
        /// Its class.
        class: String,
    },
    /// It has no name.
    #[error("the definition has no name")]
    NoName,
    /// Its name is no text, or gives no class name.
    #[error("the name {name} gives no valid class name")]
    BadName {
        /// The name.
        name: String,
    },
    /// It has no attributes, or no `connection_info`.
    #[error("the definition has no `{key}`")]
    NoAttributes {
        /// The missing key.
        key: &'static str,
    },
    /// Its attributes are no hash.
    #[error("`{key}` is of class {class}, not a hash")]
    AttributesNoHash {
        /// The key.
        key: &'static str,
        /// The class of its value.
        class: String,
    },
    /// A key is no symbol, so nothing finds it.
    #[error("{place}: the key {key} is no symbol")]
    KeyNoSymbol {
        /// Where.
        place: Part,
        /// The key.
        key: String,
    },
    /// An attribute is no hash.
    #[error("attribute `{attribute}` is of class {class}, not a hash")]
    AttributeNoHash {
        /// Its name.
        attribute: String,
        /// Its class.
        class: String,
    },
    /// An attribute has no type.
    #[error("attribute `{attribute}` has no type")]
    NoType {
        /// Its name.
        attribute: String,
    },
    /// A type is no text.
    #[error("the type of attribute `{attribute}` is of class {class}, not text")]
    TypeNoText {
        /// The attribute's name.
        attribute: String,
        /// The class of the type.
        class: String,
    },
    /// A type does not parse.
    #[error("the type `{text}` of attribute `{attribute}` does not parse: {error}")]
    TypeNotParsed {
        /// The attribute's name.
        attribute: String,
        /// The text of the type.
        text: String,
        /// Why not.
        error: ParseError,
    },
    /// A type names another one that does not exist.
    #[error("the type of attribute `{attribute}` names `{name}`, which is unknown")]
    TypeUnresolved {
        /// The attribute's name.
        attribute: String,
        /// The unknown name.
        name: String,
    },
    /// A type names an alias that cannot be followed.
    #[error("the type of attribute `{attribute}` names `{}`, {}", alias.name, alias.why)]
    AliasUnknown {
        /// The attribute's name.
        attribute: String,
        /// The alias.
        alias: Unknown,
    },
    /// There is no description.
    #[error("{place} has no `desc`")]
    NoDesc {
        /// What.
        place: Part,
    },
    /// The description has no letters.
    #[error("the `desc` of {place} is blank")]
    BlankDesc {
        /// What.
        place: Part,
    },
    /// The description is no text.
    #[error("the `desc` of {place} is of class {class}, not text")]
    DescNoText {
        /// What.
        place: Part,
        /// The class.
        class: String,
    },
    /// There are `desc` and `docs`.
    #[error("{place} has both `desc` and `docs`")]
    DescAndDocs {
        /// What.
        place: Part,
    },
    /// A key is unknown, but nearly a known one.
    #[error("{place}: `{key}` is unknown; is `{known}` meant?")]
    NearlyKnown {
        /// Where.
        place: Part,
        /// The key.
        key: String,
        /// The known one.
        known: &'static str,
    },
    /// A behaviour that does not exist.
    #[error("attribute `{attribute}`: {behaviour} is no behaviour")]
    UnknownBehaviour {
        /// The attribute's name.
        attribute: String,
        /// The behaviour.
        behaviour: String,
    },
    /// `behaviour` and `behavior` are both there.
    #[error("attribute `{attribute}` has both `behaviour` and `behavior`")]
    BothBehaviours {
        /// The attribute's name.
        attribute: String,
    },
    /// A name that Puppet uses itself.
    #[error("`{attribute}` is a reserved name")]
    ReservedName {
        /// The attribute's name.
        attribute: String,
    },
    /// `ensure` has another type than it must have.
    #[error("`ensure` is of type `{text}`, not `Enum[present, absent]`")]
    EnsureType {
        /// The text of its type.
        text: String,
    },
    /// `ensure` is no ordinary property.
    #[error("`ensure` is {}, not a property", behaviour.name().unwrap_or("a property"))]
    EnsureBehaviour {
        /// What it is.
        behaviour: Behaviour,
    },
    /// A default is not of the attribute's type.
    #[error("the default of attribute `{attribute}` {message}")]
    DefaultMismatch {
        /// The attribute's name.
        attribute: String,
        /// Why not.
        message: String,
    },
    /// Only Ruby can tell whether a default is of the attribute's type.
    #[error("whether the default of attribute `{attribute}` fits is undecided: {reason}")]
    DefaultUndecided {
        /// The attribute's name.
        attribute: String,
        /// Why.
        reason: String,
    },
    /// What is only read has a default.
    #[error("attribute `{attribute}` is read_only and has a default")]
    DefaultOfReadOnly {
        /// The attribute's name.
        attribute: String,
    },
    /// A default that cannot be copied.
    #[error("the default of attribute `{attribute}` is a block of code")]
    DefaultProc {
        /// The attribute's name.
        attribute: String,
    },
    /// `features` is no list.
    #[error("`features` is of class {class}, not a list")]
    FeaturesNoList {
        /// Its class.
        class: String,
    },
    /// A feature is no string, so it is not active.
    #[error("the feature {feature} is no string")]
    FeatureNoText {
        /// The feature.
        feature: String,
    },
    /// A feature that does not exist.
    #[error("the feature `{feature}` is unknown")]
    UnknownFeature {
        /// The feature.
        feature: String,
    },
    /// No attribute identifies a resource.
    #[error("no attribute is a namevar")]
    NoNamevar,
    /// Several namevars, but titles do not tell them.
    #[error("several namevars, but no `title_patterns`")]
    NoTitlePatterns,
    /// `title_patterns` is no list.
    #[error("`title_patterns` is of class {class}, not a list")]
    TitlePatternsNoList {
        /// Its class.
        class: String,
    },
    /// A title pattern is no hash.
    #[error("title pattern {} is of class {class}, not a hash", index + 1)]
    TitlePatternNoHash {
        /// Which, from 0.
        index: usize,
        /// Its class.
        class: String,
    },
    /// A title pattern has no pattern.
    #[error("title pattern {} has no `pattern`", index + 1)]
    NoPattern {
        /// Which, from 0.
        index: usize,
    },
    /// A title pattern has no description.
    #[error("title pattern {} has no `desc`", index + 1)]
    NoPatternDesc {
        /// Which, from 0.
        index: usize,
    },
    /// A pattern is no regular expression.
    #[error("title pattern {} is of class {class}, not a regular expression", index + 1)]
    PatternNoRegexp {
        /// Which, from 0.
        index: usize,
        /// Its class.
        class: String,
    },
    /// A pattern does not compile.
    #[error("title pattern {} does not compile: {message}", index + 1)]
    PatternInvalid {
        /// Which, from 0.
        index: usize,
        /// Why not.
        message: String,
    },
    /// Only Ruby can tell what a pattern captures.
    #[error("title pattern {} is undecided: {reason}", index + 1)]
    PatternUndecided {
        /// Which, from 0.
        index: usize,
        /// Why.
        reason: String,
    },
    /// A group of a pattern is no namevar.
    #[error("title pattern {} captures `{name}`, which is no namevar", index + 1)]
    CaptureNoNamevar {
        /// Which, from 0.
        index: usize,
        /// The group.
        name: String,
    },
    /// No pattern captures a namevar.
    #[error("no title pattern captures the namevar `{namevar}`")]
    NamevarNotCaptured {
        /// The namevar.
        namevar: String,
    },
    /// No title was found that a pattern matches first.
    #[error("title pattern {} is never the first match: pattern {} matches before", index + 1, by + 1)]
    Shadowed {
        /// Which, from 0.
        index: usize,
        /// The pattern that matches instead.
        by: usize,
    },
    /// Automatic relationships are no hash.
    #[error("`{}` is of class {class}, not a hash", auto.key())]
    AutoNoHash {
        /// Which key.
        auto: Auto,
        /// The class of its value.
        class: String,
    },
    /// The type of a related resource is neither a symbol nor a string.
    #[error("`{}`: {type_name} is no name of a type", auto.key())]
    AutoTypeName {
        /// Which key.
        auto: Auto,
        /// The name.
        type_name: String,
    },
    /// The title of a related resource is no text.
    #[error("`{}`: {title} is neither text nor `$attribute`", auto.key())]
    AutoTitle {
        /// Which key.
        auto: Auto,
        /// The title.
        title: String,
    },
    /// A related resource is named after an attribute that does not exist.
    #[error("`{}` refers to the attribute `{attribute}`, which does not exist", auto.key())]
    AutoUnknownAttribute {
        /// Which key.
        auto: Auto,
        /// The attribute.
        attribute: String,
    },
    /// An attribute looks like a secret, but is not `Sensitive`.
    #[error("attribute `{attribute}` looks like a secret, but its type is not `Sensitive`")]
    Secret {
        /// Its name.
        attribute: String,
    },
    /// A key that Bolt reserves.
    #[error("`{attribute}` is a reserved keyword of connections")]
    ReservedKeyword {
        /// The key.
        attribute: String,
    },
    /// A key for which there is a usual name.
    #[error("`{attribute}` is usually called `{usual}`")]
    UnusualKeyword {
        /// The key.
        attribute: String,
        /// The usual name.
        usual: &'static str,
    },
    /// A key looks like a secret, but is not marked.
    #[error("`{attribute}` looks like a secret, but is not marked `sensitive: true`")]
    NotSensitive {
        /// The key.
        attribute: String,
    },
    /// A secret has a default.
    #[error(
        "the secret `{attribute}` has a default, which everybody can read in the source and in logs"
    )]
    SecretDefault {
        /// The key.
        attribute: String,
    },
    /// The mark of a secret is something else than true, so it does nothing.
    #[error("`sensitive` of `{attribute}` is {value}, not true")]
    SensitiveNoBoolean {
        /// The key.
        attribute: String,
        /// What it is.
        value: String,
    },
    /// The order of keys is no list.
    #[error("`connection_info_order` is of class {class}, not a list")]
    OrderNoList {
        /// Its class.
        class: String,
    },
    /// The order names a key that does not exist.
    #[error("`connection_info_order` names {key}, which is no key of `connection_info`")]
    OrderUnknown {
        /// The key.
        key: String,
    },
    /// A key of `connection_info` is a string, as older device code has it.
    #[error("the key {key} of `connection_info` is a string")]
    StringKey {
        /// The key.
        key: String,
    },
}

impl Problem {
    /// The rule that it breaks, in a definition of this kind.
    pub fn rule(&self, subject: Subject) -> &'static str {
        let rule = self.rule_of_types();
        // What makes a schema unusable is one rule of transports. Texts of its keys are not.
        let is_text = matches!(
            self,
            Self::NoDesc {
                place: Part::Attribute(_)
            } | Self::BlankDesc {
                place: Part::Attribute(_)
            } | Self::DescNoText {
                place: Part::Attribute(_),
                ..
            } | Self::DescAndDocs {
                place: Part::Attribute(_)
            }
        );
        let unusable = ["RA101", "RA102", "RA103", "RA105"].contains(&rule) && !is_text;
        if subject == Subject::Transport && unusable {
            return "RA701";
        }
        match (subject, rule) {
            (Subject::Transport, "RA115") => "RA704",
            _ => rule,
        }
    }

    /// Is it wrong by the letter alone, since the library drops what is too much?
    pub fn is_harmless(&self) -> bool {
        matches!(self, Self::DefaultOfReadOnly { .. })
    }

    fn rule_of_types(&self) -> &'static str {
        match self {
            Self::NoHash { .. } | Self::NoName | Self::BadName { .. } => "RA101",
            Self::NoAttributes { .. }
            | Self::AttributesNoHash { .. }
            | Self::AttributeNoHash { .. }
            | Self::NoType { .. }
            | Self::KeyNoSymbol { .. } => "RA102",
            Self::NoDesc { .. }
            | Self::BlankDesc { .. }
            | Self::DescNoText { .. }
            | Self::DescAndDocs { .. } => "RA103",
            Self::NearlyKnown { .. } => "RA104",
            Self::TypeNoText { .. }
            | Self::TypeNotParsed { .. }
            | Self::TypeUnresolved { .. }
            | Self::AliasUnknown { .. } => "RA105",
            Self::UnknownBehaviour { .. } | Self::BothBehaviours { .. } => "RA106",
            Self::ReservedName { .. } => "RA107",
            Self::EnsureType { .. } | Self::EnsureBehaviour { .. } => "RA108",
            Self::DefaultMismatch { .. }
            | Self::DefaultUndecided { .. }
            | Self::DefaultOfReadOnly { .. }
            | Self::DefaultProc { .. } => "RA109",
            Self::FeaturesNoList { .. }
            | Self::FeatureNoText { .. }
            | Self::UnknownFeature { .. } => "RA110",
            Self::NoNamevar | Self::NoTitlePatterns => "RA111",
            Self::TitlePatternsNoList { .. }
            | Self::TitlePatternNoHash { .. }
            | Self::NoPattern { .. }
            | Self::NoPatternDesc { .. }
            | Self::PatternNoRegexp { .. }
            | Self::PatternInvalid { .. }
            | Self::PatternUndecided { .. }
            | Self::CaptureNoNamevar { .. }
            | Self::NamevarNotCaptured { .. } => "RA112",
            Self::Shadowed { .. } => "RA113",
            Self::AutoNoHash { .. }
            | Self::AutoTypeName { .. }
            | Self::AutoTitle { .. }
            | Self::AutoUnknownAttribute { .. } => "RA114",
            Self::Secret { .. } | Self::SecretDefault { .. } => "RA115",
            Self::ReservedKeyword { .. } => "RA702",
            Self::UnusualKeyword { .. } => "RA703",
            Self::NotSensitive { .. } | Self::SensitiveNoBoolean { .. } => "RA704",
            Self::OrderNoList { .. } | Self::OrderUnknown { .. } => "RA701",
            Self::StringKey { .. } => "RA717",
        }
    }

    /// Is it no fault, but a question that cannot be answered here?
    pub fn is_undecided(&self) -> bool {
        match self {
            Self::DefaultUndecided { .. } | Self::PatternUndecided { .. } => true,
            Self::AliasUnknown { alias, .. } => !matches!(alias.why, Unfollowed::Broken(_)),
            _ => false,
        }
    }
}
