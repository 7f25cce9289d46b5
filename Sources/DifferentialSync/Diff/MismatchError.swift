/// An error for a diff that does not fit the collection or the diff that it is combined with.
///
/// Nothing has changed. The description names places in the diff, and no values:
///
/// ```
/// the diff does not fit: delete[3] has another value, add[0] already exists. Nothing was changed; make the diff again
/// from the present collection
/// ```
public struct MismatchError: Error, Hashable {
    /// One element of a diff that does not fit.
    public struct Mismatch: Hashable, Sendable {
        /// The kinds of mismatch.
        public enum Reason: Hashable, Sendable {
            /// The element to delete or replace does not exist.
            case notThere
            /// The element with its key has another value.
            case differs
            /// The element to add, or one with its key, already exists.
            case alreadyThere
        }

        /// The kind of mismatch.
        public let reason: Reason
        /// The list of the diff that has the element, `add`, `delete` or `replace`.
        ///
        /// If two diffs are combined, the name of the diff's argument.
        public let list: String
        /// The position of the element in the list, or in the diff's changes.
        public let position: Int

        @usableFromInline
        init(_ reason: Reason, in list: String, at position: Int) {
            self.reason = reason
            self.list = list
            self.position = position
        }
    }

    /// The elements that do not fit; at least one.
    public let mismatches: [Mismatch]

    /// Creates an error with at least one mismatch.
    @usableFromInline
    init(_ mismatches: [Mismatch]) {
        self.mismatches = mismatches
    }
}

extension MismatchError: CustomStringConvertible {
    /// The first three mismatches, and a remedy.
    public var description: String {
        var texts = mismatches.prefix(3).map { mismatch in
            let reason =
                switch mismatch.reason {
                case .notThere: "does not exist"
                case .differs: "has another value"
                case .alreadyThere: "already exists"
                }
            return "\(mismatch.list)[\(mismatch.position)] \(reason)"
        }
        if mismatches.count > 3 { texts.append("and \(mismatches.count - 3) more") }
        return """
            the diff does not fit: \(texts.joined(separator: ", ")). Nothing was changed; make the diff again \
            from the present collection
            """
    }
}
