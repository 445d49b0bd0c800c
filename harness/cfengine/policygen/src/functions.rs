//! Function calls, by the type of their result.

use crate::choices::Choices;
use crate::condition::condition;
use crate::scope::Scope;
use crate::values::{container, known, list_name, quoted, text, word};

fn argument(choices: &mut Choices, scope: &Scope) -> String {
    let text = text(choices, scope);
    quoted(choices, &text)
}

fn list(choices: &mut Choices, scope: &Scope) -> String {
    let name = list_name(choices, scope);
    match choices.chance(20) {
        true => format!("@({name})"),
        false => format!("\"{name}\""),
    }
}

fn number(choices: &mut Choices) -> &'static str {
    choices.of(&["1", "0", "2", "-1", "10"])
}

/// Generates a call that returns a text.
pub(crate) fn of_text(choices: &mut Choices, scope: &Scope) -> String {
    let c = choices;
    match c.below(24) {
        0 => format!("concat({}, {})", argument(c, scope), argument(c, scope)),
        1 => format!("join(\",\", {})", list(c, scope)),
        2 => format!("canonify({})", argument(c, scope)),
        3 => format!(
            "ifelse({}, {}, {})",
            condition(c, scope, 2),
            argument(c, scope),
            argument(c, scope)
        ),
        4 => format!("nth({}, \"0\")", list(c, scope)),
        5 => format!("nth({}, \"{}\")", list(c, scope), number(c)),
        6 => format!(
            "format(\"{}\", {}, {})",
            c.of(&["%s-%s", "%d|%s", "%5s%-3s.", "%S %s", "%04d%s"]),
            argument(c, scope),
            argument(c, scope)
        ),
        7 => format!("string_upcase({})", argument(c, scope)),
        8 => format!("string_head({}, \"{}\")", argument(c, scope), number(c)),
        9 => format!("string_downcase({})", argument(c, scope)),
        10 => format!(
            "eval({}, \"math\", \"infix\")",
            c.of(&[
                "\"1+2\"",
                "\"2*(3-1)\"",
                "\"1/0\"",
                "\"x\"",
                "\"2^10\"",
                "\"10 % 3\""
            ])
        ),
        11 => format!(
            "regex_replace({}, \"a\", \"z\", \"{}\")",
            argument(c, scope),
            c.of(&["", "g", "i"])
        ),
        12 => format!("string_replace({}, \"a\", \"bb\")", argument(c, scope)),
        13 => format!("nth({}, \"a\")", list(c, scope)),
        14 => format!(
            "{}({}, \"{}\")",
            c.of(&["max", "min"]),
            list(c, scope),
            c.of(&["lex", "int", "real"])
        ),
        15 => format!("storejson({})", list(c, scope)),
        16 => format!(
            "hash({}, \"{}\")",
            argument(c, scope),
            c.of(&["md5", "sha256", "sha1"])
        ),
        17 => format!(
            "execresult(\"/bin/echo {}\", \"noshell\")",
            c.of(&["a", "b c", ""])
        ),
        18 => format!("string_reverse({})", argument(c, scope)),
        19 => format!("string_tail({}, \"{}\")", argument(c, scope), number(c)),
        20 => format!("escape({})", argument(c, scope)),
        21 => format!("basename({})", argument(c, scope)),
        22 => format!("lastnode({}, \"/\")", argument(c, scope)),
        _ => format!(
            "dirname({})",
            c.of(&["\"/a/b\"", "\"a\"", "\"/\"", "\"/a/\""])
        ),
    }
}

/// Generates a call that returns an integer.
pub(crate) fn of_int(choices: &mut Choices, scope: &Scope) -> String {
    let c = choices;
    match c.below(4) {
        0 => format!("length({})", list(c, scope)),
        1 => format!("string_length({})", argument(c, scope)),
        2 => format!("int({})", c.of(&["\"1.9\"", "\"2k\"", "\"x\"", "\"12\""])),
        _ => format!("countclassesmatching(\"{}\")", c.of(&["g_class", "x_.*"])),
    }
}

/// Generates a call that returns a list.
pub(crate) fn of_list(choices: &mut Choices, scope: &Scope) -> String {
    let c = choices;
    match c.below(17) {
        0 => format!(
            "sort({}, \"{}\")",
            list(c, scope),
            c.of(&["lex", "int", "real", "IP", "MAC"])
        ),
        1 => format!(
            "splitstring({}, \",\", \"{}\")",
            argument(c, scope),
            c.of(&["10", "2", "1"])
        ),
        2 => format!("unique({})", list(c, scope)),
        3 => format!("reverse({})", list(c, scope)),
        4 => format!("getindices({})", list(c, scope)),
        5 => format!("getvalues({})", list(c, scope)),
        6 => format!(
            "filter(\"{}\", {}, \"{}\", \"{}\", \"{}\")",
            c.of(&["a.*", "a", ".*"]),
            list(c, scope),
            c.of(&["true", "false"]),
            c.of(&["false", "true"]),
            c.of(&["10", "1"])
        ),
        7 => format!("difference({}, {})", list(c, scope), list(c, scope)),
        8 => format!("intersection({}, {})", list(c, scope), list(c, scope)),
        9 => format!(
            "sublist({}, \"{}\", {})",
            list(c, scope),
            c.of(&["head", "tail"]),
            number(c)
        ),
        10 => format!(
            "maplist(\"<$(this)>{}\", {})",
            word(c).replace(['"', '\\'], ""),
            list(c, scope)
        ),
        11 => format!(
            "string_split({}, \"{}\", \"5\")",
            argument(c, scope),
            c.of(&[",", "a", " "])
        ),
        12 => format!(
            "grep(\"{}\", {})",
            c.of(&["a.*", "a", ".*"]),
            list(c, scope)
        ),
        13 => format!(
            "bundlesmatching(\"{}\")",
            c.of(&["default:.*", "default:b1", "x"])
        ),
        14 => format!(
            "sort(classesmatching(\"{}\"), \"lex\")",
            c.of(&["g_class", "c[0-9].*", "x_.*"])
        ),
        15 => format!(
            "expandrange({}, \"1\")",
            c.of(&["\"a[1-3]\"", "\"b[0-1]\""])
        ),
        _ => "sort(variablesmatching(\"default:main\\.[sl].*\"), \"lex\")".to_owned(),
    }
}

/// Generates a call that returns a container.
pub(crate) fn of_container(choices: &mut Choices, scope: &Scope) -> String {
    let c = choices;
    let name = known(c, &scope.containers).unwrap_or("g.d").to_owned();
    match c.below(5) {
        0 => format!("parsejson('{}')", container(c)),
        1 => format!("mergedata(\"{name}\", \"{}\")", list_name(c, scope)),
        2 => format!("mergedata(\"{name}\", '{}')", container(c)),
        3 => format!("mapdata(\"none\", \"$(this.k)=$(this.v)\", \"{name}\")"),
        _ => format!(
            "data_regextract(\"(?<a>.)(?<b>.*)\", {})",
            argument(c, scope)
        ),
    }
}
