import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulationOperation {
    /// Makes a user's step with a conflict or a refused change that a store lists.
    ///
    /// The steps use the same public functions as an app: `resolve(_:with:)`, `releaseRefused(_:)` and
    /// `discardLocalChange(of:)`.
    ///
    /// - Returns: The user's decision; nil if the step is another one.
    func applyToLists(of store: SimulatedStore) async throws -> DecidedConflict? {
        switch self {
        case .resolve(_, let conflict, let choice):
            let conflicts = try await store.openConflicts
            if conflicts.isEmpty { return nil }
            let chosen = conflicts[conflict.wrapped(conflicts.count)]
            let resolution: Resolution<Record> = choice == .local ? .local : .remote
            try await store.resolve(chosen, with: resolution)
            return DecidedConflict(chosen.versions, resolution)
        case .release:
            for refused in try await store.refusedRecords { try await store.releaseRefused(refused.id) }
        case .discard(_, let record):
            let refused = try await store.refusedRecords
            if !refused.isEmpty {
                try await store.discardLocalChange(of: refused[record.wrapped(refused.count)].id)
            }
        default: break
        }
        return nil
    }
}
