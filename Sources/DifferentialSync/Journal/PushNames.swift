/// The names of a collection's latest pushes, which no later push may have.
///
/// A remote reports the status of a push by its name. If a name were used again, the remote would report the status of
/// the earlier push, and the changes of the later one would be lost.
///
/// The names of the latest 100 cycles with a push are kept. So a program that counts its cycles from 1 at each start
/// gets an error, as long as it has made no more than 100 of them.
public struct PushNames: Hashable, Sendable {
    /// A cycle, and the number of its last push.
    private struct Cycle: Hashable, Sendable, Codable {
        /// What the names of its pushes begin with.
        var name: String
        /// The number of its last push.
        var count: Int
    }

    /// The cycles whose names are kept, the latest one last.
    private var cycles: [Cycle] = []

    /// The number of cycles that are kept.
    private static let capacity = 100

    /// Creates a list without names.
    public init() {}

    /// Whether one of the cycles made a push with the name.
    ///
    /// - Complexity: O(number of cycles); at most 100 are kept
    public func contains(_ name: String) -> Bool {
        cycles.contains { cycle in
            guard name.hasPrefix(cycle.name) else { return false }
            let rest = name.dropFirst(cycle.name.count)
            return rest.isEmpty || PushNames.number(in: rest).map { $0 <= cycle.count } == true
        }
    }

    /// Returns the number of a push from the end of its name, such as 2 from `.2`, or nil if the end is no number.
    private static func number(in suffix: Substring) -> Int? {
        guard suffix.first == ".", let number = Int(suffix.dropFirst()), number > 1 else { return nil }
        return suffix.dropFirst() == String(number) ? number : nil
    }

    /// Returns the name of a cycle's push with a number.
    @usableFromInline
    static func name(_ cycle: String, _ number: Int) -> String { number == 1 ? cycle : "\(cycle).\(number)" }

    /// Adds the names of a cycle's pushes up to a number.
    @usableFromInline
    mutating func add(_ name: String, count: Int) {
        if let position = cycles.lastIndex(where: { $0.name == name }) {
            cycles[position].count = max(cycles[position].count, count)
        } else {
            cycles.append(Cycle(name: name, count: count))
            if cycles.count > PushNames.capacity { cycles.removeFirst() }
        }
    }

    /// Adds the name of a push whose cycle is not known, and all earlier names of that cycle.
    @usableFromInline
    mutating func add(pushID: String) {
        if contains(pushID) { return }
        guard let dot = pushID.lastIndex(of: "."), let number = PushNames.number(in: pushID[dot...]) else {
            return add(pushID, count: 1)
        }
        add(String(pushID[..<dot]), count: number)
    }
}

extension PushNames: Codable {
    /// Reads the names of the latest cycles.
    ///
    /// - Throws: `DecodingError` for anything but a list of names and numbers.
    public init(from decoder: any Decoder) throws {
        cycles = try Array([Cycle](from: decoder).suffix(PushNames.capacity))
    }

    /// Writes the names as a list of cycles, the latest one last.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws { try cycles.encode(to: encoder) }
}
