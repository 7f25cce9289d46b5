/// Why a diff does not fit the collection, or the other diff, that it was to be applied to.
///
/// Nothing has been changed. The message names the places in the diff and shows none of the values:
///
/// ```
/// the diff does not fit: delete[3] is there with another value, add[0] is there already. Nothing was changed; make
/// the diff anew from what it is applied to
/// ```
public struct MismatchError: Error, Hashable {
    /// One element of a diff that does not fit.
    public struct Mismatch: Hashable, Sendable {
        /// Why the element does not fit.
        public enum Reason: Hashable, Sendable {
            /// The element that was to go is not there.
            case notThere
            /// An element with its key is there, with another value.
            case differs
            /// The element that was to come, or one with its key, is there already.
            case alreadyThere
        }

        /// Why the element does not fit.
        public let reason: Reason
        /// The list of the diff in which it stands, `add`, `delete` or `replace`; or, by the name of the argument, a diff
        /// that was to be brought together with another.
        public let list: String
        /// Where it stands in the list, or in the diff's changes.
        public let position: Int

        @usableFromInline
        init(_ reason: Reason, in list: String, at position: Int) {
            self.reason = reason
            self.list = list
            self.position = position
        }
    }

    /// Every element that does not fit; at least one.
    public let mismatches: [Mismatch]

    @usableFromInline
    init(_ mismatches: [Mismatch]) {
        self.mismatches = mismatches
    }
}

extension MismatchError: CustomStringConvertible {
    /// What does not fit, and what to do about it; the first three mismatches of many.
    public var description: String {
        var texts = mismatches.prefix(3).map { mismatch in
            let reason =
                switch mismatch.reason {
                case .notThere: "is not there"
                case .differs: "is there with another value"
                case .alreadyThere: "is there already"
                }
            return "\(mismatch.list)[\(mismatch.position)] \(reason)"
        }
        if mismatches.count > 3 { texts.append("and \(mismatches.count - 3) more") }
        return """
            the diff does not fit: \(texts.joined(separator: ", ")). Nothing was changed; make the diff anew from what \
            it is applied to
            """
    }
}
