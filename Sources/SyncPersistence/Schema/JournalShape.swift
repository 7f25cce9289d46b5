/// The shape of a hierarchy's journal: the slots of an old image, and those of an entry.
package enum JournalShape {
    /// The name of the slot that stores ``JournalEntry/isUnresolved``.
    ///
    /// It must not change, because existing stores have it.
    package static let unresolvedName = "sync.isUnsettled"

    /// Returns the name of the journal's shape for an entity.
    static func name(of entity: String) -> String { "sync.journal.\(entity)" }

    /// Returns the slots of an entry after those of the old image.
    package static func ownSlots(declaredBy name: String) -> [Slot] {
        [
            Slot("sync.isInShadow", .attribute(.bool), isOptional: false, declaredBy: name, isInternal: true),
            Slot(unresolvedName, .attribute(.bool), isOptional: false, declaredBy: name, isInternal: true),
            Slot("sync.remote", .attribute(.string), declaredBy: name, isInternal: true),
        ]
    }
}
