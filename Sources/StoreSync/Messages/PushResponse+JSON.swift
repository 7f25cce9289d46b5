import SyncPersistence

extension PushResponse {
    /// Writes the name, the known part of the history, the number of outcomes, and those that are not plainly accepted, by position.
    func write(to object: inout MessageWriter) {
        object.set("push", name.json)
        object.set("known", ifAny: knownSequence, Value.integer)
        object.set("count", outcomes.count)
        object.set("outcomes", .array(outcomes.enumerated().compactMap { $1.json(at: $0) }))
    }

    /// Reads the members of a response within a message.
    init(_ message: MessageReader) throws(MessageError) {
        let count = try message.count("count")
        guard count <= StoreProtocol.maximumRecords else {
            throw message.error("count", "\(count) records are more than \(StoreProtocol.maximumRecords)")
        }
        var outcomes = [Outcome](repeating: .accepted(), count: count)
        var next = 0
        for (position, outcome) in try message.list("outcomes", Outcome.read) {
            guard position >= next, position < count else {
                throw message.error("outcomes", "expected ascending positions below \(count), found \(position)")
            }
            outcomes[position] = outcome
            next = position + 1
        }
        self.init(
            name: try PushName(message.object("push")), outcomes: outcomes,
            knownSequence: message.has("known") ? try message.number("known") : nil)
    }
}

extension PushResponse.Outcome {
    /// Returns the outcome as an array of a position, a word and details; nil if the change is stored as it was sent.
    fileprivate func json(at position: Int) -> Value? {
        func json(_ word: String, _ details: Value...) -> Value {
            .array([.integer(Int64(position)), .string(word)] + details)
        }
        return switch self {
        case .accepted(nil, nil): nil
        case .accepted(let amended, let key): json("accepted", amended.map(Value.object) ?? .null, key ?? .null)
        case .conflict: json("conflict")
        case .refused(let code, let reason): json("refused", .string(code), .string(reason))
        case .later(let seconds): json("later", seconds.map { .integer(Int64($0)) } ?? .null)
        case .blocked(let id): json("blocked", .string(id.entity), id.key)
        case .unauthorized: json("unauthorized")
        }
    }

    /// Reads an outcome and its position.
    fileprivate static func read(
        _ value: Value, _ path: [String]
    ) throws(MessageError) -> (position: Int, outcome: Self) {
        guard case .array(let parts) = value, parts.count >= 2, case .integer(let number) = parts[0],
            let position = Int(exactly: number), case .string(let word) = parts[1]
        else { throw MessageError(path: path, problem: "expected an array of a position, a word and details") }
        switch (word, parts.count) {
        case ("accepted", 4):
            let key = parts[3].isNull ? Value?.none : parts[3]
            if parts[2].isNull { return (position, .accepted(amended: nil, key: key)) }
            if case .object(let amended) = parts[2] { return (position, .accepted(amended: amended, key: key)) }
        case ("conflict", 2): return (position, .conflict)
        case ("refused", 4):
            if case .string(let code) = parts[2], case .string(let reason) = parts[3] {
                return (position, .refused(code: code, reason: reason))
            }
        case ("later", 3):
            if parts[2].isNull { return (position, .later(after: nil)) }
            if case .integer(let seconds) = parts[2], seconds >= 0, let seconds = Int(exactly: seconds) {
                return (position, .later(after: seconds))
            }
        case ("blocked", 4):
            if case .string(let entity) = parts[2], !parts[3].isNull {
                return (position, .blocked(by: RecordID(entity, parts[3])))
            }
        case ("unauthorized", 2): return (position, .unauthorized)
        default: break
        }
        throw MessageError(
            path: path, problem: "the outcome \"\(word)\" is unknown to this version, or has other details")
    }
}
