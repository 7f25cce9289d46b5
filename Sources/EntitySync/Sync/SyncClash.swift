public import DifferentialSync
public import SyncPersistence

/// A conflict between a payload and a local change of a record.
///
/// ```swift
/// for clash in result.clashes {
///     for name in clash.properties {
///         print(clash.id, name, clash.local?[name] ?? .null, clash.remote?[name] ?? .null)
///     }
/// }
/// ```
public struct SyncClash: Hashable, Sendable {
    /// The record.
    public let id: RecordID

    /// The names of the attributes and references that both sides have changed to different values.
    ///
    /// Empty if the conflict concerns the whole record: one side has deleted it, or changed its entity.
    public let properties: [String]

    /// The versions of the record that the policy received.
    public let conflict: Conflict<Record>

    /// Creates the clash of a merged record.
    init(_ edit: MergedEdit) {
        id = edit.id
        properties = edit.fields
        conflict = edit.conflict
    }
}

extension SyncClash {
    /// The last version that both sides had in common; nil if both have inserted the record.
    public var base: Record? { conflict.base }

    /// The local version before the sync; nil if the record was deleted locally.
    public var local: Record? { conflict.local }

    /// The version of the payload; nil if the remote has deleted the record.
    public var remote: Record? { conflict.remote }
}
