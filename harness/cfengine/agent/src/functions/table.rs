//! The table of all functions, by name: their result type, their number of arguments and their
//! implementation.

use super::{
    Work, accounts, chance, csv, data, fields, files, hosts, lists, logic, maths, names, run,
    strings,
};
use crate::value::Kind;

/// A function.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The type of its result.
    pub kind: Kind,
    /// How many arguments it takes; `None` if that varies.
    pub arguments: Option<usize>,
    /// Whether lists among its arguments stay whole.
    pub(crate) collects: bool,
    /// Whether its results are cached by its arguments.
    pub(crate) cached: bool,
    /// Whether it expands its arguments itself.
    pub(crate) delayed: bool,
    /// Whether it gets its arguments as written, once the agent was able to expand them.
    pub(crate) as_written: bool,
    /// Whether it starts programs.
    pub(crate) starts: bool,
    /// Its implementation; `None` if the reference agent does not support it.
    pub(crate) work: Option<Work>,
}

impl Entry {
    /// Whether the reference agent supports it.
    pub fn is_supported(&self) -> bool {
        self.work.is_some()
    }
}

const fn f(
    name: &'static str,
    kind: Kind,
    flags: &'static str,
    arguments: usize,
    work: Option<Work>,
) -> Entry {
    let (mut collects, mut cached, mut delayed, mut varies, mut starts) =
        (false, false, false, false, false);
    let mut as_written = false;
    let flags = flags.as_bytes();
    let mut at = 0;
    while at < flags.len() {
        match flags[at] {
            b'l' => collects = true,
            b'c' => cached = true,
            b'd' => delayed = true,
            b'v' => varies = true,
            b's' => starts = true,
            b'w' => as_written = true,
            _ => {}
        }
        at += 1;
    }
    Entry {
        name,
        kind,
        arguments: if varies { None } else { Some(arguments) },
        collects,
        cached,
        delayed,
        as_written,
        starts,
        work,
    }
}

