public import StoreSync
public import SyncPersistence

/// What a simulation gives to the service of a run.
///
/// A simulator makes the remote of the devices from it. The default one is ``makeSyncService(scopes:)``, and a test
/// may plant a fault instead.
public struct SimulatedService: Sendable {
    /// The store of the service.
    public let store: any PersistenceAdapter

    /// The name of the account.
    public let account: String

    /// The largest sizes of pages and pushes.
    public let limits: SyncLimits

    /// The scopes of the run, of which each device names one; empty if all devices synchronize all records.
    public let scopes: [SyncScope]

    /// Whether the service refuses changes at the moment.
    public let refuses: @Sendable () -> Bool

    /// Makes names that follow from the script.
    public let makeName: @Sendable () -> String
}

extension SimulatedService {
    /// Returns a service with a review that refuses, postpones and amends changes.
    ///
    /// While the script has the service refuse changes, it refuses those of about half of all records, and postpones
    /// those of a part of the others. It ends the text of some attributes with an exclamation mark.
    ///
    /// Which records are concerned follows from their keys alone, so that a device which sends a change again receives
    /// the same outcome.
    ///
    /// - Parameter change: Returns the scopes of the service for those of the run.
    public func makeSyncService(scopes change: ([SyncScope]) -> [SyncScope] = { $0 }) -> SyncService {
        let review = Review { [refuses] change, _ in
            let digest = change.mutation.id.description.utf8.reduce(0) { ($0 &* 31) &+ Int($1) }
            if refuses() && digest.isMultiple(of: 2) {
                return .refuse(code: "simulated", reason: "as the script wants")
            }
            if refuses() && digest % 5 == 1 { return .later(after: 1) }
            guard !change.isConsequence, digest.isMultiple(of: 3), let record = change.new else { return .accept }
            return .amend(record.amended)
        }
        return SyncService(
            store, account: account, limits: limits, scopes: change(scopes), review: review, makeName: makeName)
    }

    /// The end of each text that the service has amended, by which the ledger recognizes it.
    static let mark = "!"
}

extension Record {
    /// The amended values by name: each text that does not have the mark yet.
    fileprivate var amended: [String: Value] {
        var values: [String: Value] = [:]
        for slot in shape.trackedSlots {
            guard case .string(let text) = self[slot], !text.hasSuffix(SimulatedService.mark) else { continue }
            values[slot] = .string(text + SimulatedService.mark)
        }
        return values
    }
}

extension Value {
    /// The value as it was before the service amended it.
    var unmarked: Value {
        guard case .string(let text) = self, text.hasSuffix(SimulatedService.mark) else { return self }
        return .string(String(text.dropLast(SimulatedService.mark.count)))
    }

    /// Whether the value is that of an edit, as it was made or amended.
    func isVersion(of edit: Value) -> Bool { unmarked == edit.unmarked }
}
