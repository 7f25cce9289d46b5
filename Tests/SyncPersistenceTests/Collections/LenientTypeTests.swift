import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// A status whose later cases older versions of an app read as `unknown`.
private enum Status: String, Codable {
    case open, done, unknown

    init(from decoder: any Decoder) throws {
        self = Status(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

/// A color, of which a type reads nothing if it does not know it.
private enum Color: String, Codable {
    case red, blue
}

/// A type that reads some values as others: by a fallback, as nothing, and by a default for nothing.
private struct Chore: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var status = Status.open
    var color: Color?
    var priority = 3

    init(id: Int, title: String) {
        self.id = id
        self.title = title
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        status = try container.decodeIfPresent(Status.self, forKey: .status) ?? .open
        color = try? container.decodeIfPresent(Color.self, forKey: .color)
        priority = try container.decodeIfPresent(Int.self, forKey: .priority) ?? 3
    }
}

/// A type that reads a default instead of null, and values of the standard library alone.
private struct Reminder: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var priority: Int

    init(id: Int, title: String, priority: Int) {
        (self.id, self.title, self.priority) = (id, title, priority)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        priority = try container.decodeIfPresent(Int.self, forKey: .priority) ?? 3
    }
}

/// A type with a lenient status, and without a default.
private struct Errand: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var status: Status
    var text: String?
}

/// A type that encodes some members only if they have a value.
private struct Gift: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var status: Status
    var color: Color?

    enum CodingKeys: CodingKey { case id, title, status, color }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        status = try container.decodeIfPresent(Status.self, forKey: .status) ?? .open
        color = try? container.decodeIfPresent(Color.self, forKey: .color)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        if status != .open { try container.encode(status, forKey: .status) }
        if let color { try container.encode(color, forKey: .color) }
    }
}

/// A type that reads its state from two values.
private struct Job: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var isDone: Bool
    var state: Status

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        isDone = try container.decode(Bool.self, forKey: .isDone)
        state = isDone ? .done : try container.decode(Status.self, forKey: .state)
    }
}

/// A type with elements that have a lenient status, and perhaps with a set.
private struct Plan<Tags: Codable & Equatable & Sendable>: Codable, Identifiable, Equatable, Sendable {
    struct Step: Codable, Equatable, Sendable {
        var text: String
        var status: Status
    }
    struct Place: Codable, Equatable, Sendable {
        var name: String
        var color: Status
    }

    var id: Int
    var place: Place
    var steps: [Step]
    var tags: Tags
}

/// A collection of elements in the attributes of an entity, or as JSON, whose records were pulled.
private struct Pulled<Element: Codable & Identifiable & Equatable & Sendable> where Element.ID == Int {
    let store: InMemoryAdapter
    let collection: PersistentCollection<Element, Int>

    /// Creates a collection with the values of its records.
    ///
    /// - Parameters:
    ///   - attributes: The attributes besides `id`.
    ///   - isByColumn: Whether attributes have the values.
    ///   - records: The values of the records.
    init(_ attributes: [Attribute], byColumn isByColumn: Bool, _ records: [String: Value]...) async throws {
        let entity = Entity("Item", attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes)
        store = InMemoryAdapter(schema: try Schema(isByColumn ? [entity] : []))
        collection = try await store.collection(of: Element.self, entity: "Item")
        let shape = try #require(store.schema["Item"])
        var pulled = ChangeSet(origin: .remote)
        for values in records {
            let json = Value.object(ValueObject(values.map { ValueObject.Member(name: $0, value: $1) }))
            let content: [String: Value] = [
                "id": values["id"] ?? .null, "content": .string(try json.json(.sortedNames)),
            ]
            pulled.put(Record(shape, isByColumn ? values : content))
        }
        try await store.commit(pulled)
    }

    /// Returns a stored value; null if there is none.
    func stored(_ id: Int64, _ name: String) async throws -> Value {
        let record = try #require(try await store.read { try $0.record(RecordID("Item", .integer(id))) })
        guard case .string(let text) = record["content"], case .object(let object) = try Value(json: text) else {
            return record[name]
        }
        return object[name] ?? .null
    }
}

/// A stored value that a type reads as another one stays until an element changes it.
struct LenientTypeTests {
    /// A collection of chores whose only one was pulled with values that the type reads as others.
    private struct Subject {
        let store: InMemoryAdapter
        let chores: PersistentCollection<Chore, Int>
        let isByColumn: Bool

        init(byColumn isByColumn: Bool) async throws {
            self.isByColumn = isByColumn
            let pulled = try await Pulled<Chore>(
                [Attribute("title", .string), Attribute("status", .string), Attribute("color", .string)]
                    + [Attribute("priority", .integer)],
                byColumn: isByColumn, ["id": 1, "title": "a", "status": "archived", "color": "green"])
            (store, chores) = (pulled.store, pulled.collection)
        }

