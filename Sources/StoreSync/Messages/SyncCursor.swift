/// A position in the history of a service.
///
/// A device stores the cursor of its last page and sends it back. It compares cursors, and reads nothing in them.
public struct SyncCursor: Hashable, Sendable {
    /// The name of the history, which changes when the service's data is lost, reset or restored from a copy.
    public let epoch: String

    /// The number of the last change before the position; 0 for the beginning.
    public let sequence: Int64

    /// Creates a cursor.
    public init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
