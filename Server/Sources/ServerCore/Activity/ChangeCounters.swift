import StoreSync

/// The outcomes of changes.
struct ChangeCounters {
    /// The kinds of outcomes.
    enum Outcome: String, CaseIterable { case accepted, conflict, refused, later, blocked, unauthorized }

    /// The number of changes by outcome.
    ///
    /// The answer to a repeated push counts again.
    private(set) var counts: [Outcome: Int] = [:]

    /// The pushes with an accepted change.
    private(set) var commits = 0

    /// Counts the outcomes of a push.
    mutating func add(_ outcomes: [PushResponse.Outcome]) {
        for outcome in outcomes { counts[Outcome(outcome), default: 0] += 1 }
        if outcomes.contains(where: \.isAccepted) { commits += 1 }
    }
}

extension ChangeCounters.Outcome {
    init(_ outcome: PushResponse.Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .conflict: self = .conflict
        case .refused: self = .refused
        case .later: self = .later
        case .blocked: self = .blocked
        case .unauthorized: self = .unauthorized
        }
    }
}
