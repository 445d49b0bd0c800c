//! Headers of agents and modules.

use cfengine_protocol::wire::header::*;
use proptest::prelude::*;

fn analyse(answer: &[u8]) -> Header<'_> {
    Header::analyse(answer).expect("a header line")
}

#[test]
fn the_specifications_headers_are_clean() {
    for (answer, protocol) in [
        (
            &b"git_promise_module 0.0.1 v1 line_based\n\n"[..],
            Protocol::Line,
        ),
        (
            b"git_promise_module 0.0.1 v1 json_based\n\n",
            Protocol::Json,
        ),
        (
            b"git_promise_module 0.0.1 v1 json_based action_policy\n\n",
            Protocol::Json,
        ),
    ] {
        let header = analyse(answer);
        assert_eq!(header.name(), Some(&b"git_promise_module"[..]));
        assert_eq!(header.version(), Some(&b"0.0.1"[..]));
        assert_eq!(header.protocol_version(), ProtocolVersion::Number(1));
        assert_eq!(header.protocol(), Some(protocol));
        assert_eq!(header.ending, Ending::EmptyLine);
        assert_eq!(header.len, answer.len());
        assert_eq!(
            header.action_policy(),
            answer.ends_with(b"action_policy\n\n")
        );
        assert!(header.defects.is_empty() && header.noise_before.is_empty());
        assert!(header.extra_lines.is_empty());
    }
}

#[test]
fn noise_before_the_header_is_distinguished_from_it() {
    let header = analyse(b"loading json_based stuff\n\nm 1.0 v1 json_based\n\n");
    assert_eq!(header.line, b"m 1.0 v1 json_based");
    assert_eq!(header.noise_before, [0..24, 25..25]);
    assert_eq!(header.ending, Ending::EmptyLine);
    let header = analyse(b"\nm 1.0 v1 line_based\n\n");
    assert_eq!(
        (header.noise_before.len(), &header.noise_before[0]),
        (1, &(0..0))
    );
}

#[test]
fn lines_between_header_and_empty_line_are_extra() {
    let header = analyse(b"m 1.0 v1 json_based\nhello\n\nrest");
    assert_eq!(
        (header.extra_lines.len(), &header.extra_lines[0]),
        (1, &(20..25))
    );
    assert_eq!(header.ending, Ending::EmptyLine);
    assert_eq!(header.len, 27);
}

#[test]
fn an_ending_is_one_of_four() {
    for (answer, ending) in [
        (&b"m 1 v1 json_based"[..], Ending::None),
        (b"m 1 v1 json_based\n", Ending::LineFeed),
        (b"m 1 v1 json_based\n\r", Ending::LineFeed),
        (b"m 1 v1 json_based\nmore", Ending::LineFeed),
        (b"m 1 v1 json_based\n\r\n", Ending::CarriageReturn),
        (b"m 1 v1 json_based\r\n\r\n", Ending::CarriageReturn),
        (b"m 1 v1 json_based\n\n", Ending::EmptyLine),
    ] {
        assert_eq!(analyse(answer).ending, ending, "{}", answer.escape_ascii());
    }
}

#[test]
fn wrong_bytes_do_not_hide_the_header() {
    for (answer, kind, offset) in [
        (
            &b"m 1 v1 json_based\r\n\n"[..],
            DefectKind::CarriageReturn,
            17,
        ),
        (b"m 1 v1 json_based\n\r\n", DefectKind::CarriageReturn, 18),
        (
            b"\xef\xbb\xbfm 1 v1 json_based\n\n",
            DefectKind::ByteOrderMark,
            0,
        ),
        (b"m\0 1 v1 json_based\n\n", DefectKind::Nul, 1),
        (b"m 1\tv1 json_based\n\n", DefectKind::Tab, 3),
        (b"m  1 v1 json_based\n\n", DefectKind::EmptyField, 1),
        (b" m 1 v1 json_based\n\n", DefectKind::EmptyField, 0),
        (b"m 1 v1 json_based \n\n", DefectKind::EmptyField, 17),
    ] {
        let header = analyse(answer);
        assert_eq!(
            header.defects,
            [Defect { kind, offset }],
            "{}",
            answer.escape_ascii()
        );
        assert!(header.has(kind));
        assert_eq!(header.protocol(), Some(Protocol::Json));
        assert_eq!(header.protocol_version(), ProtocolVersion::Number(1));
        assert_eq!(header.word_count(), 4);
    }
    assert_eq!(analyse(b"m  1 v1 json_based\n\n").fields.len(), 5);
    assert_eq!(analyse(b"m 1\tv1 json_based\n\n").fields.len(), 3);
}

