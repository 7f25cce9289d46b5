/// The names of the objects that were read last, by their depth: those of the next one are likely to be the same.
struct NamePredictions {
    private struct Prediction {
        var names: [String] = []
        var texts = NameTexts()
        /// How often it may be replaced before it comes true again, so that objects of many kinds are not followed.
        var credit = Self.limit

        static let limit = 8
    }

    private var predictions: [Prediction] = []

    /// How deep objects stand of which names are predicted.
    private static let depthLimit = 16

    /// The names of an object, if those that were predicted have come.
    @inline(__always)
    mutating func names(of count: Int, depth: Int) -> [String]? {
        guard depth < predictions.count, predictions[depth].names.count == count else { return nil }
        predictions[depth].credit = Prediction.limit
        return predictions[depth].names
    }

    /// A predicted name.
    func name(_ member: Int, depth: Int) -> String { predictions[depth].names[member] }

    /// Where the predicted name of a member and its colon end; nil if they do not stand there.
    @inline(__always)
    func end(of member: Int, depth: Int, in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        depth < predictions.count ? predictions[depth].texts.end(of: member, in: bytes, at: offset) : nil
    }

    /// Takes the names of an object for those of the next one of its depth.
    @inline(never)
    mutating func predict(_ names: [String], depth: Int) {
        guard depth < Self.depthLimit, !names.isEmpty else { return }
        while predictions.count <= depth { predictions.append(Prediction()) }
        guard predictions[depth].credit > 0 else { return }
        predictions[depth].credit -= 1
        predictions[depth].texts.removeAll()
        predictions[depth].names = names
        for (member, name) in names.enumerated() {
            // Others stand in the text as something else.
            guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
                predictions[depth].names = []
                return predictions[depth].texts.removeAll()
            }
            predictions[depth].texts.set(Array("\"\(name)\":".utf8), at: member)
        }
    }
}
