import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// A class, whose edits change the old element as well.
// because: each test uses an instance in one task at a time.
private final class Account: Codable, Identifiable, Equatable, @unchecked Sendable {
    let id: Int
    var name: String

    init(id: Int, name: String) {
        self.id = id
        self.name = name
    }

    static func == (left: Account, right: Account) -> Bool { left.id == right.id && left.name == right.name }
}

/// A type whose `==` ignores a field.
private struct Page: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var views = 0

    static func == (left: Page, right: Page) -> Bool { left.id == right.id && left.text == right.text }
}

/// A type with parts that have no order.
private struct Tagged: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var tags: Set<String>
    var counts: [UUID: Int] = [:]
}

struct CodedFormTests {
    @Test func editsOfClassElementsAreStored() async throws {
        let accounts = try await emptyStore().collection(of: Account.self, entity: "Account")
        try await accounts.insert(Account(id: 1, name: "a"))
        try await accounts.edit(1) { $0.name = "b" }
        #expect(try await accounts.element(1)?.name == "b")
        let account = try #require(try await accounts.element(1))
        account.name = "c"
        try await accounts.update(account)
        #expect(try await accounts.element(1)?.name == "c")
    }

    @Test func anUndoneEditOfASetIsNoChangeHoweverItIsWritten() async throws {
        let notes = try await emptyStore().collection(of: Tagged.self, entity: "Tagged")
        let names = (0..<60).map { "tag \($0)" }
        let tagged = Tagged(id: 1, tags: Set(names))
        try await notes.insert(tagged)
        try await notes.synchronize(
            with: SimulatedRemoteServer(SimulatedRemote<Tagged, Int>(primaryKey: \.id)), policy: .localWins)
        for round in 0..<5 {
            var tags = Set<String>(minimumCapacity: 100 << round)
            for name in names.reversed() { tags.insert(name) }
            let again = Tagged(id: 1, tags: tags)
            try await notes.edit(1) { $0.tags = ["other"] }
            try await notes.upsert(contentsOf: [again])
            #expect(try await notes.localDiff == nil, "written in one go")
            try await notes.edit(1) { $0.tags = ["other"] }
            try await notes.upsert(contentsOf: [Tagged(id: 1, tags: ["third"]), again])
            #expect(try await notes.localDiff == nil, "the last one counts")
            try await notes.remove(1)
            try await notes.insert(again)
            #expect(try await notes.localDiff == nil, "inserted again")
            try await notes.remove(1)
            try await notes.upsert(contentsOf: [again])
            #expect(try await notes.localDiff == nil, "inserted again in one go")
        }
    }

    @Test(.timeLimit(.minutes(5))) func fieldsThatEqualityIgnoresAreStored() async throws {
        let pages = try await emptyStore().collection(of: Page.self, entity: "Page")
        try await pages.insert(Page(id: 1, text: "a"))
        var updates = pages.changes().makeAsyncIterator()
        #expect(try await pages.edit(1) { $0.views = 1 }.views == 1)
        #expect(try await pages.element(1)?.views == 1)
        #expect(await updates.next()?.diff?.replacements.map(\.new.views) == [1])
        try await pages.update(Page(id: 1, text: "a", views: 2))
        #expect(try await pages.element(1)?.views == 2)
        try await pages.upsert(Page(id: 1, text: "a", views: 3))
        #expect(try await pages.element(1)?.views == 3)
        try await pages.upsert(contentsOf: [Page(id: 1, text: "a", views: 4)])
        #expect(try await pages.element(1)?.views == 4)
    }

