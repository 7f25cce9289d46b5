import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AttributeType {
    /// The value of this type that a remote's value stands for; nil if it stands for none.
    ///
    /// Null stands for null. What JSON has no case for, because it comes from code, is kept where the type admits it and
    /// otherwise taken for what it is in JSON.
    ///
    /// - Complexity: O(1) where the value is of the type, O(*n*) for a value of size *n* where it is not
    func converted(_ remote: Value) -> Value? {
        // Beside a value, a plain `nil` would be null: it is the literal of both.
        switch (self, remote) {
        case (_, .null), (.string, .string), (.integer, .integer), (.bool, .bool), (.bytes, .bytes), (.uuid, .uuid),
            (.url, .url):
            remote
        // Not every store keeps the sign of a zero.
        case (.double, .double(let number)): number.isFinite ? .double(number + 0) : nil
        case (.double, .integer(let number)): .double(Double(number))
        case (.date, .date), (.decimal, .decimal): admits(remote) ? .some(remote) : nil
        case (.date, .string(let text)): Date(remoteText: text).map { .date($0) }
        default: convertedByContent(remote)
        }
    }

    /// What ``converted(_:)`` is where the value is of another type.
    private func convertedByContent(_ remote: Value) -> Value? {
        switch self {
        case .bool: remote.truth.map { .bool($0) }
        case .integer: remote.integer.map { .integer($0) }
        case .double: remote.double.map { .double($0 + 0) }
        case .decimal: remote.exactDecimal.map { .decimal($0) }
        case .string: remote.text.map { .string($0) }
        case .date: remote.unixDate.map { .date($0) }
        case .uuid: remote.text.flatMap { UUID(text: $0) }.map { .uuid($0) }
        case .url: remote.text.flatMap { $0.isEmpty ? nil : URL(exactly: $0) }.map { .url($0) }
        case .json: admits(remote) ? remote : remote.jsonContent()
        case .bytes: BytesContent.bytes(of: remote).map { .bytes($0) }
        }
    }
}
