//! The memory for parsed messages.

use cfengine_protocol::memo::{MOST, Table};
use cfengine_protocol::wire::Protocol;

#[test]
fn messages_without_end_need_bounded_memory() {
    let table: Table<usize> = Table::default();
    let message = vec![b'x'; 1 << 10];
    for number in 0_u64..20_000 {
        let own = [&number.to_le_bytes()[..], &message].concat();
        assert_eq!(table.get(&own, Protocol::Json, || 7), 7);
    }
    let (messages, bytes) = table.size();
    assert!(bytes <= MOST && messages * message.len() <= MOST);
}
