//! The date and the time, for people.

/// Now in UTC.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    now.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
