//! What Ruby allows in a look-behind: texts of one length, and nothing that looks ahead.

use super::node::Node;

/// Is it a pattern that Ruby can look back for? Only the outermost alternatives may differ in
/// length.
pub(super) fn is_valid(node: &Node, negative: bool) -> bool {
    let alternatives = match node {
        Node::Alt(nodes) => &nodes[..],
        other => std::slice::from_ref(other),
    };
    alternatives
        .iter()
        .all(|one| length(one, negative).is_some())
}

/// The number of characters that the node matches, if it is always the same.
fn length(node: &Node, negative: bool) -> Option<u64> {
    match node {
        Node::Char(_) | Node::Any(_) | Node::Class(_) | Node::Exact(_) => Some(1),
        Node::Empty
        | Node::LineStart
        | Node::LineEnd
        | Node::TextStart
        | Node::Boundary { .. }
        | Node::Keep => Some(0),
        Node::Seq(nodes) => nodes.iter().map(|one| length(one, negative)).sum(),
        Node::Alt(nodes) => {
            let mut lengths = nodes.iter().map(|one| length(one, negative));
            let first = lengths.next()??;
            lengths.all(|one| one == Some(first)).then_some(first)
        }
        Node::Repeat { node, min, max, .. } => {
            let each = length(node, negative)?;
            (*max == Some(*min)).then(|| each.saturating_mul(u64::from(*min)))
        }
        Node::Group { .. } if negative => None,
        Node::Group { node, .. } | Node::Case { node, .. } => length(node, negative),
        Node::Look {
            behind: true,
            node,
            negative: inner,
        } => is_valid(node, negative || *inner).then_some(0),
        Node::Look { behind: false, .. }
        | Node::TextEnd
        | Node::TextEndOrNewline
        | Node::Atomic(_)
        | Node::Back(_)
        | Node::Call(_) => None,
    }
}
