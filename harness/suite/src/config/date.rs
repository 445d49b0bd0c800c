//! Dates of expectations.

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Today in UTC as `YYYY-MM-DD`.
pub fn today() -> String {
    let now = jiff::Timestamp::now().to_zoned(TimeZone::UTC);
    now.date().to_string()
}

/// Is a text a date, written as `YYYY-MM-DD`?
pub(crate) fn is_date(text: &str) -> bool {
    let date = Date::strptime("%Y-%m-%d", text);
    date.is_ok_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates_are_days_of_the_calendar() {
        assert!(is_date("2028-02-29"));
        for text in [
            "2027-02-29",
            "2027-2-1",
            "20270601",
            "2027-06-01T00:00:00",
            "",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
