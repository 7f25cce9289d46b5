import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AttributeType {
    /// Returns the value of this type for a value of a remote; nil if it has none.
    ///
    /// Null is null. A value from code without a JSON form is kept if the type admits it, and converted to its JSON
    /// form otherwise.
    ///
    /// - Complexity: O(1) for a value of the type, O(*n*) for another value of size *n*
    func converted(_ remote: Value) -> Value? {
        // Beside a value, a plain `nil` would be null.
        switch (self, remote) {
        case (_, .null), (.string, .string), (.integer, .integer), (.bool, .bool), (.bytes, .bytes), (.uuid, .uuid),
            (.url, .url):
            remote
        // Some stores do not keep the sign of a zero.
        case (.double, .double(let number)): number.isFinite ? .double(number + 0) : nil
        case (.double, .integer(let number)): .double(Double(number))
        case (.date, .date), (.decimal, .decimal): admits(remote) ? .some(remote) : nil
        case (.date, .string(let text)): Date(remoteText: text).map { .date($0) }
        default: convertedByContent(remote)
        }
    }

    /// Returns `converted(_:)` for a value of another type.
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