    /// The members of a set have another order each time: what is equal to the shadow is stored as the shadow is.
    @Test func anEditOfASetThatIsUndoneIsNoChange() async throws {
        let store = try emptyStore()
        let notes = try await store.collection(of: Tagged.self, entity: "Tagged")
        let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let names = (0..<12).map { "tag \($0)" }
        try await notes.insert(
            Tagged(
                id: 1, tags: Set(names), counts: [UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)): 1]
            ))
        try await notes.synchronize(with: SimulatedRemoteServer(primaryKey: \.id), policy: .leaveOpen)
        for name in names {
            try await notes.edit(1) { $0.tags.insert("another \(name)") }
            try await notes.edit(1) { $0.counts[id] = 1 }
            #expect(try await notes.localDiff != nil)
            try await notes.edit(1) { $0.tags.remove("another \(name)") }
            try await notes.edit(1) { $0.counts[id] = nil }
            #expect(try await notes.localDiff == nil)
            #expect(try await store.read { try $0.localDiff(of: "Tagged") } == nil)
        }
    }

    @Test func aSmallEditOfTextIsAChange() async throws {
        let pages = try await emptyStore().collection(of: Page.self, entity: "Page")
        try await pages.insert(Page(id: 1, text: "e\u{301}"))
        try await pages.edit(1) { $0.text = "\u{E9}" }
        #expect(Array(try #require(try await pages.element(1)).text.unicodeScalars) == ["\u{E9}"])
    }

    @Test func ofSeveralElementsWithOneKeyTheLastCounts() async throws {
        let pages = try await emptyStore().collection(of: Page.self, entity: "Page")
        try await pages.upsert(contentsOf: [Page(id: 2, text: "a"), Page(id: 1, text: "b"), Page(id: 2, text: "c")])
        try await pages.upsert(contentsOf: [Page(id: 1, text: "d"), Page(id: 1, text: "b"), Page(id: 3, text: "e")])
        #expect(try await pages.elements().map(\.text) == ["c", "b", "e"])
    }

    @Test func whatIsNoJSONIsRefused() async throws {
        struct Price: Codable, Identifiable, Equatable { var id: Int; var amount: Decimal; var note = "NaN" }
        let prices = try await emptyStore().collection(of: Price.self, entity: "Price")
        try await prices.insert(Price(id: 1, amount: 1.5))
        for write in [
            { try await prices.insert(Price(id: 2, amount: .nan)) },
            { try await prices.edit(1) { $0.amount = .nan } },
            { try await prices.upsert(contentsOf: [Price(id: 3, amount: .nan)]) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: PersistenceError.self) { try await write() }
            #expect(error?.property == "content")
            #expect(error?.message == "it has no form in JSON: a decimal in it is not a number")
        }
        #expect(try await prices.elements() == [Price(id: 1, amount: 1.5)])
    }
}

#if DEBUG
    struct RoundTripTests {
        @Test func aDebugBuildRefusesIt() async throws {
            struct Shape: Codable, Identifiable, Equatable, Sendable {
                var id: Int
                var twice: Int??
                var link: URL?
                var at: Seconds?
                var token: Token?
            }
            let shapes = try await emptyStore().collection(of: Shape.self, entity: "Shape")
            try await shapes.insert(Shape(id: 1, twice: 1, link: URL(string: "https://a.b/c"), at: Seconds(count: 2)))
            let refused = [
                Shape(id: 2, twice: .some(nil)),
                Shape(id: 2, link: URL(string: "c", relativeTo: URL(string: "https://a.b/"))),
                Shape(id: 2, at: Seconds(count: 2.5)), Shape(id: 2, token: Token()),
            ]
            for shape in refused {
                let error = await #expect(throws: PersistenceError.self) { try await shapes.insert(shape) }
                #expect(error?.code == .wrongType)
                #expect(error?.description.hasPrefix("Shape 2: what is read back is not equal to what was ") == true)
            }
            await #expect(throws: PersistenceError.self) { try await shapes.edit(1) { $0.at?.count = 0.5 } }
            #expect(try await shapes.count == 1)
        }

        /// Seconds that are coded without their fraction.
        struct Seconds: Codable, Equatable {
            var count: Double

            init(count: Double) { self.count = count }
            init(from decoder: any Decoder) throws { count = try Double(Int(from: decoder)) }
            func encode(to encoder: any Encoder) throws { try Int(count).encode(to: encoder) }
        }

        /// A value that is made anew when it is decoded.
        struct Token: Codable, Equatable {
            var id = UUID()

            init() {}
            init(from decoder: any Decoder) {}
            func encode(to encoder: any Encoder) throws { try true.encode(to: encoder) }
        }
    }
#endif
