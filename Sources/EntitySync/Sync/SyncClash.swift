public import DifferentialSync
public import SyncPersistence

/// A record that a payload says something else of than what was changed here.
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
    /// None if the record clashes as a whole: one side has deleted it, or made it a record of another entity.
    public let properties: [String]

    /// The versions of the record, as the policy saw them.
    public let conflict: Conflict<Record>

    init(_ edit: MergedEdit) {
        id = edit.id
        properties = edit.fields
        conflict = edit.conflict
    }
}

extension SyncClash {
    /// The record as both sides last had it in common; nil if both have inserted it.
    public var base: Record? { conflict.base }

    /// The record as it was here before the sync; nil if it was deleted here.
    public var local: Record? { conflict.local }

    /// The record as the payload has it; nil if it was deleted there.
    public var remote: Record? { conflict.remote }
}
