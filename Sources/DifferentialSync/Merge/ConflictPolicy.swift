/// How conflicts are settled.
///
/// ```swift
/// let policy = ConflictPolicy<Note>.mergingFields(Note.fields, otherwise: .newest(by: \.modified))
/// ```
///
/// A policy should give both devices the same answer wherever the conflict arises, or they take turns in overruling
/// each other; ``localWins`` and ``remoteWins`` are safe because the device that syncs last settles the conflict, and
/// the other then has nothing left to settle.
public struct ConflictPolicy<Element>: Sendable {
    /// The answer to a conflict.
    public let resolve: @Sendable (Conflict<Element>) throws -> Resolution<Element>

    /// A policy of the caller's own.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Note> { conflict in
    ///     conflict.kind == .bothEdited ? .open : .remote
    /// }
    /// ```
    ///
    /// - Parameter resolve: The answer to a conflict. What it throws ends the merge, and nothing has changed.
    public init(_ resolve: @escaping @Sendable (Conflict<Element>) throws -> Resolution<Element>) {
        self.resolve = resolve
    }
}

extension ConflictPolicy {
    /// What was done here stands, deletions too.
    public static var localWins: ConflictPolicy { ConflictPolicy { _ in .local } }

    /// What was done there stands, deletions too.
    public static var remoteWins: ConflictPolicy { ConflictPolicy { _ in .remote } }

    /// Nothing is settled: every conflict is left open.
    public static var leaveOpen: ConflictPolicy { ConflictPolicy { _ in .open } }

    /// The newer of two versions stands, by a value that grows with each edit; of equally new ones the remote one.
    ///
    /// An edit stands against a deletion, which has no such value.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Note>.newest(by: \.modified)
    /// ```
    ///
    /// Where the value is a device's clock, the result is as good as the devices' clocks are.
    public static func newest<Value: Comparable & SendableMetatype>(
        by value: @escaping @Sendable (Element) -> Value
    ) -> ConflictPolicy {
        .keepEdits(
            otherwise: ConflictPolicy { conflict in
                guard let local = conflict.local, let remote = conflict.remote else { return .open }
                return value(local) > value(remote) ? .local : .remote
            })
    }

    /// An edit stands against a deletion; where both sides edited or added the record, the other policy says.
    public static func keepEdits(otherwise policy: ConflictPolicy) -> ConflictPolicy {
        ConflictPolicy { conflict in
            switch conflict.kind {
            case .editedHereDeletedThere: .local
            case .deletedHereEditedThere: .remote
            case .bothAdded, .bothEdited: try policy.resolve(conflict)
            }
        }
    }

    /// DS's outcomes: what was deleted there goes, what was deleted here and edited there stays, and where both sides
    /// edited or added the record, the callback says whether the local version replaces the remote one.
    ///
    /// - Parameter shouldReplace: Whether `new`, the local version, takes the place of `old`, the remote one.
    public static func differentialSync(
        shouldReplace: @escaping @Sendable (_ old: Element, _ new: Element) throws -> Bool
    ) -> ConflictPolicy {
        ConflictPolicy { try $0.differentialSyncResolution(shouldReplace: shouldReplace) }
    }
}

extension Conflict {
    /// The resolution that DS's cycle comes to.
    @inlinable
    func differentialSyncResolution(
        shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
    ) rethrows -> Resolution<Element> {
        guard let local, let remote else { return .remote }
        return try shouldReplace(remote, local) ? .local : .remote
    }
}
