//! The macro for tables of rules.

/// Connects codes, levels and files: `CODE Level file,`. If the findings of a rule have another
/// subject than the table's default, the entry is `CODE Level file: Matter,`. Codes in brackets
/// after the file are the rules that explain its findings: `CODE Level file [CODE],`.
macro_rules! rules {
    (@matter $all:ident $own:ident) => { stickler_judge::Matter::$own };
    (@matter $all:ident) => { stickler_judge::Matter::$all };
    (
        $(#[$meta:meta])* $table:ident $folder:literal $all:ident
        $($code:ident $level:ident $module:ident $(: $own:ident)? $([$($cause:ident)+])?,)*
    ) => {
        $(mod $module;)*

        $(#[$meta])*
        pub static $table: &[stickler_judge::Rule<crate::session::Session>] = &[
            $(stickler_judge::Rule {
                code: stringify!($code),
                level: stickler_judge::Level::$level,
                matter: rules!(@matter $all $($own)?),
                source: include_str!(concat!($folder, stringify!($module), ".rs")),
                checks: $module::CHECKS,
                explained_by: &[$($(stringify!($cause)),+)?],
            }),*
        ];
    };
}
