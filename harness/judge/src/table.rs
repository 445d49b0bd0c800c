//! The macro for tables of rules.

/// Declares a table of rules, and a module for each: first the table, the folder of its files, and the
/// usual subject matter. Each entry connects code, level and file: `CODE Level file,`. If the findings of a rule have another subject matter, it is
/// `CODE Level file: Matter,`. Codes in brackets after the file are the rules that explain its
/// findings: `CODE Level file [CODE],`; those in braces are the rules that it presumes:
/// `CODE Level file {CODE},`; those behind `after` are the rules that explain it wherever something was evaluated before in the same process:
/// `CODE Level file after [CODE],`; those behind `beside` explain it if they are broken in any session of the same
/// example or kind: `CODE Level file beside [CODE],`. Constants in parentheses are its needs: `CODE Level file (NEED),`. A text
/// at the end says what is missing if nothing in the sessions exercises it:
/// `CODE Level file = TEXT,`.
#[macro_export]
macro_rules! rules {
    (@matter $all:ident $own:ident) => { $crate::Matter::$own };
    (@matter $all:ident) => { $crate::Matter::$all };
    (@silent $text:ident) => { Some($text) };
    (@silent) => { None };
    (
        $(#[$meta:meta])* $table:ident $folder:literal $all:ident
        $($code:ident $level:ident $module:ident $(: $own:ident)? $([$($cause:ident)+])?
            $({$($basis:ident)+})? $(after [$($state:ident)+])? $(beside [$($deeper:ident)+])? $(($($need:ident)+))? $(= $silent:ident)?,)*
    ) => {
        $(mod $module;)*

        $(#[$meta])*
        pub static $table: &[$crate::Rule] = &[
            $($crate::Rule {
                code: stringify!($code),
                level: $crate::Level::$level,
                matter: $crate::rules!(@matter $all $($own)?),
                source: include_str!(concat!($folder, stringify!($module), ".rs")),
                checks: &$module::CHECKS,
                explained_by: &[$($(stringify!($cause)),+)?],
                presumes: &[$($(stringify!($basis)),+)?],
                after: &[$($(stringify!($state)),+)?],
                beside: &[$($(stringify!($deeper)),+)?],
                needs: &[$($($need),+)?],
                silent: $crate::rules!(@silent $($silent)?),
            }),*
        ];
    };
}
