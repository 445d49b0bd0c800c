//! Messages to a host. Parameters are JSON that the caller has encoded.

/// A request.
pub fn request_line(id: usize, method: &str, params: &str) -> Vec<u8> {
    let method = serde_json::Value::from(method);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method},\"params\":{params}}}\n").into()
}

/// A notification.
pub fn notification_line(method: &str, params: &str) -> Vec<u8> {
    let method = serde_json::Value::from(method);
    format!("{{\"jsonrpc\":\"2.0\",\"method\":{method},\"params\":{params}}}\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_notification;

    #[test]
    fn only_notifications_have_no_id() {
        let request = request_line(7, "get", "{}");
        assert_eq!(
            request,
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"get\",\"params\":{}}\n"
        );
        assert!(!is_notification(&request));
        assert!(is_notification(&notification_line("log", "[1]")));
    }
}
