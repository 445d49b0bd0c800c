//! How a table of rules is written.

/// Ties codes, levels and files together: `CODE Level file,`.
macro_rules! rules {
    ($(#[$meta:meta])* $table:ident $folder:literal $($code:ident $level:ident $module:ident,)*) => {
        $(mod $module;)*

        $(#[$meta])*
        pub static $table: &[stickler_judge::Rule<crate::session::Session>] = &[
            $(stickler_judge::Rule {
                code: stringify!($code),
                level: stickler_judge::Level::$level,
                source: include_str!(concat!($folder, stringify!($module), ".rs")),
                checks: $module::CHECKS,
            }),*
        ];
    };
}
