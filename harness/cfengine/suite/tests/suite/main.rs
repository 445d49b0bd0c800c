//! Descriptions of promise modules, and conversations with them.

mod config_schema;
mod conversation;
mod mistakes;
