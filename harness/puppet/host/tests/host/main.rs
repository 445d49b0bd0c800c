//! The host, spoken to over pipes as Stickler does.

mod calls;
mod common;
mod facts;
mod failures;
mod install;
mod loading;
mod logs;
mod providers;
mod real;
mod simple;
mod speed;
mod transports;
mod values;
