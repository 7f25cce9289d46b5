/// A connection of two records by a to-many relationship that is stored in neither of them.
///
/// ```swift
/// let links = try await store.linkCollection(of: "Note", relationship: "tags")
/// try await links.elements()  // note 7 with tag 1, note 7 with tag 2
/// ```
///
/// Its JSON is an object of its properties, for example `{"source":7,"target":1,"position":0}`.
public struct RecordLink: Hashable, Sendable, Codable, Identifiable {
    /// The key of the record that the link leads from.
    public var source: Value

    /// The key of the record that the link leads to.
    public var target: Value

    /// The place of the target among the records that the source leads to; nil if those have no order.
    public var position: Int64?

    /// The place of the source among the records that lead to the target; nil if those have no order.
    public var inversePosition: Int64?

    /// Creates a link of two records.
    ///
    /// - Parameters:
    ///   - source: The key of the record that the link leads from.
    ///   - target: The key of the record that the link leads to.
    ///   - position: The place among the targets of the source; nil without an order.
    ///   - inversePosition: The place among the sources of the target; nil without an order.
    public init(source: Value, target: Value, position: Int64? = nil, inversePosition: Int64? = nil) {
        self.source = source
        self.target = target
        self.position = position
        self.inversePosition = inversePosition
    }

    /// The keys of both records.
    public struct ID: Hashable, Sendable, Codable {
        /// The key of the record that the link leads from.
        public var source: Value
        /// The key of the record that the link leads to.
        public var target: Value

        /// Creates the ID of the link of two records.
        public init(source: Value, target: Value) {
            self.source = source
            self.target = target
        }
    }

    /// The keys of both records: two records are connected once.
    public var id: ID { ID(source: source, target: target) }
}

extension PersistenceAdapter {
    /// Returns the links of a many-to-many relationship, or of a to-many relationship without an inverse.
    ///
    /// The links are a collection that can be synchronized by itself. Neither record contains them, so the collections
    /// of the records do not synchronize them:
    ///
    /// ```swift
    /// let links = try await store.linkCollection(of: "Note", relationship: "tags")
    /// try await links.synchronize(with: server, policy: .localWins)
    /// ```
    ///
    /// Both ends of a relationship share one collection. Its links lead from the end whose entity and name come first
    /// in alphabetical order. A relationship that is its own inverse has two links for each pair, one in each
    /// direction. `link` and `unlink` of a change set keep both links consistent.
    ///
    /// The links of an ordered relationship have positions. A newly connected record receives the number after the
    /// last. A change set that orders the records, or moves one, numbers the links of that record from 0 again. Each
    /// link whose number changes is a local change. Positions that this collection writes are kept unchanged, even if
    /// they leave a gap or repeat. Edits of one order on two devices can conflict in several links. Links of an ordered
    /// relationship therefore need a policy that resolves conflicts, for example `.localWins`.
    ///
    /// A link that arrives before its records waits for them. A record that the remote has deleted is kept as long as a
    /// link leads to it, until the remote of the links has deleted the link too.
    ///
    /// The first call for a relationship stores that its links are synchronized. From then on, a link that was made
    /// here and not sent keeps its records as well. So open the collection before the first cycle of the records. If it
    /// was never opened, its links are deleted with a record that the remote has deleted. ``CycleOutcome/deletedLinks``
    /// lists them.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - name: The name of the relationship.
    /// - Throws: ``PersistenceError`` if there is no such relationship, if it is stored in the records of one end, or if
    ///   the store cannot be written. A store that was opened for reading only is not written.
    public func linkCollection(
        of entity: String, relationship name: String
    ) async throws -> PersistentCollection<RecordLink, RecordLink.ID> {
        let (shape, isOpened) = try await read { transaction in
            let relationship = try transaction.relationship(name, of: entity)
            if case .links(let shape, _) = relationship.storage {
                return (shape, try transaction.metadata(CycleMetadata.turn(of: shape)) != nil)
            }
            throw PersistenceError(
                .wrongType,
                "'\(entity).\(name)' has no links of its own, as it is stored in the records of one end: synchronize the "
                    + "collection of those", property: name)
        }
        if !isOpened { try await recordOpening(shape) }
        return PersistentCollection(in: self, coding: .links(in: shape))
    }

    /// Stores that a collection of links was opened, unless the store is for reading only.
    private func recordOpening(_ shape: String) async throws {
        do {
            try await write { transaction in
                let name = CycleMetadata.turn(of: shape)
                if try transaction.metadata(name) == nil {
                    try transaction.metadataLog.set(CycleMetadata.openedTurn, for: name)
                }
            }
        } catch let error as PersistenceError where error.code == .readOnly {
            // What is only read is not synchronized.
        }
    }
}

extension RecordCoding where Element == RecordLink, Key == RecordLink.ID {
    /// Returns the coding of the links that have a shape of the given name.
    fileprivate static func links(in name: String) -> RecordCoding {
        RecordCoding(
            entity: name, key: \.id, value: { [$0.source, $0.target] },
            encode: { link, record in
                record["source"] = link.source
                record["target"] = link.target
                for (slot, place) in [("position", link.position), ("inversePosition", link.inversePosition)]
                where record.shape.slot(named: slot) != nil {
                    record[slot] = place.map { .integer($0) } ?? .null
                }
            },
            decode: { record in
                func place(_ slot: String) -> Int64? {
                    if case .integer(let place) = record[slot] { place } else { nil }
                }
                return RecordLink(
                    source: record["source"], target: record["target"], position: place("position"),
                    inversePosition: place("inversePosition"))
            })
    }
}
