//! Any bytes are a graph of mgmt or refused, with a place.

use mgmt_graph::{VertexFile, read};
use std::collections::HashSet;

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match read(text) {
        Ok(graph) => {
            let keys: HashSet<String> = graph.vertices.iter().map(VertexFile::key).collect();
            assert_eq!(keys.len(), graph.vertices.len());
            let count = graph.vertices.len();
            for edge in &graph.edges {
                assert!(edge.from < count && edge.to < count && edge.from != edge.to);
            }
        }
        Err(mistake) => {
            let place = mistake.place;
            assert!(place.line > 0 && place.column > 0 && !mistake.message.is_empty());
            let ends = text.matches(['\r', '\n']).count();
            assert!(place.line <= ends + 2);
            assert!(
                mistake
                    .shown("graph.yaml", text)
                    .to_string()
                    .contains(&mistake.message)
            );
        }
    }
}
