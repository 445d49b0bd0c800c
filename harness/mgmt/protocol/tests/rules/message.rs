//! Answers of hosts.

use mgmt_protocol::message::{Answer, Panic};

#[test]
fn a_panic_is_told_with_its_place() {
    let line = br#"{"id":1,"error":{"code":1,"message":"panicked","data":{"panic":"boom\nmore","stack":"goroutine 1:\nmain.call()\n\t/m/res/sticklerhost/call.go:9 +0x1\nreflect.Value.Call()\n\t/go/src/reflect/value.go:7\nm/res.(*FooRes).Init()\n\t/m/res/foo.go:12 +0x2"}}}"#;
    let Answer::Failed(panic) = Answer::read(line) else {
        panic!("a failure");
    };
    assert_eq!(panic.in_words(), "panic: boom at foo.go:12");
    assert_eq!(Panic::default().in_words(), "panic: ");
}