        /// Stores an edit of the only chore.
        func edit(alone: Bool, _ change: (inout Chore) -> Void) async throws {
            var chore = try #require(try await chores.element(1))
            change(&chore)
            if alone { try await chores.upsert(chore) } else { try await chores.upsert(contentsOf: [chore]) }
        }

        /// Expects the stored values of a chore.
        ///
        /// JSON has the default of an absent member after an edit, and so does its shadow.
        func expectStored(
            _ id: Int, _ title: String, _ status: String, color: Value, priority: Value = .null,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let id = Value.integer(Int64(id))
            let record = try #require(try await store.read { try $0.record(RecordID("Item", id)) })
            var expected: [String: Value] = ["id": id, "title": .string(title), "status": .string(status)]
            expected["color"] = color
            expected["priority"] = priority
            var stored = Dictionary(uniqueKeysWithValues: zip(record.shape.slots.map(\.name), record.values))
            if case .string(let text)? = stored["content"], case .object(let object) = try Value(json: text) {
                stored = Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
                if priority.isNull { expected["priority"] = 3 }
                if color.isNull { expected["color"] = nil }
            }
            #expect(stored == expected, sourceLocation: sourceLocation)
        }

        var hasEdits: Bool {
            get async throws { try await !store.read { try $0.journal(of: "Item").isEmpty } }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func valuesThatAreReadAsOthersStayWhileOthersAreEdited(byColumn: Bool, alone: Bool) async throws {
        let subject = try await Subject(byColumn: byColumn)
        try await subject.edit(alone: alone) { $0.title = "b" }
        try await subject.expectStored(1, "b", "archived", color: "green")
        #expect(try await subject.chores.element(1)?.status == .unknown)
        try await subject.edit(alone: alone) { $0.title = "a" }
        #expect(try await !subject.hasEdits)
    }

    @Test(arguments: [true, false], [true, false])
    func valuesThatAreReadAsOthersAreReplacedByEdits(byColumn: Bool, alone: Bool) async throws {
        let subject = try await Subject(byColumn: byColumn)
        try await subject.edit(alone: alone) { $0.status = .done }
        try await subject.expectStored(1, "a", "done", color: "green")
        try await subject.edit(alone: alone) {
            $0.color = .blue
            $0.priority = 4
        }
        try await subject.expectStored(1, "a", "done", color: "blue", priority: 4)
    }

    @Test(arguments: [true, false], [true, false])
    func undoneEditsKeepEditsOfValuesThatAreReadAsOthers(byColumn: Bool, alone: Bool) async throws {
        let subject = try await Subject(byColumn: byColumn)
        var frozen = ChangeSet()
        frozen.update(
            RecordID("Item", 1),
            byColumn
                ? ["status": "frozen"] : ["content": #"{"id":1,"title":"a","status":"frozen","color":"green"}"#])
        try await subject.store.commit(frozen)
        try await subject.edit(alone: alone) { $0.title = "b" }
        try await subject.edit(alone: alone) { $0.title = "a" }
        try await subject.expectStored(1, "a", "frozen", color: "green")
        #expect(try await subject.hasEdits)
    }

    @Test(arguments: [true, false], [true, false])
    func defaultsOfNewElementsAreStored(byColumn: Bool, alone: Bool) async throws {
        let subject = try await Subject(byColumn: byColumn)
        let chore = Chore(id: 2, title: "new")
        if alone {
            try await subject.chores.upsert(chore)
        } else {
            try await subject.chores.upsert(contentsOf: [chore])
        }
        try await subject.expectStored(2, "new", "open", color: .null, priority: 3)
    }

    /// In a batch, the stored records are not read once an element has shown that nothing of them is kept.
    @Test(arguments: [true, false]) func valuesOfLaterElementsOfABatchStay(byColumn: Bool) async throws {
        let subject = try await Subject(byColumn: byColumn)
        var chore = try #require(try await subject.chores.element(1))
        chore.title = "b"
        var first = Chore(id: 2, title: "first")
        first.color = .red
        try await subject.chores.upsert(contentsOf: [first, chore])
        try await subject.expectStored(1, "b", "archived", color: "green")
    }

    /// A type with values of the standard library alone needs no stored records, unless it reads defaults.
    @Test(arguments: [true, false]) func defaultsInLaterElementsOfABatchAreNotStored(existsFirst: Bool) async throws {
        let reminders = try await Pulled<Reminder>(
            [Attribute("title", .string), Attribute("priority", .integer)], byColumn: true, ["id": 1, "title": "a"])
        var reminder = try #require(try await reminders.collection.element(1))
        reminder.title = "b"
        let other = Reminder(id: 2, title: "new", priority: 3)
        try await reminders.collection.upsert(contentsOf: existsFirst ? [reminder, other] : [other, reminder])
        #expect(try await reminders.stored(1, "priority") == .null)
        #expect(try await reminders.stored(2, "priority") == 3)
        reminder.priority = 4
        try await reminders.collection.upsert(contentsOf: [other, reminder])
        #expect(try await reminders.stored(1, "priority") == 4)
    }

    @Test func fallbacksInLaterElementsOfABatchAreNotStored() async throws {
        let errands = try await Pulled<Errand>(
            [Attribute("status", .string), Attribute("text", .string)], byColumn: true,
            ["id": 1, "status": "archived", "text": "a"])
        try await errands.collection.upsert(contentsOf: [
            Errand(id: 2, status: .open, text: "new"), Errand(id: 1, status: .unknown, text: "b"),
        ])
        #expect(try await errands.stored(1, "status") == "archived")
        #expect(try await errands.stored(1, "text") == "b")
    }

    /// A type need not encode all members of each element.
    @Test(arguments: [true, false])
    func valuesStayIfTheTypeEncodesSomeMembersOfSomeElements(byColumn: Bool) async throws {
        let gifts = try await Pulled<Gift>(
            [Attribute("title", .string), Attribute("status", .string), Attribute("color", .string)],
            byColumn: byColumn, ["id": 1, "title": "a"], ["id": 2, "title": "a", "status": "archived"],
            ["id": 3, "title": "a", "color": "red"], ["id": 4, "title": "a", "color": "green"])
        for id in 1...4 { try await gifts.collection.edit(id) { $0.title = "b" } }
        #expect(try await gifts.stored(1, "title") == "b")
        #expect(try await gifts.stored(2, "status") == "archived")
        #expect(try await gifts.stored(3, "color") == "red")
        #expect(try await gifts.stored(4, "color") == "green")
        try await gifts.collection.edit(3) { $0.color = nil }
        #expect(try await gifts.stored(3, "color") == .null)
    }

    @Test(arguments: [true, false])
    func valuesAreNotKeptThatWouldBeReadInAnotherWayAfterTheEdit(byColumn: Bool) async throws {
        let jobs = try await Pulled<Job>(
            [Attribute("isDone", .bool), Attribute("state", .string)], byColumn: byColumn,
            ["id": 1, "isDone": true, "state": "open"])
        try await jobs.collection.edit(1) { $0.isDone = false }
        #expect(try await jobs.collection.element(1)?.state == .done)
    }

    /// The texts differ in the values of some members alone, as after the edits of most types.
    @Test func valuesStayInJSONWithTheMembersOfTheType() async throws {
        let subject = try await Subject(byColumn: false)
        let json = #"{"color":"red","id":1,"priority":3,"status":"archived","title":"a"}"#
        var pulled = ChangeSet(origin: .remote)
        pulled.put(Record(try #require(subject.store.schema["Item"]), ["id": 1, "content": .string(json)]))
        try await subject.store.commit(pulled)
        try await subject.edit(alone: true) { $0.title = "b" }
        try await subject.expectStored(1, "b", "archived", color: "red")
    }

    @Test func partsOfNestedObjectsAndArraysStay() async throws {
        func content<Tags: Codable & Equatable & Sendable>(
            _: Plan<Tags>.Type, after change: @escaping @Sendable (inout Plan<Tags>) -> Void
        ) async throws -> Value {
            let store = try emptyStore()
            let plans = try await store.collection(of: Plan<Tags>.self, entity: "Plan")
            let json =
                #"{"id":1,"place":{"name":"a","color":"green"},"steps":[{"text":"a","status":"archived"},"#
                + #"{"text":"b","status":"late"}],"tags":["x","y"]}"#
            var pulled = ChangeSet(origin: .remote)
            pulled.put(Record(try #require(store.schema["Plan"]), ["id": 1, "content": .string(json)]))
            try await store.commit(pulled)
            try await plans.edit(1, change)
            let record = try #require(try await store.read { try $0.record(RecordID("Plan", 1)) })
            guard case .string(let text) = record["content"] else { return .null }
            return try Value(json: text)
        }
        #expect(
            try await content(Plan<[String]>.self) {
                $0.place.name = "b"
                $0.steps[0].text = "c"
                $0.steps[1].status = .done
            } == [
                "id": 1, "place": ["name": "b", "color": "green"], "tags": ["x", "y"],
                "steps": [["text": "c", "status": "archived"], ["text": "b", "status": "done"]],
            ])
        // In a type with a set, the elements of an array stay as long as none of them is changed.
        #expect(
            try await content(Plan<Set<String>>.self) { $0.place.name = "b" } == [
                "id": 1, "place": ["name": "b", "color": "green"], "tags": ["x", "y"],
                "steps": [["text": "a", "status": "archived"], ["text": "b", "status": "late"]],
            ])
    }
}
