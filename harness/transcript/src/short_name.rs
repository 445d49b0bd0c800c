//! Names that are small enough to copy: whoever declares one writes it as a constant.

/// A type of names of 1 to 24 bytes, none of them zero, with what it is called in messages.
macro_rules! short_name {
    ($(#[$meta:meta])* $name:ident, $what:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $name::MOST]);

        impl $name {
            /// The length of the longest name, in bytes.
            pub const MOST: usize = 24;

            /// What has this name.
            ///
            /// # Panics
            /// If the name is empty, too long, or has a zero byte. For constants; use [`Self::parse`] for a name
            /// from outside.
            pub const fn named(name: &str) -> Self {
                match Self::parse(name) {
                    Some(known) => known,
                    None => panic!(concat!("the name of a ", $what, " has 1 to 24 bytes, none of them zero")),
                }
            }

            /// What has this name. `None` if nothing can have it.
            pub const fn parse(name: &str) -> Option<Self> {
                let name = name.as_bytes();
                if name.is_empty() || name.len() > Self::MOST {
                    return None;
                }
                let mut bytes = [0; Self::MOST];
                let mut at = 0;
                while at < name.len() {
                    if name[at] == 0 {
                        return None;
                    }
                    bytes[at] = name[at];
                    at += 1;
                }
                Some(Self(bytes))
            }

            /// Its name.
            pub fn name(&self) -> ::std::borrow::Cow<'_, str> {
                let end = self.0.iter().position(|byte| *byte == 0);
                String::from_utf8_lossy(&self.0[..end.unwrap_or(Self::MOST)])
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(&self.name())
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.name())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.name())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = ::std::borrow::Cow::<str>::deserialize(deserializer)?;
                Self::parse(&name).ok_or_else(|| {
                    ::serde::de::Error::custom(format!(
                        concat!("\"{}\" is no ", $what, ": 1 to {} bytes, none of them zero"),
                        name,
                        Self::MOST
                    ))
                })
            }
        }
    };
}

pub(crate) use short_name;
