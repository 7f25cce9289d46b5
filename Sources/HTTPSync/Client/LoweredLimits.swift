import Foundation
import StoreSync

/// The limits of a remote's pushes, which refused bodies lower and accepted pushes raise again.
struct LoweredLimits: Sendable {
    /// The fewest bytes to which refused bodies lower a limit; a server that accepts less lets nothing through.
    private static let least = 1_000

    /// For how many seconds a record counts as too large.
    private static let memory: TimeInterval = 3_600

    /// The most bytes of a push with several records if none was refused.
    private let mostPushBytes: Int

    /// The most bytes of a push with several records.
    private(set) var pushBytes: Int

    /// The most bytes of a record, and until when that holds; nil if no record was too large.
    private var record: (bytes: Int, end: Date)?

    /// Creates limits that no refused body has lowered.
    init(pushBytes: Int) {
        mostPushBytes = max(pushBytes, 1)
        self.pushBytes = mostPushBytes
    }

    /// Returns the most bytes of a record.
    func recordBytes(at now: Date) -> Int {
        guard let record, now < record.end else { return .max }
        return record.bytes
    }

    /// Lowers a limit after the body of a push was refused for its size.
    ///
    /// A refused record only shows that records of its size are too large.
    ///
    /// - Returns: Whether the next push can be smaller.
    mutating func refuse(_ push: PushRequest, bodySize: Int, at now: Date) -> Bool {
        if push.mutations.count > 1 {
            let lower = min(pushBytes, bodySize) / 2
            if lower < Self.least { return false }
            pushBytes = lower
        } else {
            let size = push.mutations.first?.messageSize ?? 0
            let lower = min(size - 1, recordBytes(at: now))
            if lower < Self.least { return false }
            record = (lower, now + Self.memory)
        }
        return true
    }

    /// Raises the limit of a push again, because one was accepted.
    mutating func accept() { pushBytes = pushBytes > mostPushBytes / 2 ? mostPushBytes : 2 * pushBytes }
}
