import SyncPersistence

/// The search for the primary key of each hierarchy of entities.
///
/// These are its sources, the first one that exists counts:
/// 1. the attributes with `sync.isPrimaryKey`;
/// 2. the attributes of a uniqueness constraint;
/// 3. the attribute `remoteID` or `id`.
///
/// The key belongs to the topmost entity of a hierarchy. The entities that inherit from it share it.
enum KeySearch {
    /// Finds the keys, and makes their attributes mandatory, without a default.
    static func findKeys(of drafts: inout DraftTable, _ log: inout FindingLog) {
        for position in drafts.indices where drafts.isRoot(position) { findKey(ofRoot: &drafts[position], &log) }
        for position in drafts.indices where !drafts.isRoot(position) {
            let root = drafts.lineage(of: drafts[position].entity.name).last.map { drafts[$0].entity }
            shareKey(of: root, with: &drafts[position], &log)
        }
    }

    /// The names of attributes that are keys without a flag, the preferred one first.
    private static let keyNames = ["remoteID", "id"]

    /// Finds the key of a topmost entity, and reports attributes that look like a key but are not.
    ///
    /// A constraint with a JSON attribute is no key.
    ///
    /// A constraint of only `remoteID` or only `id` precedes other constraints.
    private static func findKey(ofRoot draft: inout EntityDraft, _ log: inout FindingLog) {
        var key = Set(draft.entity.attributes.filter(\.isPrimaryKey).map(\.name))
        if key.isEmpty {
            let able = Set(draft.entity.attributes.filter { $0.type != .json }.map(\.name))
            let named = keyNames.filter { able.contains($0) }
            let constraints = draft.constraints.filter { able.isSuperset(of: $0.names) }.map { Set($0.names) }
            let guess = named.first.map { Set([$0]) } ?? []
            key = constraints.first { $0 == guess } ?? constraints.first ?? guess
            for other in named where !key.contains(other) {
                log.notice(
                    draft.places[other] ?? draft.position, "\(draft.entity.name).\(other)",
                    "it is not the primary key, which is \(quoted(key)): flag it by 'sync.isPrimaryKey' if it should be"
                )
            }
            if key.isEmpty {
                log.notice(
                    draft.position, draft.entity.name,
                    "it has no primary key, and the store counts its records: flag an attribute by 'sync.isPrimaryKey' "
                        + "if they are to be found by it")
            }
        }
        makeKey(key, of: &draft, &log)
        reportConstraints(of: draft, besides: key, &log)
    }

    /// Gives an entity the key of the topmost entity that it inherits from.
    ///
    /// For example, `Book` inherits from `Item` with the key `barcode`. A key `isbn` of `Book` then becomes an indexed
    /// attribute, because all records of a hierarchy share one space of keys.
    ///
    /// Its own key becomes an indexed attribute, which keeps its flag.
    private static func shareKey(of root: Entity?, with draft: inout EntityDraft, _ log: inout FindingLog) {
        let key = Set(root?.attributes.filter(\.isPrimaryKey).map(\.name) ?? [])
        var own = Set(draft.entity.attributes.filter(\.isPrimaryKey).map(\.name)).subtracting(key)
        if own.isEmpty && key.isEmpty {
            let names = Set(draft.entity.attributes.filter { $0.type != .json }.map(\.name))
            own.formUnion(keyNames.first { names.contains($0) }.map { [$0] } ?? [])
        }
        if !own.isEmpty {
            draft.entity.attributes = draft.entity.attributes.map { attribute in
                guard own.contains(attribute.name) else { return attribute }
                log.notice(
                    draft.places[attribute.name] ?? draft.position, "\(draft.entity.name).\(attribute.name)",
                    "it is kept as an attribute with an index: the primary key is that of '\(root?.name ?? "")', the "
                        + "topmost entity")
                var kept = attribute
                kept.isPrimaryKey = false
                kept.isIndexed = true
                kept.userInfo["sync.isPrimaryKey"] = "YES"
                return kept
            }
        }
        makeKey(key, of: &draft, &log)
        reportConstraints(of: draft, besides: key, &log)
    }

    /// Makes attributes the primary key: mandatory, without a default.
    private static func makeKey(_ key: Set<String>, of draft: inout EntityDraft, _ log: inout FindingLog) {
        draft.entity.attributes = draft.entity.attributes.map { attribute in
            guard key.contains(attribute.name) else { return attribute }
            var part = attribute
            part.isPrimaryKey = true
            part.isOptional = false
            if part.defaultValue.isNull { return part }
            part.defaultValue = .null
            log.notice(
                draft.places[attribute.name] ?? draft.position, "\(draft.entity.name).\(attribute.name)",
                "the default \(attribute.defaultValue) is passed over: each record has a key of its own")
            return part
        }
    }

    /// Reports the uniqueness constraints besides the primary key, because a store does not check them.
    private static func reportConstraints(of draft: EntityDraft, besides key: Set<String>, _ log: inout FindingLog) {
        for constraint in draft.constraints where Set(constraint.names) != key {
            log.notice(
                constraint.position, draft.entity.name,
                "that \(quoted(constraint.names)) is unique is not checked: the primary key alone is")
        }
    }

    /// Returns names in quotes, sorted and separated by commas.
    private static func quoted(_ names: some Sequence<String>) -> String {
        names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
}
