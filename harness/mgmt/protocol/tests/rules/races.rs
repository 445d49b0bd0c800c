//! Reports of the race detector.

use mgmt_protocol::races::race;

const REPORT: &str = "
Write at 0x00c000123456 by goroutine 7:
  example.org/note.(*NoteRes).Watch()
      /m/note/note.go:150 +0x44

Previous read at 0x00c000123456 by main goroutine:
  example.org/note.(*NoteRes).CheckApply()
      /m/note/note.go:140 +0x33
  reflect.Value.call()
      /go/src/reflect/value.go:581 +0xe4c

Goroutine 7 (running) created at:
  main.(*server).watch()
      /m/note/sticklerhost/watch.go:80 +0x1
==================
";

#[test]
fn both_places_are_told_and_races_of_the_host_are_not() {
    let wanted = "a data race between note.go:150 and note.go:140".to_owned();
    assert_eq!(Some(wanted), race(REPORT));
    let of_the_host = REPORT.replace("/m/note/note.go:140", "/m/note/sticklerhost/init.go:3");
    assert_eq!(None, race(&of_the_host));
}
