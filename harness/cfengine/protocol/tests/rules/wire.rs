//! The wire protocol: headers, framing, requests, responses.

mod framing;
mod header;
mod hostile;
mod json;
mod request;
mod response;
