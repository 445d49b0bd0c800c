//! What the agent's header offers, and which rules judge the answers to it.

use crate::output::is_variant;
use crate::relation;
use crate::release;
use crate::session::{Exchange, Session};
use crate::wire::header::{DefectKind, Header, Protocol, ProtocolVersion};
use stickler_transcript::Relation;

/// The three parts of the agent's header.
pub(crate) struct Offer<'e> {
    pub(crate) program: &'e [u8],
    pub(crate) version: &'e [u8],
    pub(crate) protocol: &'e [u8],
}

impl<'e> Offer<'e> {
    /// Parses the header that was sent. `None` if the subject read none of it, or only a part.
    pub(crate) fn of(exchange: &'e Exchange) -> Option<Self> {
        let line = exchange.sent.split(|byte| *byte == b'\n').next()?;
        let mut fields = line.split(|byte| *byte == b' ');
        Some(Offer {
            program: fields.next()?,
            version: fields.next()?,
            protocol: fields.next()?,
        })
    }

    /// Is this a CFEngine 3 agent?
    pub(crate) fn is_agent(&self) -> bool {
        self.program == b"cf-agent" && self.version.starts_with(b"3.") && self.protocol == b"v1"
    }

    /// The offered protocol version, if it is `v` and a number.
    pub(crate) fn number(&self) -> Option<u64> {
        let digits = self.protocol.strip_prefix(b"v")?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

/// Is this the header of a measured agent (or a part of it), or that of a recorded agent?
pub(crate) fn is_usual(session: &Session, exchange: &Exchange) -> bool {
    release::begins_header(&exchange.sent)
        || session.case().is_driven() && Offer::of(exchange).is_some_and(|offer| offer.is_agent())
}

/// Headers whose absence is judged: sent whole, by a measured agent, in the usual environment
/// (PM909).
pub(crate) fn usual_headers(session: &Session) -> impl Iterator<Item = &Exchange> {
    session.headers().filter(|exchange| {
        exchange.owed
            && is_usual(session, exchange)
            && !is_variant(session, &[relation::PIECES, Relation::ENVIRONMENT])
    })
}

/// Does the line look like a header, and not like other output?
pub(crate) fn looks_like_header(header: &Header<'_>) -> bool {
    header.protocol().is_some() || matches!(header.protocol_version(), ProtocolVersion::Number(_))
}

/// Does the header of this exchange's process name a protocol? If it names none, the agent's
/// default may not be what the module speaks.
pub(crate) fn names_protocol(session: &Session, exchange: &Exchange) -> bool {
    session
        .headers()
        .find(|header| header.process == exchange.process)
        .and_then(Exchange::header)
        .is_none_or(|header| header.protocol().is_some())
}

/// Does the process of this exchange speak `protocol`, according to its header?
pub(crate) fn speaks(session: &Session, exchange: &Exchange, protocol: Protocol) -> bool {
    names_protocol(session, exchange) && session.protocol(exchange) == Some(protocol)
}

/// Does the header line have more than one space between two fields? Then each later field is
/// shifted. A trailing space does no such harm.
pub(crate) fn has_empty_field(header: &Header<'_>) -> bool {
    let blanks = header.line.iter().rev().take_while(|byte| **byte == b' ');
    let end = header.range.end - blanks.count();
    header
        .defects
        .iter()
        .any(|defect| defect.kind == DefectKind::EmptyField && defect.offset < end)
}
