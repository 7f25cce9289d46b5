import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// A type that reads two of the three fields of its records.
private struct Part: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var tags: Set<String>
}

/// Random edits of records by a type that reads a part of them, beside edits of the rest.
///
/// They are compared with a model of plain fields.
struct PartialTypeTests {
    /// The fields of a record.
    private struct Fields: Equatable {
        var text: String
        var tags: Set<String>
        var extra: Int?
    }

    /// What a store must have, and what the remote has of it.
    private struct Model {
        var now: [Int: Fields] = [:]
        var base: [Int: Fields] = [:]

        /// Stores an element; one that undoes a deletion has its former rest again.
        mutating func put(_ part: Part) {
            var extra = now[part.id]?.extra
            if now[part.id] == nil, let base = base[part.id], base.text == part.text, base.tags == part.tags {
                extra = base.extra
            }
            now[part.id] = Fields(text: part.text, tags: part.tags, extra: extra)
        }

        var edited: Set<Int> { Set(now.keys).union(base.keys).filter { now[$0] != base[$0] } }
    }

    /// A store with a collection, of attributes or of JSON.
    private struct Subject {
        let store: InMemoryAdapter
        let parts: PersistentCollection<Part, Int>
        let isByColumn: Bool

        init(byColumn isByColumn: Bool) async throws {
            self.isByColumn = isByColumn
            let entity = Entity(
                "Part",
                attributes: [
                    Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string), Attribute("tags", .json),
                    Attribute("extra", .integer),
                ])
            store = InMemoryAdapter(schema: try Schema(isByColumn ? [entity] : []))
            parts = try await store.collection(of: Part.self, entity: "Part")
        }

        func setExtra(_ extra: Int?, of id: Int) async throws {
            if isByColumn {
                var changes = ChangeSet()
                changes.update(
                    RecordID("Part", .integer(Int64(id))), ["extra": extra.map { .integer(Int64($0)) } ?? .null])
                try await store.commit(changes)
            } else {
                let document = try #require(try await parts.documents.element(id))
                var members = document.members
                members["extra"] = extra.map { .integer(Int64($0)) }
                try await parts.documents.upsert(try JSONDocument(members: members))
            }
        }

        /// Makes the remote have all that the store has.
        func agree() async throws {
            var changes = ChangeSet(origin: .agreed)
            let (records, edits) = try await store.read {
                (try $0.records(Query("Part")), try $0.journal(of: "Part"))
            }
            for record in records { changes.put(record) }
            for edit in edits where !records.contains(where: { $0.id == edit.id }) { changes.delete(edit.id) }
            try await store.commit(changes)
        }

        func fields() async throws -> [Int: Fields] {
            var fields: [Int: Fields] = [:]
            for part in try await parts.elements() {
                var extra: Value?
                if isByColumn {
                    extra = try await store.read { try $0.record(RecordID("Part", .integer(Int64(part.id)))) }?["extra"]
                } else {
                    extra = try await parts.documents.element(part.id)?.members["extra"]
                }
                let number: Int64? = if case .integer(let number)? = extra { number } else { nil }
                fields[part.id] = Fields(text: part.text, tags: part.tags, extra: number.map { Int($0) })
            }
            return fields
        }

        func edited() async throws -> Set<Int> {
            Set(
                try await store.read { try $0.journal(of: "Part") }.map { entry in
                    if case .integer(let key) = entry.id.key { Int(key) } else { -1 }
                })
        }
    }

    private static func part(using generator: inout SeededGenerator) -> Part {
        let tags = (0..<20).map { "tag \($0)" }.shuffled(using: &generator)
        return Part(
            id: Int.random(in: 0..<4, using: &generator), text: ["a", "b"].randomElement(using: &generator)!,
            tags: Set(Bool.random(using: &generator) ? tags : []))
    }

    @Test(arguments: [true, false], 0..<40 as Range<UInt64>)
    func editsOfPartsAndOfTheRestAreIndependent(isByColumn: Bool, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let subject = try await Subject(byColumn: isByColumn)
        var model = Model()
        for step in 0..<40 {
            let id = Int.random(in: 0..<4, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0:
                let part = PartialTypeTests.part(using: &generator)
                try await subject.parts.upsert(part)
                model.put(part)
            case 1:
                let parts = (0..<3).map { _ in PartialTypeTests.part(using: &generator) }
                try await subject.parts.upsert(contentsOf: parts)
                var last: [Int: Part] = [:]
                for part in parts { last[part.id] = part }
                for part in last.values { model.put(part) }
            case 2:
                guard model.now[id] != nil else { continue }
                let part = PartialTypeTests.part(using: &generator)
                try await subject.parts.edit(id) { ($0.text, $0.tags) = (part.text, part.tags) }
                model.put(Part(id: id, text: part.text, tags: part.tags))
            case 3:
                try await subject.parts.remove(id)
                model.now[id] = nil
            case 4:
                guard model.now[id] != nil else { continue }
                let extra = [nil, 1, 2].randomElement(using: &generator)!
                try await subject.setExtra(extra, of: id)
                model.now[id]?.extra = extra
            case 5:
                if Bool.random(using: &generator) { continue }
                try await subject.agree()
                model.base = model.now
            default:
                if Int.random(in: 0..<3, using: &generator) > 0 { continue }
                try await subject.parts.revert()
                model.now = model.base
            }
            try #require(try await subject.fields() == model.now, "after step \(step)")
            try #require(try await subject.edited() == model.edited, "after step \(step)")
        }
    }
}
