/// An error of the resolution of a conflict.
///
/// Nothing has changed.
public struct ConflictError: Error, CustomStringConvertible {
    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// The record has no open conflict, and its remote version does not wait.
        case unknown
        /// The record has another conflict than the one that was resolved.
        case changed
        /// The resolution of the conflict was sent to the remote, or is being sent.
        case sent
    }

    /// The kind of error.
    public let code: Code

    /// The key of the record.
    public let key: any Hashable & Sendable

    /// Creates an error about the conflict of a key.
    @usableFromInline
    package init(_ code: Code, key: some Hashable & Sendable) {
        self.code = code
        self.key = key
    }

    /// The cause and a remedy.
    public var description: String {
        let key = RecordText.printable("\(key)")
        return switch code {
        case .unknown: "the record with the key \(key) has no open conflict: list 'conflicts' again"
        case .changed:
            "the record with the key \(key) has changed since its conflict was shown: show 'conflict(for:)' again"
        case .sent: "the resolution of the record with the key \(key) was sent: edit the record instead"
        }
    }
}

extension ConflictError: Hashable {
    /// Whether the errors have the same code and key.
    public static func == (left: ConflictError, right: ConflictError) -> Bool {
        left.code == right.code && AnyHashable(left.key) == AnyHashable(right.key)
    }

    /// Hashes the code and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(AnyHashable(key))
    }
}
