/// A way to resolve conflicts.
///
/// ```swift
/// let policy = ConflictPolicy<Note>.mergingFields(Note.fields, otherwise: .newest(by: \.modified))
/// ```
///
/// A policy should return the same record on both devices. Otherwise the order of the syncs decides which version is
/// kept, and devices that sync without a common remote may replace each other's version again and again. With one remote,
/// ``localWins`` and ``remoteWins`` are safe: the device that syncs last resolves the conflict, and the other device then
/// has no conflict.
public struct ConflictPolicy<Element>: Sendable {
    /// Returns the resolution of a conflict.
    public let resolve: @Sendable (Conflict<Element>) throws -> Resolution<Element>

    /// Creates a policy that resolves conflicts by a function.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Note> { conflict in
    ///     conflict.kind == .bothEdited ? .open : .remote
    /// }
    /// ```
    ///
    /// - Parameter resolve: Returns the resolution of a conflict. If it throws, the merge ends and nothing has changed.
    public init(_ resolve: @escaping @Sendable (Conflict<Element>) throws -> Resolution<Element>) {
        self.resolve = resolve
    }
}

extension ConflictPolicy {
    /// The local change wins, deletions too.
    public static var localWins: ConflictPolicy { ConflictPolicy { _ in .local } }

    /// The remote's change wins, deletions too.
    public static var remoteWins: ConflictPolicy { ConflictPolicy { _ in .remote } }

    /// No conflict is resolved.
    ///
    /// Each cycle lists it again.
    public static var leaveOpen: ConflictPolicy { ConflictPolicy { _ in .open } }

    /// Returns a policy by which the newer version wins, compared by a value that grows with each edit.
    ///
    /// If the values are equal, the remote's version wins. An edit wins over a deletion, which has no value.
    ///
    /// ```swift
    /// let policy = ConflictPolicy<Note>.newest(by: \.modified)
    /// ```
    ///
    /// If the value is a time, a device whose clock is fast wins. A counter that grows with each edit needs no clock.
    ///
    /// - Parameter value: Returns the value of a record that grows with each edit.
    public static func newest<Value: Comparable & SendableMetatype>(
        by value: @escaping @Sendable (Element) -> Value
    ) -> ConflictPolicy {
        .keepEdits(
            otherwise: ConflictPolicy { conflict in
                guard let local = conflict.local, let remote = conflict.remote else { return .open }
                return value(local) > value(remote) ? .local : .remote
            })
    }

    /// Returns a policy by which an edit wins over a deletion.
    ///
    /// - Parameter policy: Resolves the conflict if both sides edited or added the record.
    public static func keepEdits(otherwise policy: ConflictPolicy) -> ConflictPolicy {
        ConflictPolicy { conflict in
            switch conflict.kind {
            case .editedHereDeletedThere: .local
            case .deletedHereEditedThere: .remote
            case .bothAdded, .bothEdited: try policy.resolve(conflict)
            }
        }
    }

    /// Returns a policy with the outcomes of the cycle of [DS](https://github.com/lyc2345/DS).
    ///
    /// A record that the remote deleted is deleted. A record that was deleted locally and edited on the remote is kept.
    /// If both sides edited or added a record, the callback decides between them.
    ///
    /// - Parameter shouldReplace: Whether `new`, the local version, takes the place of `old`, the remote one.
    public static func differentialSync(
        shouldReplace: @escaping @Sendable (_ old: Element, _ new: Element) throws -> Bool
    ) -> ConflictPolicy {
        ConflictPolicy { try $0.differentialSyncResolution(shouldReplace: shouldReplace) }
    }
}

extension Conflict {
    /// Returns the resolution of DS's cycle.
    @inlinable
    func differentialSyncResolution(
        shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
    ) rethrows -> Resolution<Element> {
        guard let local, let remote else { return .remote }
        return try shouldReplace(remote, local) ? .local : .remote
    }
}
