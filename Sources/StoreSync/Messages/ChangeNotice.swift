#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The answer to a request for notifications: whether others may have changed something.
package struct ChangeNotice: Hashable, Sendable {
    /// Whether there was a notification, and not only a long wait.
    package var hasChanged: Bool

    /// The end of the history; nil if it is unknown.
    package var cursor: SyncCursor?

    /// Creates an answer.
    package init(hasChanged: Bool, cursor: SyncCursor? = nil) { (self.hasChanged, self.cursor) = (hasChanged, cursor) }

    /// The answer as JSON text in UTF-8.
    package var data: Data {
        var object = MessageWriter()
        object.set("changed", .bool(hasChanged))
        object.set("cursor", ifAny: cursor, \.json)
        return object.data
    }

    /// Reads an answer.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this answer.
    package init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        self.init(
            hasChanged: try message.bool("changed"),
            cursor: message.has("cursor") ? try SyncCursor(message.object("cursor")) : nil)
    }
}