#[test]
fn short_headers_are_found_nevertheless() {
    let header = analyse(b"warming up\nm v1 json_based\n\n");
    assert_eq!(header.fields.len(), 3);
    assert_eq!(header.noise_before.len(), 1);
    assert_eq!(header.protocol(), None);
    assert_eq!(
        analyse(b"m\n\n").protocol_version(),
        ProtocolVersion::Missing
    );
    assert_eq!(analyse(b"m\n\n").flags(), [] as [&[u8]; 0]);
    for nothing in [&b""[..], b"\n\n", b"\r\n\r\n", b" \n\n"] {
        assert_eq!(Header::analyse(nothing), None);
    }
}

#[test]
fn protocol_versions_are_a_v_and_a_number() {
    for (word, version) in [
        ("v1", ProtocolVersion::Number(1)),
        ("v2", ProtocolVersion::Number(2)),
        ("v0", ProtocolVersion::Number(0)),
        ("v", ProtocolVersion::Malformed(b"v")),
        ("1", ProtocolVersion::Malformed(b"1")),
        ("v+1", ProtocolVersion::Malformed(b"v+1")),
        ("V1", ProtocolVersion::Malformed(b"V1")),
        ("banana", ProtocolVersion::Malformed(b"banana")),
        (
            "v99999999999999999999",
            ProtocolVersion::Malformed(b"v99999999999999999999"),
        ),
    ] {
        let answer = format!("m 1 {word} json_based\n\n");
        assert_eq!(analyse(answer.as_bytes()).protocol_version(), version);
    }
}

#[test]
fn of_several_flags_the_last_wins_and_doubles_show() {
    let header =
        analyse(b"m 1 v1 json_based action_policy line_based json_based action_policy\n\n");
    assert_eq!(header.protocol(), Some(Protocol::Json));
    assert!(header.asks_for(Protocol::Line) && header.asks_for(Protocol::Json));
    let doubled: Vec<_> = header.doubled_flags().collect();
    assert_eq!(doubled, [&b"json_based"[..], b"action_policy"]);
    let both = analyse(b"m 1 v1 json_based line_based\n\n");
    assert_eq!(both.protocol(), Some(Protocol::Line));
    assert_eq!(analyse(b"m 1 v1 action_policy\n\n").protocol(), None);
}

proptest! {
    #[test]
    fn no_bytes_make_the_analysis_panic(answer: Vec<u8>) {
        if let Some(header) = Header::analyse(&answer) {
            prop_assert_eq!(&answer[header.range.clone()], header.line);
            prop_assert!(header.len <= answer.len());
        }
    }

    #[test]
    fn nearly_headers_keep_their_ranges(answer in "([ \t\r\n\0]|m|v1|v|1|json_based|line_based|\u{feff}){0,16}") {
        if let Some(header) = Header::analyse(answer.as_bytes()) {
            prop_assert_eq!(&answer.as_bytes()[header.range.clone()], header.line);
            for defect in &header.defects {
                prop_assert!(defect.offset < header.len);
            }
            let before = header.noise_before.last().map_or(0, |line| line.end + 1);
            prop_assert_eq!(before, header.range.start);
        }
    }
}
