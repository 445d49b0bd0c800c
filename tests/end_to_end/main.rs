//! The end-to-end tests through the binary. They are one program, since linking each file by
//! itself would take minutes.

mod action;
mod browser;
mod calls;
mod cfengine;
mod cli;
mod cli_demo;
mod cli_dialects;
mod cli_doctor;
mod cli_explain;
mod cli_shell;
mod common;
mod digest;
mod equal;
mod gem;
mod gitlab;
mod go_package;
mod held;
mod hook;
mod launch_files;
mod mgmt;
mod packages;
mod pages;
mod pool;
mod proof;
mod puppet;
mod recorded;
