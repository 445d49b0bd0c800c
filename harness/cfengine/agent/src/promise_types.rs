//! Promise types: one file each.

mod classes;
mod commands;
mod custom;
mod files;
mod methods;
mod protocol;
mod reports;
mod vars;

pub(crate) use commands::Ordered;
pub(crate) use files::{
    Edit, FileControl, chopped, compressed, group_name, joined, lacking, refused, user_name,
    with_slash,
};