/// All functions that cf-agent 3.21.0 has, sorted.
#[rustfmt::skip]
pub static TABLE: &[Entry] = &[
    f("accessedbefore", Kind::Class, "", 2, Some(files::compare)),
    f("accumulated", Kind::Int, "", 6, Some(maths::date)),
    f("ago", Kind::Int, "", 6, Some(maths::date)),
    f("and", Kind::Class, "v", 0, Some(logic::and)),
    f("basename", Kind::String, "v", 2, Some(files::basename)),
    f("bundlesmatching", Kind::StringList, "v", 1, Some(names::bundles)),
    f("bundlestate", Kind::Data, "", 1, Some(names::bundlestate)),
    f("callstack_callers", Kind::Data, "", 0, None),
    f("callstack_promisers", Kind::StringList, "", 0, Some(names::promisers)),
    f("canonify", Kind::String, "", 1, Some(strings::canonify)),
    f("canonifyuniquely", Kind::String, "", 1, Some(strings::canonify)),
    f("cf_version_after", Kind::Class, "", 1, Some(logic::version)),
    f("cf_version_at", Kind::Class, "", 1, Some(logic::version)),
    f("cf_version_before", Kind::Class, "", 1, Some(logic::version)),
    f("cf_version_between", Kind::Class, "", 2, Some(logic::version)),
    f("cf_version_maximum", Kind::Class, "", 1, Some(logic::version)),
    f("cf_version_minimum", Kind::Class, "", 1, Some(logic::version)),
    f("changedbefore", Kind::Class, "", 2, Some(files::compare)),
    f("classesmatching", Kind::StringList, "v", 0, Some(names::classes)),
    f("classfiltercsv", Kind::Data, "v", 4, Some(csv::classfiltercsv)),
    f("classify", Kind::Class, "", 1, Some(logic::classify)),
    f("classmatch", Kind::Class, "v", 0, Some(names::classes)),
    f("concat", Kind::String, "v", 0, Some(strings::concat)),
    f("countclassesmatching", Kind::Int, "v", 0, Some(names::classes)),
    f("countlinesmatching", Kind::Int, "", 2, Some(files::lines_matching)),
    f("data_expand", Kind::Data, "l", 1, Some(data::data_expand)),
    f("data_readstringarray", Kind::Data, "", 5, Some(fields::data_read)),
    f("data_readstringarrayidx", Kind::Data, "", 5, Some(fields::data_read)),
    f("data_regextract", Kind::Data, "", 2, Some(data::data_regextract)),
    f("data_sysctlvalues", Kind::Data, "", 0, None),
    f("datastate", Kind::Data, "", 0, Some(names::datastate)),
    f("difference", Kind::StringList, "l", 2, Some(lists::sets)),
    f("dirname", Kind::String, "", 1, Some(files::dirname)),
    f("diskfree", Kind::Int, "", 1, Some(files::diskfree)),
    f("escape", Kind::String, "", 1, Some(strings::escape)),
    f("eval", Kind::String, "v", 3, Some(maths::eval)),
    f("every", Kind::Class, "l", 2, Some(lists::matching)),
    f("execresult", Kind::String, "cvs", 3, Some(run::execresult)),
    f("execresult_as_data", Kind::Data, "cvs", 3, Some(run::execresult)),
    f("expandrange", Kind::StringList, "", 2, Some(lists::expandrange)),
    f("file_hash", Kind::String, "", 2, Some(maths::hash)),
    f("fileexists", Kind::Class, "", 1, Some(files::fileexists)),
    f("filesexist", Kind::Class, "l", 1, Some(files::filesexist)),
    f("filesize", Kind::Int, "", 1, Some(files::filesize)),
    f("filestat", Kind::String, "", 2, Some(files::filestat)),
    f("filter", Kind::StringList, "l", 5, Some(lists::filter)),
    f("findfiles", Kind::StringList, "v", 0, Some(files::findfiles)),
    f("findfiles_up", Kind::Data, "v", 3, Some(files::findfiles_up)),
    f("findprocesses", Kind::Data, "c", 1, None),
    f("format", Kind::String, "v", 1, Some(strings::format)),
    f("getclassmetatags", Kind::StringList, "v", 1, Some(names::metatags)),
    f("getenv", Kind::String, "", 2, Some(run::getenv)),
    f("getfields", Kind::Int, "", 4, Some(fields::getfields)),
    f("getgid", Kind::Int, "", 1, Some(accounts::accounts)),
    f("getindices", Kind::StringList, "l", 1, Some(data::getindices)),
    f("getuid", Kind::Int, "", 1, Some(accounts::accounts)),
    f("getuserinfo", Kind::Data, "v", 1, Some(accounts::getuserinfo)),
    f("getusers", Kind::StringList, "", 2, Some(accounts::getusers)),
    f("getvalues", Kind::StringList, "l", 1, Some(data::getvalues)),
    f("getvariablemetatags", Kind::StringList, "v", 1, Some(names::metatags)),
    f("grep", Kind::StringList, "l", 2, Some(lists::matching)),
    f("groupexists", Kind::Class, "", 1, Some(accounts::accounts)),
    f("hash", Kind::String, "", 2, Some(maths::hash)),
    f("hash_to_int", Kind::Int, "", 3, Some(chance::hash_to_int)),
    f("hashmatch", Kind::Class, "", 3, Some(maths::hash)),
    f("host2ip", Kind::String, "c", 1, None),
    f("hostinnetgroup", Kind::Class, "", 1, None),
    f("hostrange", Kind::Class, "", 2, Some(hosts::hostrange)),
    f("hostsseen", Kind::StringList, "", 3, None),
    f("hostswithclass", Kind::StringList, "", 2, None),
    f("hubknowledge", Kind::String, "c", 1, None),
    f("ifelse", Kind::String, "v", 0, Some(logic::ifelse)),
    f("int", Kind::Int, "", 1, Some(strings::convert)),
    f("intersection", Kind::StringList, "l", 2, Some(lists::sets)),
    f("ip2host", Kind::String, "c", 1, None),
    f("iprange", Kind::Class, "v", 1, Some(hosts::iprange)),
    f("irange", Kind::Class, "", 2, Some(maths::range)),
    f("isdir", Kind::Class, "", 1, Some(files::is)),
    f("isexecutable", Kind::Class, "", 1, Some(files::is)),
    f("isgreaterthan", Kind::Class, "", 2, Some(logic::compare)),
    f("isipinsubnet", Kind::Class, "v", 1, Some(hosts::isipinsubnet)),
    f("islessthan", Kind::Class, "", 2, Some(logic::compare)),
    f("islink", Kind::Class, "", 1, Some(files::is)),
    f("isnewerthan", Kind::Class, "", 2, Some(files::compare)),
    f("isplain", Kind::Class, "", 1, Some(files::is)),
    f("isvariable", Kind::Class, "", 1, Some(logic::isvariable)),
    f("join", Kind::String, "l", 2, Some(lists::join)),
    f("lastnode", Kind::String, "", 2, Some(files::lastnode)),
    f("laterthan", Kind::Class, "", 6, Some(maths::date)),
    f("ldaparray", Kind::Class, "", 6, None),
    f("ldaplist", Kind::StringList, "c", 6, None),
    f("ldapvalue", Kind::String, "c", 6, None),
    f("length", Kind::Int, "l", 1, Some(lists::length)),
    f("lsdir", Kind::StringList, "", 3, Some(files::lsdir)),
    f("makerule", Kind::String, "l", 2, Some(files::makerule)),
    f("maparray", Kind::StringList, "lw", 2, Some(data::mapdata)),
    f("mapdata", Kind::Data, "ld", 3, Some(data::mapdata)),
    f("maplist", Kind::StringList, "ld", 2, Some(data::maplist)),
    f("max", Kind::String, "l", 2, Some(lists::fold)),
    f("mean", Kind::Real, "l", 1, Some(lists::fold)),
    f("mergedata", Kind::Data, "lv", 0, Some(data::mergedata)),
    f("min", Kind::String, "l", 2, Some(lists::fold)),
    f("network_connections", Kind::Data, "", 0, None),
    f("none", Kind::Class, "l", 2, Some(lists::matching)),
    f("not", Kind::Class, "", 1, Some(logic::not)),
    f("now", Kind::Int, "", 0, Some(maths::now)),
    f("nth", Kind::String, "l", 2, Some(lists::nth)),
    f("on", Kind::Int, "", 6, Some(maths::date)),
    f("or", Kind::Class, "v", 0, Some(logic::or)),
    f("packagesmatching", Kind::Data, "", 4, None),
    f("packageupdatesmatching", Kind::Data, "", 4, None),
    f("parseintarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("parsejson", Kind::Data, "", 1, Some(data::parsejson)),
    f("parserealarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("parsestringarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("parsestringarrayidx", Kind::Int, "", 6, Some(fields::read_array)),
    f("parseyaml", Kind::Data, "", 1, Some(data::parseyaml)),
    f("peerleader", Kind::String, "", 3, Some(fields::peers)),
    f("peerleaders", Kind::StringList, "", 3, Some(fields::peers)),
    f("peers", Kind::StringList, "", 3, Some(fields::peers)),
    f("processexists", Kind::Class, "c", 1, None),
    f("product", Kind::Real, "l", 1, Some(lists::fold)),
    f("randomint", Kind::Int, "", 2, Some(maths::randomint)),
    f("read_module_protocol", Kind::Class, "", 1, Some(run::read_module_protocol)),
    f("readcsv", Kind::Data, "v", 2, Some(data::readdata)),
    f("readdata", Kind::Data, "", 2, Some(data::readdata)),
    f("readenvfile", Kind::Data, "v", 2, Some(data::readdata)),
    f("readfile", Kind::String, "v", 2, Some(files::readfile)),
    f("readintarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("readintlist", Kind::IntList, "", 5, Some(fields::read_list)),
    f("readjson", Kind::Data, "v", 2, Some(data::readdata)),
    f("readrealarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("readreallist", Kind::RealList, "", 5, Some(fields::read_list)),
    f("readstringarray", Kind::Int, "", 6, Some(fields::read_array)),
    f("readstringarrayidx", Kind::Int, "", 6, Some(fields::read_array)),
    f("readstringlist", Kind::StringList, "", 5, Some(fields::read_list)),
    f("readtcp", Kind::String, "c", 4, None),
    f("readyaml", Kind::Data, "v", 2, Some(data::readdata)),
    f("regarray", Kind::Class, "l", 2, Some(lists::matching)),
    f("regcmp", Kind::Class, "", 2, Some(logic::regcmp)),
    f("regex_replace", Kind::String, "", 4, Some(strings::regex_replace)),
    f("regextract", Kind::Class, "", 3, Some(maths::regextract)),
    f("registryvalue", Kind::String, "", 2, Some(logic::elsewhere)),
    f("regldap", Kind::Class, "c", 7, None),
    f("regline", Kind::Class, "", 2, Some(files::lines_matching)),
    f("reglist", Kind::Class, "l", 2, Some(lists::matching)),
    f("remoteclassesmatching", Kind::Class, "", 4, None),
    f("remotescalar", Kind::String, "c", 3, None),
    f("returnszero", Kind::Class, "cs", 2, Some(run::returnszero)),
    f("reverse", Kind::StringList, "l", 1, Some(lists::reverse)),
    f("rrange", Kind::Class, "", 2, Some(maths::range)),
    f("search_up", Kind::Data, "v", 3, Some(files::findfiles_up)),
    f("selectservers", Kind::Int, "", 6, None),
    f("shuffle", Kind::StringList, "l", 2, Some(chance::shuffle)),
    f("some", Kind::Class, "l", 2, Some(lists::matching)),
    f("sort", Kind::StringList, "lv", 2, Some(lists::sort)),
    f("splayclass", Kind::Class, "", 2, Some(chance::splayclass)),
    f("splitstring", Kind::StringList, "", 3, Some(lists::splitstring)),
    f("storejson", Kind::String, "l", 1, Some(data::storejson)),
    f("strcmp", Kind::Class, "", 2, Some(logic::strcmp)),
    f("strftime", Kind::String, "", 3, Some(maths::strftime)),
    f("string", Kind::String, "", 1, Some(strings::convert)),
    f("string_downcase", Kind::String, "", 1, Some(strings::transform)),
    f("string_head", Kind::String, "", 2, Some(strings::transform)),
    f("string_length", Kind::Int, "", 1, Some(strings::transform)),
    f("string_mustache", Kind::String, "lv", 0, Some(data::string_mustache)),
    f("string_replace", Kind::String, "", 3, Some(strings::replace)),
    f("string_reverse", Kind::String, "", 1, Some(strings::transform)),
    f("string_split", Kind::StringList, "", 3, Some(lists::string_split)),
    f("string_tail", Kind::String, "", 2, Some(strings::transform)),
    f("string_trim", Kind::String, "", 1, Some(strings::trim)),
    f("string_upcase", Kind::String, "", 1, Some(strings::transform)),
    f("sublist", Kind::StringList, "l", 3, Some(lists::sublist)),
    f("sum", Kind::Real, "l", 1, Some(lists::fold)),
    f("sysctlvalue", Kind::String, "", 1, Some(files::sysctlvalue)),
    f("translatepath", Kind::String, "", 1, Some(files::translatepath)),
    f("type", Kind::String, "v", 2, Some(data::kind)),
    f("unique", Kind::StringList, "l", 1, Some(lists::sets)),
    f("url_get", Kind::Data, "", 2, None),
    f("usemodule", Kind::Class, "s", 2, Some(run::usemodule)),
    f("userexists", Kind::Class, "", 1, Some(accounts::accounts)),
    f("validdata", Kind::Class, "", 2, Some(data::validjson)),
    f("validjson", Kind::Class, "v", 1, Some(data::validjson)),
    f("variablesmatching", Kind::StringList, "v", 0, Some(names::variables)),
    f("variablesmatching_as_data", Kind::Data, "v", 0, Some(names::variables)),
    f("variance", Kind::Real, "l", 1, Some(lists::fold)),
];

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
    }
}
