import DifferentialSync
import SyncPersistence
import Testing

/// A state whose later cases older versions of an app read as `unknown`.
private enum State: String, Codable {
    case open, done, unknown

    init(from decoder: any Decoder) throws {
        self = State(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

/// A shape whose later cases older versions of an app read as `unknown`.
private enum Shape: Codable, Equatable {
    case circle(radius: Int), unknown

    private enum CodingKeys: CodingKey { case circle, unknown }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.circle) else {
            self = .unknown
            return
        }
        let values = try container.nestedContainer(keyedBy: CircleCodingKeys.self, forKey: .circle)
        self = .circle(radius: try values.decode(Int.self, forKey: .radius))
    }
}

/// A shape of which other cases than a circle are read as nil.
private enum Outline: Codable, Equatable {
    case circle(radius: Int)
}

/// A part with a single member.
private struct Settings: Codable, Equatable, Sendable {
    var theme: String?
}

/// A type with parts that are read as others.
private struct Board: Codable, Identifiable, Equatable, Sendable {
    struct Step: Codable, Equatable, Sendable {
        var title: String
        var state: State
    }

    var id: Int
    var title = ""
    var shape: Shape?
    var states: [State]?
    var steps: [Step]?
    var settings: Settings?
    var outline: Outline?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        shape = try container.decodeIfPresent(Shape.self, forKey: .shape)
        states = try container.decodeIfPresent([State].self, forKey: .states)
        steps = try container.decodeIfPresent([Step].self, forKey: .steps)
        settings = try container.decodeIfPresent(Settings.self, forKey: .settings)
        outline = try? container.decodeIfPresent(Outline.self, forKey: .outline)
    }
}

/// Parts of stored JSON that a type reads as others stay where they are.
struct LenientPartsTests {
    /// Returns the stored JSON after an edit of the only board.
    private func content(_ json: String, after change: @escaping @Sendable (inout Board) -> Void) async throws -> Value
    {
        let store = try emptyStore()
        let boards = try await store.collection(of: Board.self, entity: "Board")
        var pulled = ChangeSet(origin: .remote)
        pulled.put(Record(try #require(store.schema["Board"]), ["id": 1, "content": .string(json)]))
        try await store.commit(pulled)
        try await boards.edit(1, change)
        let record = try #require(try await store.read { try $0.record(RecordID("Board", 1)) })
        guard case .string(let text) = record["content"] else { return .null }
        return try Value(json: text)
    }

    private let steps =
        #"{"id":1,"title":"","steps":[{"title":"A","state":"skipped"},{"title":"B","state":"blocked","x":2}]}"#

    @Test func elementsThatMoveKeepTheirOwnValues() async throws {
        #expect(
            try await content(steps) { $0.steps?.swapAt(0, 1) } == [
                "id": 1, "title": "",
                "steps": [["title": "B", "state": "blocked", "x": 2], ["title": "A", "state": "skipped"]],
            ])
    }

    @Test func newElementsDoNotGetTheValuesOfDeletedOnes() async throws {
        #expect(
            try await content(steps) {
                $0.steps?.removeFirst()
                $0.steps?.append(Board.Step(title: "C", state: .unknown))
            } == [
                "id": 1, "title": "",
                "steps": [["title": "B", "state": "blocked", "x": 2], ["title": "C", "state": "unknown"]],
            ])
    }

    @Test func editedElementsKeepTheirValuesAtTheirPosition() async throws {
        #expect(
            try await content(steps) {
                $0.steps?[1].title = "b"
                $0.steps?.append(Board.Step(title: "C", state: .open))
            } == [
                "id": 1, "title": "",
                "steps": [
                    ["title": "A", "state": "skipped"], ["title": "b", "state": "blocked", "x": 2],
                    ["title": "C", "state": "open"],
                ],
            ])
    }

    @Test func anArrayThatGrowsKeepsTheValuesOfItsElements() async throws {
        #expect(
            try await content(#"{"id":1,"title":"","states":["archived","open"]}"#) { $0.states?.append(.done) } == [
                "id": 1, "title": "", "states": ["archived", "open", "done"],
            ])
    }

    @Test func anUnknownCaseStaysTheOnlyOne() async throws {
        let json = #"{"id":1,"title":"","shape":{"star":{"points":5}}}"#
        #expect(
            try await content(json) { $0.title = "b" } == [
                "id": 1, "title": "b", "shape": ["star": ["points": 5]],
            ])
        #expect(
            try await content(json) { $0.shape = .circle(radius: 2) } == [
                "id": 1, "title": "", "shape": ["circle": ["radius": 2]],
            ])
    }

    @Test func aPartWithOneMemberIsNoEnumeration() async throws {
        let edited = try await content(#"{"id":1,"title":"","settings":{"zoom":2}}"#) { $0.settings?.theme = "dark" }
        #expect(edited == ["id": 1, "title": "", "settings": ["theme": "dark", "zoom": 2]])
    }

    @Test func aCaseThatIsReadAsNilIsReplaced() async throws {
        let json = #"{"id":1,"title":"","outline":{"star":{"points":5}}}"#
        let titled = try await content(json) { $0.title = "b" }
        #expect(titled == ["id": 1, "title": "b", "outline": ["star": ["points": 5]]])
        let replaced = try await content(json) { $0.outline = .circle(radius: 2) }
        #expect(replaced == ["id": 1, "title": "", "outline": ["circle": ["radius": 2]]])
    }
}
