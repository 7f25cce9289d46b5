import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A type with a member that is not native, and with many entries.
private struct Tally: Codable, Identifiable, Equatable, Sendable {
    enum Kind: String, Codable { case votes, visits }

    var id: Int
    var kind: Kind
    var counts: [String: Int]
}

/// A type with entries that are objects.
private struct Poll<Entry: Codable & Equatable & Sendable>: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var counts: [String: Entry]
}

/// An entry as an older version of an app knows it.
private struct OldEntry: Codable, Equatable, Sendable {
    var count: Int
}

/// An entry with a member that the older version does not know.
private struct NewEntry: Codable, Equatable, Sendable {
    var count: Int
    var note: String?
}

/// Elements with more members than are compared one by one.
struct LargeElementTests {
    /// A collection of one element with many entries, and with a member that its type does not know.
    private func tallies() async throws -> PersistentCollection<Tally, Int> {
        let store = try emptyStore()
        let tallies = try await store.collection(of: Tally.self, entity: "Tally")
        let counts = (0..<3000).map { #""name \#($0)":\#($0)"# }.joined(separator: ",")
        var pulled = ChangeSet(origin: .remote)
        pulled.put(
            Record(
                try #require(store.schema["Tally"]),
                ["id": 1, "content": .string(#"{"id":1,"kind":"votes","unknown":5,"counts":{\#(counts)}}"#)]))
        try await store.commit(pulled)
        return tallies
    }

    @Test func editsOfEntriesKeepAllOthersAndUnknownMembers() async throws {
        let tallies = try await tallies()
        try await tallies.edit(1) {
            $0.counts["new"] = 1
            $0.counts["name 7"] = 70
            $0.counts["name 8"] = nil
        }
        let document = try #require(try await tallies.documents.element(1))
        var expected = Dictionary(uniqueKeysWithValues: (0..<3000).map { ("name \($0)", $0) })
        (expected["new"], expected["name 7"], expected["name 8"]) = (1, 70, nil)
        #expect(document.element.counts == expected)
        #expect(document.members["unknown"] == 5)
        try await tallies.edit(1) {
            $0.counts["new"] = nil
            $0.counts["name 7"] = 7
            $0.counts["name 8"] = 8
        }
        #expect(try await tallies.localDiff == nil)
    }

    @Test func entriesThatBothSidesHaveAddedAreMerged() async throws {
        let base = try #require(try await tallies().documents.element(1))
        var (local, remote) = (base, base)
        try local.edit { $0.counts["mine"] = 1 }
        try remote.edit {
            $0.counts["theirs"] = 2
            $0.counts["name 9"] = nil
        }
        let result = try merge(
            base: [base], local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingMembers(otherwise: .unexpected))
        let merged = try #require(result.elements.first)
        #expect(merged.element.counts.count == 3001)
        #expect(merged.element.counts["mine"] == 1 && merged.element.counts["theirs"] == 2)
        #expect(merged.element.counts["name 9"] == nil)
    }

    @Test func changesOfEntriesAreSentAndApplied() throws {
        let old = Tally(id: 1, kind: .votes, counts: .init(uniqueKeysWithValues: (0..<3000).map { ("name \($0)", $0) }))
        var new = old
        new.counts = .init(uniqueKeysWithValues: (1500..<4500).map { ("name \($0)", $0 % 7) })
        let changes = try MemberChanges(try #require(Diff([.replace(old: old, new: new)])))
        #expect(changes.changed.first?.removed.count == 1500)
        var document = try JSONDocument(old).members
        document["unknown"] = 5
        try #require(changes.changed.first).apply(to: &document)
        #expect(document["unknown"] == 5)
        #expect(try JSONDocument<Tally>(members: document).element == new)
    }

    @Test func newMembersOfEntriesAreNoConflict() async throws {
        let store = try emptyStore()
        let names = (0..<3000).map { "name \($0)" }
        var old = SimulatedRemote<Poll<OldEntry>, Int>(primaryKey: \.id)
        old.reset(to: [Poll(id: 1, counts: .init(uniqueKeysWithValues: names.map { ($0, OldEntry(count: 1)) }))])
        let oldPolls = try await store.collection(of: Poll<OldEntry>.self, entity: "Poll")
        try await oldPolls.synchronize(with: SimulatedRemoteServer(old), policy: .unexpected)
        try await oldPolls.edit(1) { $0.counts["name 7"]?.count = 70 }
        let polls = try await store.collection(of: Poll<NewEntry>.self, entity: "Poll", formerly: "Poll<OldEntry>")
        var poll = Poll(id: 1, counts: .init(uniqueKeysWithValues: names.map { ($0, NewEntry(count: 1, note: "n")) }))
        var remote = SimulatedRemote<Poll<NewEntry>, Int>(primaryKey: \.id)
        remote.reset(to: [poll])
        try await polls.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected)
        poll.counts["name 7"]?.count = 70
        #expect(try await polls.element(1) == poll)
    }
}
