//! The reader takes any bytes without a panic, and reads what it wrote.

use stickler_transcript::{read_transcripts, write_transcripts};

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let Ok(read) = read_transcripts(bytes) else {
        return;
    };
    let mut written = Vec::new();
    write_transcripts(&mut written, &read).expect("a vector takes everything");
    assert_eq!(read_transcripts(&written[..]).expect("written by us"), read);
    for transcript in read {
        // What a rule sees of a hostile transcript must not bring it down, whoever judges it.
        for dialect in stickler_dialects::all() {
            let session = dialect.read(transcript.clone());
            stickler_judge::judge(&dialect.all_rules(), &[session]);
        }
    }
}
