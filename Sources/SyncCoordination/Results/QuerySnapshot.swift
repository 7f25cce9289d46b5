public import DifferentialSync
public import SyncPersistence

/// The results of a query in one state of the store, and their difference from the results before.
public struct QuerySnapshot<Element: Sendable>: Sendable {
    /// The elements in the order of the query, and the errors of those that cannot be read.
    public let elements: StoredElements<Element>

    /// The changes since the snapshot that the observer received before.
    ///
    /// In the first snapshot, each element is added, except after ``QueryResults/load(_:)``. Nil if only the order or the errors differ: a diff has no order. The
    /// offsets that a table view needs are those of `Array(new.elements).difference(from: Array(old.elements))`.
    ///
    /// An element that enters the window of an offset and a limit counts as added, and one that leaves it as deleted.
    public let changes: Diff<Element>?
}

extension QuerySnapshot: Equatable where Element: Equatable {}
