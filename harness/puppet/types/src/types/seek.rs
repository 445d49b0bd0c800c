//! Looks for parts of types.

use super::{Alias, Parameter, Type, Unknown};

impl Type {
    /// The first name in the type, in the order in which Puppet looks, that stands for nothing.
    pub fn unresolved(&self) -> Option<&str> {
        self.seek(&mut |one| match one {
            Self::Reference(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The first alias in the type that cannot be followed here.
    pub fn unknown(&self) -> Option<&Unknown> {
        self.seek(&mut |one| match one {
            Self::Unknown(own) => Some(own),
            _ => None,
        })
    }

    /// Does it name an alias of a module?
    pub fn has_alias(&self) -> bool {
        let alias = self.seek(&mut |one| match one {
            Self::Alias(Alias::Module(_)) | Self::Unknown(_) => Some(()),
            _ => None,
        });
        alias.is_some()
    }

    /// May a value of it hold a Sensitive one? `Any` and what is not known may, too.
    pub fn may_be_sensitive(&self) -> bool {
        let part = self.seek(&mut |one| match one {
            Self::Sensitive(_) | Self::Unknown(_) | Self::Reference(_) | Self::Any => Some(()),
            _ => None,
        });
        part.is_some()
    }

    /// Has it more than so many parts?
    pub(crate) fn is_larger(&self, most: usize) -> bool {
        let mut parts = 0;
        let last = self.seek(&mut |_| {
            parts += 1;
            (parts > most).then_some(())
        });
        last.is_some()
    }

    /// Visits the type and its parts until one gives something.
    pub(super) fn seek<'t, T>(&'t self, visit: &mut dyn FnMut(&'t Self) -> Option<T>) -> Option<T> {
        if let Some(found) = visit(self) {
            return Some(found);
        }
        match self {
            Self::NotUndef(inner)
            | Self::Optional(inner)
            | Self::Iterable(inner)
            | Self::Iterator(inner)
            | Self::Type(inner) => inner.as_ref()?.seek(visit),
            Self::Sensitive(inner) => inner.seek(visit),
            Self::Array { element, .. } => element.seek(visit),
            Self::Hash { key, value, .. } => key.seek(visit).or_else(|| value.seek(visit)),
            Self::Struct(members) => members.iter().find_map(|one| one.value.seek(visit)),
            Self::Tuple { types, .. } | Self::Variant(types) => {
                types.iter().find_map(|one| one.seek(visit))
            }
            Self::Rare(rare) => rare.parameters.iter().find_map(|one| match one {
                Parameter::Type(inner) => inner.seek(visit),
                _ => None,
            }),
            Self::Alias(Alias::Module(own)) => own.target.seek(visit),
            _ => None,
        }
    }
}
