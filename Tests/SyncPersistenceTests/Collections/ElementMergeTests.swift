import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A task as a form edits it.
private struct Task: Codable, Identifiable, Equatable, Sendable {
    struct Place: Codable, Equatable, Sendable {
        var street: String
        var city: String
    }

    var id: Int
    var title: String
    var due: Int?
    var place: Place?
    var project: Int?
    var tags: [Int] = []
}

/// A board with a shape, whose case others may change.
private struct Board: Codable, Identifiable, Equatable, Sendable {
    enum Shape: Codable, Equatable {
        case circle(radius: Int)
        case square(side: Int)
    }

    var id: Int
    var shape: Shape?
}

/// A card with parts that others may add.
private struct Card: Codable, Identifiable, Equatable, Sendable {
    struct Side: Codable, Equatable, Sendable { var text: String }

    struct Sides: Codable, Equatable, Sendable {
        var front: Side?
        var back: Side?
    }

    var id: Int
    var sides: Sides?
}

/// Updates with an element that was read before others have changed the stored one.
struct ElementMergeTests {
    private let original = Task(
        id: 1, title: "dig", due: 3, place: Task.Place(street: "a", city: "b"), project: 1, tags: [1, 2])

    /// A collection of one task, in the attributes of an entity or as JSON.
    private func tasks(byColumn: Bool, isOrdered: Bool = false) async throws -> PersistentCollection<Task, Int> {
        let task = Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
            Attribute("due", .integer)
            Attribute("place", .json)
            Relationship("project", to: "Project", inverse: "tasks")
            Relationship("tags", toMany: "Tag", isOrdered: isOrdered, inverse: "tasks")
        }
        let others = ["Project", "Tag"].map { name in
            Entity(name) {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: name == "Tag" ? "tags" : "project")
            }
        }
        let store = InMemoryAdapter(schema: try Schema(byColumn ? [task] + others : []))
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        if byColumn {
            var changes = ChangeSet()
            for id in 1...4 {
                for name in ["Project", "Tag"] {
                    try changes.put(Record(name, in: store.schema, ["id": .integer(Int64(id))]))
                }
            }
            try await store.commit(changes)
        }
        try await tasks.insert(original)
        return tasks
    }

    @Test(arguments: [true, false])
    func onlyWhatTheFormHasChangedIsChanged(byColumn: Bool) async throws {
        let tasks = try await tasks(byColumn: byColumn)
        try await tasks.edit(1) {
            $0.due = 9
            $0.project = 2
        }
        var edited = original
        edited.title = "dig deep"
        let stored = try await tasks.update(edited, from: original)
        var expected = edited
        (expected.due, expected.project) = (9, 2)
        #expect(stored == expected)
        #expect(try await tasks.element(1) == expected)
    }

    @Test(arguments: [true, false])
    func theFormWinsWhereBothHaveChangedAValue(byColumn: Bool) async throws {
        let tasks = try await tasks(byColumn: byColumn)
        try await tasks.edit(1) {
            ($0.title, $0.project, $0.due) = ("sow", 2, nil)
        }
        var edited = original
        (edited.title, edited.project, edited.due) = ("dig deep", 3, 4)
        #expect(try await tasks.update(edited, from: original) == edited)
        #expect(try await tasks.element(1) == edited)
    }

    @Test(arguments: [true, false])
    func membersOfNestedObjectsAreMerged(byColumn: Bool) async throws {
        let tasks = try await tasks(byColumn: byColumn)
        try await tasks.edit(1) { $0.place?.city = "c" }
        var edited = original
        edited.place?.street = "d"
        #expect(try await tasks.update(edited, from: original).place == Task.Place(street: "d", city: "c"))
    }

    @Test func aCaseReplacesAnotherOne() async throws {
        let boards = try await InMemoryAdapter(schema: try Schema([])).collection(of: Board.self, entity: "Board")
        let original = Board(id: 1, shape: .circle(radius: 1))
        try await boards.insert(original)
        try await boards.edit(1) { $0.shape = .square(side: 2) }
        var edited = original
        edited.shape = .circle(radius: 5)
        #expect(try await boards.update(edited, from: original) == edited)
        try await boards.edit(1) { $0.shape = .circle(radius: 7) }
        #expect(try await boards.update(edited, from: edited).shape == .circle(radius: 7))
    }

    /// A store of elements with a value of members, in an attribute of an entity or as JSON.
    private func store(of entity: String, _ name: String, byColumn: Bool) throws -> InMemoryAdapter {
        let byColumns = Entity(entity) {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute(name, .json)
        }
        return InMemoryAdapter(schema: try Schema(byColumn ? [byColumns] : []))
    }

    @Test(arguments: [true, false])
    func aCaseInPlaceOfNullReplacesAnotherOne(byColumn: Bool) async throws {
        let store = try self.store(of: "Board", "shape", byColumn: byColumn)
        let boards = try await store.collection(of: Board.self, entity: "Board")
        try await boards.insert(Board(id: 1))
        try await boards.edit(1) { $0.shape = .square(side: 2) }
        let edited = Board(id: 1, shape: .circle(radius: 5))
        #expect(try await boards.update(edited, from: Board(id: 1)) == edited)
    }

    @Test(arguments: [true, false])
    func membersInPlaceOfNullAreMerged(byColumn: Bool) async throws {
        let store = try self.store(of: "Card", "sides", byColumn: byColumn)
        let cards = try await store.collection(of: Card.self, entity: "Card")
        try await cards.insert(Card(id: 1))
        let (front, back) = (Card.Side(text: "a"), Card.Side(text: "b"))
        try await cards.edit(1) { $0.sides = Card.Sides(front: front) }
        let edited = Card(id: 1, sides: Card.Sides(back: back))
        #expect(try await cards.update(edited, from: Card(id: 1)).sides == Card.Sides(front: front, back: back))
    }

    @Test func anOrderIsKeptBesideAnAddedKey() async throws {
        let tasks = try await tasks(byColumn: true, isOrdered: true)
        try await tasks.edit(1) { $0.tags = [3, 1, 2] }
        var edited = original
        edited.tags = [2, 1]
        #expect(try await tasks.update(edited, from: original).tags == [2, 1, 3])
        #expect(try await tasks.element(1)?.tags == [2, 1, 3])
    }

    @Test func keysOfAToManyRelationshipAreMerged() async throws {
        let tasks = try await tasks(byColumn: true)
        try await tasks.edit(1) { $0.tags = [1, 2, 3] }
        var edited = original
        edited.tags = [2, 4]
        #expect(try await Set(tasks.update(edited, from: original).tags) == [2, 3, 4])
        #expect(try await tasks.element(1).map { Set($0.tags) } == [2, 3, 4])
    }

    @Test(arguments: [true, false])
    func nothingIsChangedIfTheFormHasChangedNothing(byColumn: Bool) async throws {
        let tasks = try await tasks(byColumn: byColumn)
        try await tasks.edit(1) { $0.due = 9 }
        try await tasks.update(original, from: original)
        #expect(try await tasks.element(1)?.due == 9)
    }

    @Test(arguments: [true, false])
    func anElementThatWasRemovedMeanwhileIsAnError(byColumn: Bool) async throws {
        let tasks = try await tasks(byColumn: byColumn)
        try await tasks.remove(1)
        var error = await #expect(throws: PersistenceError.self) { try await tasks.update(original, from: original) }
        #expect(error?.code == .missingRecord)
        try await tasks.insert(original)
        var other = original
        other.id = 2
        error = await #expect(throws: PersistenceError.self) { try await tasks.update(original, from: other) }
        #expect(error?.code == .mismatch)
    }
}
