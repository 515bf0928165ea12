//! The expected type of a node: cut node or all node.

/// The expected type of a node (Knuth and Moore).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeType {
    /// A cut node: some move should fail high.
    Cut,
    /// An all node, where every move should fail low, or a PV node.
    All,
}

impl NodeType {
    /// The expected type of the children.
    pub(super) fn child(self) -> NodeType {
        match self {
            NodeType::Cut => NodeType::All,
            NodeType::All => NodeType::Cut,
        }
    }
}
