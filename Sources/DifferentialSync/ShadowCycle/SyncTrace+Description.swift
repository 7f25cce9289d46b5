extension SyncTrace {
    /// The changes of the cycle, such as `pulled 2 added; pushed 1 replaced; 1 conflict open`.
    public var summary: String {
        var parts: [String] = []
        if counts.pulled.total > 0 { parts.append("pulled \(counts.pulled)") }
        if counts.pushed.total > 0 { parts.append("pushed \(counts.pushed)") }
        if parts.isEmpty { parts.append("nothing changed") }
        if counts.resolved > 0 { parts.append("\(SyncTrace.conflicts(counts.resolved)) resolved") }
        if counts.open > 0 { parts.append("\(SyncTrace.conflicts(counts.open)) open") }
        if case .gaveUp(let rounds) = ending { parts.append("gave up after \(rounds) round\(rounds == 1 ? "" : "s")") }
        return parts.joined(separator: "; ")
    }

    /// Returns the number of conflicts in words.
    private static func conflicts(_ count: Int) -> String { "\(count) conflict\(count == 1 ? "" : "s")" }
}

extension SyncTrace: CustomStringConvertible {
    /// One line, such as `push refused, pull, push accepted · pulled 2 added; pushed 1 replaced`.
    public var description: String {
        let messages = events.isEmpty ? "no messages" : events.map(\.description).joined(separator: ", ")
        return "\(messages) · \(summary)"
    }
}

extension SyncTrace.Event: CustomStringConvertible {
    /// The message and its answer, such as `push refused`.
    public var description: String {
        switch answer {
        case .applied: "push confirmed"
        case .notApplied: "push not applied"
        case .unknown: "push unknown"
        case .nothing, .changes: "pull"
        case .everything: "full pull"
        case .otherEpoch: "pull from another epoch"
        case .accepted: "push accepted"
        case .refused: "push refused"
        case .missing:
            switch message {
            case .confirm: "no answer about push"
            case .pull: "no answer to pull"
            case .push: "no answer to push"
            }
        }
    }
}
