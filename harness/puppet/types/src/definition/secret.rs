//! Which attributes look like secrets.

use crate::types::{Text, Type};

/// Is it a text that should be wrapped, but is not?
pub(super) fn is_bare_text(own: &Type) -> bool {
    !has_sensitive(own) && may_be_text(own)
}

/// Is a part of the type `Sensitive`?
fn has_sensitive(own: &Type) -> bool {
    match own {
        Type::Sensitive(_) => true,
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => has_sensitive(inner),
        Type::Variant(types) => types.iter().any(has_sensitive),
        _ => false,
    }
}

fn may_be_text(own: &Type) -> bool {
    own.is_assignable(&Type::String(Text::Any))
        || match own {
            Type::String(_) | Type::Pattern(_) => true,
            Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => may_be_text(inner),
            Type::Variant(types) => types.iter().any(may_be_text),
            _ => false,
        }
}

/// Does the name promise a secret? Files, hashes and limits of secrets are none.
pub(super) fn looks_secret(name: &str) -> bool {
    const SECRET: [&str; 14] = [
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "passcode",
        "secret",
        "secrets",
        "psk",
        "preshared",
        "token",
        "credential",
        "credentials",
        "apikey",
        "pwd",
    ];
    const ABOUT: [&str; 24] = [
        "file",
        "path",
        "hash",
        "length",
        "policy",
        "expiry",
        "expires",
        "age",
        "type",
        "name",
        "url",
        "id",
        "format",
        "algorithm",
        "timeout",
        "max",
        "min",
        "lifetime",
        "level",
        "prompt",
        "encryption",
        "history",
        "next",
        "arn",
    ];
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(['_', '-']).collect();
    let is_secret = words.iter().any(|word| SECRET.contains(word))
        || lower.contains("api_key")
        || lower.contains("private_key")
        || lower.contains("secret_key")
        || lower.contains("shared_key")
        || lower.contains("auth_key");
    is_secret && !words.iter().any(|word| ABOUT.contains(word))
}
