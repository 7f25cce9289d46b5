public import SyncPersistence

/// A named part of an account's records, which a device synchronizes instead of all.
///
/// ```swift
/// let open = SyncScope("open", entities: ["Project", "ToDo"], where: ["ToDo": Field("isDone") == false])
/// ```
///
/// A filter reads the values of the record itself. A link is in the scope if the entities at both of its ends are.
///
/// The service has the scopes by their names, and a device names one in each cycle:
///
/// ```swift
/// let service = SyncService(store, account: "ada", scopes: [open])
/// let outcome = try await phone.synchronize(with: service, scope: "open")
/// ```
///
/// A device receives the values of records in its scope alone. It also receives the keys of these records of the
/// scope's entities:
///
/// - records that were deleted
/// - records to which links and records in the scope refer
/// - records that have changed since its first handshake and are not in the scope now
///
/// To hide keys too, give the data an account of its own.
///
/// A device may move a record out of its scope by an update, and is told that it has left. It may not change or insert
/// a record outside its scope, nor take a one-to-one reference from one. A deletion whose delete rules would delete such a
/// record is not made. One that only ends its references is.
///
/// A record in a scope should refer only to records in the same scope. For example, filter to-dos by the same condition
/// as their projects. Otherwise a device that never had a project lists its to-dos in ``StoreOutcome/waiting``. A device
/// that had the project keeps its last values, and lists the project there.
///
/// If a record leaves the scope, a deletion of it that this device has not sent is dropped. Others still have the
/// record, and ``StoreOutcome/left`` has its key. A device that takes another scope sends what it has changed in the
/// former one first. It ends links that its scope does not have when it deletes a record at one of their ends.
///
/// Entities that the scope does not have are for a device like those of a service with an older schema. Their records
/// stay where they are. Changes of them wait until another scope has them. The change of scope is a
/// ``RemoteMismatch/schema(missing:)``. A page of a scope has no fingerprint, so that ``StoreOutcome/isVerified`` is
/// nil.
///
/// The definition of a scope must not change under one name: a device would miss records that are in the scope from
/// then on. Give the scope another name. The devices then compare everything once.
public struct SyncScope: Hashable, Sendable {
    /// The name that a device states in its handshake.
    public let name: String

    /// The entities whose records are in the scope, with those that inherit them; nil for all.
    public let entities: Set<String>?

    /// The filters by entity, which also apply to records of inheriting entities.
    public let filters: [String: Filter]

    /// Creates a scope.
    ///
    /// - Parameters:
    ///   - name: The name that a device states in its handshake.
    ///   - entities: The entities whose records are in the scope; nil for all.
    ///   - filters: The filters by entity; records of entities without a filter are all in the scope.
    public init(_ name: String, entities: [String]? = nil, where filters: [String: Filter] = [:]) {
        self.name = name
        self.entities = entities.map { Set($0) }
        self.filters = filters
    }
}

/// A scope that is resolved and checked for a schema.
struct ScopeView {
    /// Whether all records are in the scope.
    let isWhole: Bool

    /// The names of the slots in the scope by entity, as a handshake states them.
    let slotNames: [String: [String]]

    /// The conditions of each shape with records in the scope.
    private let conditions: [String: [(Record) -> Bool]]

    /// The roots of the hierarchies with records in the scope.
    private let roots: Set<String>

    /// Creates the view of a scope.
    ///
    /// - Parameters:
    ///   - scope: The scope; nil for all records.
    ///   - schema: The schema of the store.
    /// - Throws: `PersistenceError` for an unknown entity, and for a filter that is faulty or reads other records.
    init(_ scope: SyncScope?, in schema: Schema) throws {
        isWhole = scope.map { $0.entities == nil && $0.filters.isEmpty } ?? true
        var filters: [String: (Record) -> Bool] = [:]
        for (entity, filter) in scope?.filters ?? [:] {
            let shape = try Self.shape(entity, of: scope, in: schema)
            let bound = try BoundFilter(filter, of: shape, in: schema)
            if bound.readsOtherRecords {
                throw PersistenceError(
                    .wrongType,
                    "the scope '\(scope?.name ?? "")' filters '\(entity)' by a relationship: "
                        + "use the values of the record itself")
            }
            filters[entity] = bound.predicate { _, _ in nil }
        }
        for entity in scope?.entities ?? [] { _ = try Self.shape(entity, of: scope, in: schema) }
        var conditions: [String: [(Record) -> Bool]] = [:]
        for shape in schema.shapes where !shape.isAbstract {
            guard scope?.entities.map({ !$0.isDisjoint(with: shape.lineage) }) ?? true else { continue }
            conditions[shape.name] = shape.lineage.compactMap { filters[$0] }
        }
        for shape in schema.internalShapes where shape.role == .links {
            let ends = shape.slots.compactMap { slot in
                if case .reference(let entity, _, _) = slot.content { entity } else { nil }
            }
            let isIncluded = ends.allSatisfy { end in
                schema.shapes.contains { $0.inherits(end) && conditions[$0.name] != nil }
            }
            if isIncluded { conditions[shape.name] = [] }
        }
        self.conditions = conditions
        roots = Set(conditions.keys.compactMap { schema[$0]?.root })
        slotNames = conditions.keys.reduce(into: [:]) { names, entity in
            names[entity] = schema[entity]?.slots.map(\.name)
        }
    }

    /// Returns the shape of an entity that a scope names.
    ///
    /// - Throws: `PersistenceError` if the schema does not have it.
    private static func shape(_ entity: String, of scope: SyncScope?, in schema: Schema) throws -> Shape {
        if let shape = schema[entity], shape.role == nil { return shape }
        throw PersistenceError(
            .unknownName, "the scope '\(scope?.name ?? "")' has an entity '\(entity)' that the schema lacks")
    }

    /// A digest of ``slotNames``.
    var digest: String {
        var digest = ContentDigest(seed: 0)
        for (entity, names) in slotNames.sorted(by: { $0.key < $1.key }) {
            digest.combine(Value.array([.string(entity), .array(names.map(Value.string))]))
        }
        return String(digest.finalize(), radix: 16)
    }

    /// Returns the names of a shape's slots in their order: one array for all records, which costs no copy.
    func names(of shape: Shape) -> [String] { slotNames[shape.name] ?? shape.slots.map(\.name) }

    /// Whether records of a shape may be in the scope.
    func includes(_ shape: Shape) -> Bool { conditions[shape.name] != nil }

    /// Whether records of the hierarchy with a root may be in the scope.
    func includes(root: String) -> Bool { roots.contains(root) }

    /// Whether a record or a link is in the scope.
    func contains(_ record: Record) -> Bool {
        conditions[record.entity].map { $0.allSatisfy { $0(record) } } ?? false
    }
}

extension BoundFilter {
    /// Whether a path of the filter leads over a relationship.
    fileprivate var readsOtherRecords: Bool {
        switch self {
        case .constant: false
        case .comparison(let path, _, _), .membership(let path, _), .text(let path, _), .isNull(let path):
            !path.steps.isEmpty
        case .and(let filters), .or(let filters): filters.contains(where: \.readsOtherRecords)
        case .not(let filter): filter.readsOtherRecords
        }
    }
}
