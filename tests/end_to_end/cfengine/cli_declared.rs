//! `creates`, `absent` and `verify` of an example, end to end.

use crate::cli::Folder;

/// A sound module, whose example declares these lines in addition.
fn declaring(lines: &str) -> Folder {
    let folder = Folder::sound();
    let config = folder.read("stickler.toml");
    folder.write("stickler.toml", &(config + lines + "\n"));
    folder
}

const CHECK: [&str; 4] = ["check", "--quick", "--select", "PM407,PM408"];

#[test]
fn declarations_that_hold_pass_and_others_fail() {
    declaring(
        "creates = { \"{dir}/motd\" = { type = \"file\", mode = \"0644\", content = \"hello\" } }\n\
         absent = [\"{dir}/motd.new\"]\n\
         verify = [[\"grep\", \"-q\", \"hello\", \"{dir}/motd\"]]",
    )
    .run(&CHECK)
    .exits(0)
    .says("2 passed");
    declaring("creates = { \"{dir}/motd\" = { content = \"hullo\" } }")
        .run(&CHECK)
        .exits(1)
        .says("PM407")
        .says("begins with `hello` instead of `hullo`");
    declaring("absent = [\"{dir}/motd\"]")
        .run(&CHECK)
        .exits(1)
        .says("a file is there");
    declaring("verify = [[\"test\", \"-d\", \"{dir}/motd\"]]")
        .run(&CHECK)
        .exits(1)
        .says("PM408")
        .says("exit status 1");
}

#[test]
fn the_folder_of_the_description_is_named_in_all_its_texts() {
    let folder = declaring(
        "setup = [[\"cp\", \"{config_dir}/note\", \"{dir}/copy\"]]\n\
         creates = { \"{config_dir}/note\" = { content = \"of the author\" } }\n\
         verify = [[\"sh\", \"-c\", \"cmp $NOTE {dir}/copy && test {{config_dir}} = '{{config_dir}}'\"]]",
    );
    folder.write("note", "of the author");
    folder.replace(
        "stickler.toml",
        "[subject]\n",
        "[subject]\nenv = { NOTE = \"{config_dir}/note\" }\n",
    );
    folder.run(&CHECK).exits(0).says("2 passed");
}

#[test]
fn fakes_come_first_in_a_path_of_the_authors_own() {
    let folder = declaring("verify = [[\"greets\"]]");
    folder.write("greets.sh", "#!/bin/sh\nexit 0\n");
    folder.replace(
        "stickler.toml",
        "[subject]\n",
        "[fake]\ngreets = \"greets.sh\"\n\n[subject]\nenv = { PATH = \"/usr/bin:/bin\" }\n",
    );
    folder.run(&CHECK).exits(0).says("passed");
}

#[test]
fn an_owner_is_judged_only_where_files_can_be_given_away() {
    let root = rustix::process::geteuid().is_root();
    declaring("creates = { \"{dir}/motd\" = { owner = 12345 } }")
        .run(&CHECK)
        .exits(if root { 1 } else { 0 });
}

#[test]
fn mistakes_name_the_place_and_the_remedy() {
    for (lines, message) in [
        ("absent = [\"motd\"]", "depends on the working directory"),
        (
            "creates = { \"{dir}/x\" = { mode = \"888\" } }",
            "octal digits",
        ),
        (
            "creates = { \"{dir}/x\" = { owner = \"nobody-at-all\" } }",
            "has no user",
        ),
        (
            "creates = { \"{dir}/x\" = { type = \"pipe\" } }",
            "write one of \"file\", \"directory\", \"link\"",
        ),
        (
            "creates = { \"{dir}/x\" = { type = \"directory\", content = \"x\" } }",
            "only a file has content",
        ),
        (
            "creates = { \"{dir}/x\" = { modes = \"1\" } }",
            "did you mean \"mode\"?",
        ),
        ("verify = [[]]", "the command is empty"),
    ] {
        declaring(lines).run(&CHECK).exits(2).says(message);
    }
}
