/// The names of the objects that were read last, by depth.
///
/// The next object at a depth probably has the same names.
struct NamePredictions {
    /// The prediction for one depth.
    private struct Prediction {
        /// The names of the last object; empty if they cannot be predicted.
        var names: [String] = []
        /// The names and their colons as text without white space.
        var texts = NameTexts()
        /// How often the names may be replaced before they match again.
        ///
        /// At 0 they are kept, so that different objects in a list cost no more predictions.
        var credit = Self.limit

        /// The credit at first and after each match.
        static let limit = 8
    }

    /// The predictions by depth.
    private var predictions: [Prediction] = []

    /// The number of depths at which names are predicted.
    private static let depthLimit = 16

    /// Returns the predicted names of an object; nil if their number differs.
    ///
    /// It restores the credit of the depth.
    @inline(__always)
    mutating func names(of count: Int, depth: Int) -> [String]? {
        guard depth < predictions.count, predictions[depth].names.count == count else { return nil }
        predictions[depth].credit = Prediction.limit
        return predictions[depth].names
    }

    /// Returns a predicted name.
    func name(_ member: Int, depth: Int) -> String { predictions[depth].names[member] }

    /// Returns the end of a member's predicted name and colon in the text; nil if the text differs.
    @inline(__always)
    func end(of member: Int, depth: Int, in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        depth < predictions.count ? predictions[depth].texts.end(of: member, in: bytes, at: offset) : nil
    }

    /// Predicts the names of an object for the next object at its depth.
    ///
    /// It does nothing at a depth of 16 or more, or if no credit is left.
    ///
    /// - Complexity: O(*n*) for names of *n* bytes
    @inline(never)
    mutating func predict(_ names: [String], depth: Int) {
        guard depth < Self.depthLimit, !names.isEmpty else { return }
        while predictions.count <= depth { predictions.append(Prediction()) }
        guard predictions[depth].credit > 0 else { return }
        predictions[depth].credit -= 1
        predictions[depth].texts.removeAll()
        predictions[depth].names = names
        for (member, name) in names.enumerated() {
            // Other names have escapes in the text.
            guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
                predictions[depth].names = []
                return predictions[depth].texts.removeAll()
            }
            predictions[depth].texts.set(Array("\"\(name)\":".utf8), at: member)
        }
    }
}
