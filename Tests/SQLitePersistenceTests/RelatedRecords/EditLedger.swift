import SyncPersistence
import Synchronization

/// What users have made of each record on any device, and which of it a user has replaced or decided against.
///
/// A version that no edit has replaced must be on all devices in the end.
final class EditLedger: Sendable {
    /// What a user has made of a record.
    struct Version: Hashable, CustomStringConvertible {
        /// The record, under the name of its hierarchy's root.
        let id: RecordID
        let content: [Value]

        var description: String { "\(id) \(content)" }
    }

    private struct State {
        var made: Set<Version> = []
        var replaced: Set<Version> = []
    }

    private let state = Mutex(State())

    /// Notes what a user has made on a device, who has seen what was there before, and what followed from it.
    func note(_ commit: Commit) {
        state.withLock { state in
            for change in commit.changes {
                let (old, new) = (change.old.flatMap(Version.init), change.new.flatMap(Version.init))
                if old == new { continue }
                if let old { state.replaced.insert(old) }
                if let new { state.made.insert(new) }
            }
        }
    }

    /// Notes that a user has decided against a version of a conflict.
    func noteLoser<Element>(_ loser: Element, of entity: String) {
        let version: Version? =
            switch loser {
            case let record as Record: Version(record)
            case let link as RecordLink: Version(id: RecordID(entity, [link.source, link.target]), content: [])
            default: nil
            }
        if let version { _ = state.withLock { $0.replaced.insert(version) } }
    }

    /// The versions that are missing on a device, although no edit has replaced them.
    func lost(on device: RelatedDevice) async throws -> [Version] {
        let versions = state.withLock { $0.made.subtracting($0.replaced) }
        let ids = versions.map(\.id)
        let records = try await device.store.read { transaction in try ids.map { try transaction.record($0) } }
        return zip(versions, records).filter { version, record in record.flatMap(Version.init) != version }.map(\.0)
    }
}

extension EditLedger.Version {
    /// The version of a record: its name and what it names, without connections that one record takes from another.
    init?(_ record: Record) {
        let shape = record.shape
        guard shape.role == nil || shape.role == .links else { return nil }
        id = RecordID(shape.root, record.key)
        if shape.role == .links {
            content = []
            return
        }
        let exclusive = Set(
            shape.relationships.compactMap { relationship in
                if case .reference(let slot, true, _) = relationship.storage { slot } else { nil }
            })
        content = zip(shape.slots, record.values).filter { !exclusive.contains($0.0.name) }.map(\.1)
    }
}
