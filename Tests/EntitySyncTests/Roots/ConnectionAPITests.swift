import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Payloads in the shape of a GraphQL API whose lists are connections: `edges` with a `node` each, and a `pageInfo`.
struct ConnectionAPITests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("Repository", userInfo: ["sync.deletedPath": "deletedAt"]) {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("stars", .integer, remoteKey: "stargazers.totalCount")
                Attribute("issueCount", .integer, remoteKey: "issues.totalCount")
                Relationship("owner", to: "Person", inverse: "repositories")
                Relationship(
                    "issues", toMany: "Issue", inverse: "repository", deleteRule: .cascade,
                    remoteKey: "issues.edges.node", userInfo: ["sync.morePath": "issues.pageInfo.hasNextPage"])
                Relationship("labels", toMany: "Label", inverse: "repositories", remoteKey: "labels.nodes")
            }
            Entity("Issue", userInfo: ["sync.deletedPath": "isDeleted"]) {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("repository", to: "Repository", inverse: "issues")
                Relationship("author", to: "Person", inverse: "issues", remoteKey: "author.data")
                Relationship(
                    "participants", toMany: "Person", inverse: "discussions",
                    remoteKey: "participants.entries[].person",
                    userInfo: ["sync.unlisted": "keep"])
            }
            Entity("Person", userInfo: ["sync.deletedPath": "gone"]) {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("login", .string)
                Relationship("repositories", toMany: "Repository", inverse: "owner")
                Relationship("issues", toMany: "Issue", inverse: "author")
                Relationship("discussions", toMany: "Issue", inverse: "participants")
            }
            Entity("Label") {
                Attribute("id", .string, isPrimaryKey: true)
                Relationship("repositories", toMany: "Repository", inverse: "labels")
            }
        }
    }

    private static var root: SyncRoot {
        var root = SyncRoot("Repository", at: "data.viewer.repositories.edges.node")
        root.morePath = "data.viewer.repositories.pageInfo.hasNextPage"
        return root
    }

    private func page(_ repositories: [String], hasNext: Bool = false) -> String {
        let edges = repositories.map { #"{"cursor": "Y3Vyc29yOg==", "node": \#($0)}"# }.joined(separator: ",\n")
        return """
            {"data": {"viewer": {"login": "ada", "repositories": {"totalCount": \(repositories.count),
              "pageInfo": {"hasNextPage": \(hasNext), "endCursor": "}]"}, "edges": [\(edges)]}}}}
            """
    }

    private func repository(
        _ id: Int, issues: [String], labels: [String] = [], hasMore: Bool = false, extra: String = ""
    ) -> String {
        let edges = issues.map { #"{"node": \#($0)}"# }.joined(separator: ", ")
        let nodes = labels.map { #"{"id": "\#($0)"}"# }.joined(separator: ", ")
        return """
            {"id": "R\(id)", "name": "repository \(id)", "stargazers": {"totalCount": \(id * 10)},
             "owner": {"id": "P1", "login": "ada"}, "labels": {"nodes": [\(nodes)]}\(extra),
             "issues": {"totalCount": \(issues.count), "edges": [\(edges)], "pageInfo": {"hasNextPage": \(hasMore)}}}
            """
    }

    private func issue(_ id: Int, author: String = "null", participants: [String] = []) -> String {
        let entries = participants.map { #"{"since": "2020", "person": {"id": "\#($0)"}}"# }.joined(separator: ", ")
        return """
            {"id": "I\(id)", "title": "issue \(id)", "author": {"data": \(author)}, "participants": {"entries": [\(entries)]}}
            """
    }

    private func sync(
        _ pages: [String], _ store: SyncStore, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: [Self.root], options: options)
        let again = try await store.adapter.sync(pages: pages.map(\.utf8), roots: [Self.root], options: options)
        #expect(again.isUnchanged, "\(again.changes)")
        return result
    }

    /// A store with two repositories, three issues and what belongs to them.
    private func store(_ kind: StoreKind = .inMemory) async throws -> SyncStore {
        let store = try await SyncStore(kind, Self.schema())
        let pages = [
            page(
                [
                    repository(
                        1,
                        issues: [
                            issue(1, author: #"{"id": "P2", "login": "bob"}"#, participants: ["P2", "P3"]), issue(2),
                        ], labels: ["bug", "help"])
                ], hasNext: true),
            page([repository(2, issues: [issue(3)], labels: ["bug"])]),
        ]
        let result = try await sync(pages, store)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(result.unknownKeys.isEmpty)
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func connectionsBecomeRecords(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        #expect(try await store.keys("Repository") == ["R1", "R2"])
        #expect(try await store.value("Repository", "R1", "stars") == 10)
        #expect(try await store.value("Repository", "R1", "issueCount") == 2)
        #expect(try await store.members("Repository", "R1", "issues") == ["I1", "I2"])
        #expect(try await store.members("Repository", "R1", "labels") == ["bug", "help"])
        #expect(try await store.value("Issue", "I1", "author") == "P2")
        #expect(try await store.members("Issue", "I1", "participants") == ["P2", "P3"])
        #expect(try await store.keys("Person") == ["P1", "P2", "P3"])
    }

    @Test(arguments: StoreKind.allCases)
    func editsAndDeletionsAtTheServerArrive(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        let renamed = repository(1, issues: [issue(2, author: #"{"id": "P3"}"#), issue(4)], labels: ["help"])
            .replacing("repository 1", with: "renamed")
        let result = try await sync([page([renamed])], store)
        #expect(try await store.keys("Repository") == ["R1"])
        #expect(try await store.keys("Issue") == ["I2", "I4"])
        #expect(try await store.value("Repository", "R1", "name") == "renamed")
        #expect(try await store.members("Repository", "R1", "labels") == ["help"])
        #expect(try await store.value("Issue", "I2", "author") == "P3")
        #expect(Set(result["Issue"].deleted.map(\.key)) == ["I1", "I3"])
        #expect(try await store.keys("Label") == ["bug", "help"])
    }

    @Test(arguments: StoreKind.allCases)
    func incompletePagesDeleteNothing(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        _ = try await sync([page([repository(3, issues: [])], hasNext: true)], store)
        #expect(try await store.keys("Repository") == ["R1", "R2", "R3"])
        // The inner list has more pages as well.
        let partial = repository(1, issues: [issue(5)], labels: ["bug"], hasMore: true)
        _ = try await sync([page([partial, repository(2, issues: [])])], store)
        #expect(try await store.members("Repository", "R1", "issues") == ["I1", "I2", "I5"])
        #expect(try await store.members("Repository", "R1", "labels") == ["bug"])
        #expect(try await store.keys("Issue") == ["I1", "I2", "I5"])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsMarkedAsDeletedAreDeleted(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        let deleted = #"{"id": "I1", "title": "x", "isDeleted": true}"#
        let unknown = #"{"id": "I9", "isDeleted": 1}"#
        let author = #"{"id": "P2", "gone": "2020-01-01"}"#
        let pages = [
            page([
                repository(
                    1, issues: [deleted, unknown, issue(2, author: author)], labels: [],
                    hasMore: true, extra: #", "deletedAt": null"#),
                repository(2, issues: [issue(3)], extra: #", "deletedAt": "2020-01-01T00:00:00Z""#),
                repository(8, issues: [issue(8)], extra: #", "deletedAt": "2020-01-01T00:00:00Z""#),
            ])
        ]
        let result = try await sync(pages, store)
        #expect(try await store.keys("Repository") == ["R1"])
        #expect(try await store.keys("Issue") == ["I2"])
        #expect(try await store.keys("Person") == ["P1", "P3"])
        #expect(try await store.value("Issue", "I2", "author") == .null)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(result.unknownKeys.isEmpty)
    }

    @Test(arguments: ["null", "false", "0", "\"\"", #""false""#, "[]", "{}", #"[1]"#])
    func otherValuesOfTheMarkDoNotDelete(_ value: String) async throws {
        let store = try await store()
        let json = page(["R1", "R2"].map { #"{"id": "\#($0)", "deletedAt": \#(value)}"# })
        let result = try await sync([json], store)
        #expect(result["Repository"].deleted.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func listedDeletionsKeepLocalEdits(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        try await store.update("Issue", "I1", ["title": "mine"], origin: .local)
        let deleted = #"{"id": "I1", "isDeleted": true}"#
        let pages = [page([repository(1, issues: [deleted, issue(2)]), repository(2, issues: [issue(3)])])]
        let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: [Self.root])
        #expect(try await store.value("Issue", "I1", "title") == "mine")
        #expect(result.clashes.map(\.id) == [RecordID("Issue", "I1")])
        #expect(try await store.keys("Issue") == ["I1", "I2", "I3"])
    }

    @Test func operationsApplyToListedDeletions() async throws {
        let store = try await store()
        var root = Self.root
        root.operations = [.insert, .update, .insertRelationships, .updateRelationships]
        let deleted = #"{"id": "I1", "isDeleted": true}"#
        let json = page([
            repository(1, issues: [deleted]), repository(2, issues: [], extra: #", "deletedAt": "2020-01-01""#),
        ])
        try await store.adapter.sync(json, roots: [root])
        #expect(try await store.keys("Repository") == ["R1", "R2"])
        #expect(try await store.keys("Issue") == ["I1", "I2", "I3"])
    }

    @Test func unlistedRecordsAreKeptOrSeparatedOnRequest() async throws {
        let store = try await store()
        var options = SyncOptions()
        options.unlisted["Repository.issues"] = .separate
        let one = page([
            repository(1, issues: [issue(2, participants: ["P1"])], labels: ["bug", "help"]),
            repository(2, issues: [issue(3)], labels: ["bug"]),
        ])
        _ = try await sync([one], store, options: options)
        #expect(try await store.keys("Issue") == ["I1", "I2", "I3"])
        #expect(try await store.members("Repository", "R1", "issues") == ["I2"])
        #expect(try await store.value("Issue", "I1", "repository") == .null)
        _ = try await sync([one.replacing(#"{"since": "2020", "person": {"id": "P1"}}"#, with: "")], store)
        #expect(try await store.members("Issue", "I2", "participants") == ["P1"])
        options.unlisted = ["Repository.labels": .keep, "Repository.issues": .keep]
        _ = try await sync(
            [page([repository(1, issues: [], labels: ["new"]), repository(2, issues: [])])], store, options: options)
        #expect(try await store.members("Repository", "R1", "issues") == ["I2"])
        #expect(try await store.members("Repository", "R1", "labels") == ["bug", "help", "new"])
        #expect(try await store.members("Repository", "R2", "labels") == ["bug"])
    }

    @Test func invalidChoicesAreErrors() async throws {
        let store = try await store()
        var options = SyncOptions()
        options.unlisted["Repository.issue"] = .keep
        let error = await #expect(throws: SyncError.self) { try await sync([page([])], store, options: options) }
        #expect(error?.code == .invalidChoice)
        let schema = try Schema {
            Entity("Item") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("items", toMany: "Item", userInfo: ["sync.unlisted": "seperate"])
            }
        }
        #expect(
            schema.syncProblems.map(\.message) == [
                "the 'sync.unlisted' of 'Item.items' is 'seperate': write one of 'delete', 'separate', 'keep'"
            ])
    }

    @Test(
        arguments: [
            (#""issues": 5"#, "issues"), (#""issues": []"#, "issues"),
            (#""issues": {"edges": {"node": {"id": "I9"}}}"#, "issues.edges"),
            (#""issues": {"edges": "x"}"#, "issues.edges"), (#""issues": {"edges": [5]}"#, "issues.edges[0].node"),
            (#""issues": {"edges": [{"node": []}]}"#, "issues.edges"),
            (#""issues": {"edges": [{"node": null}, {}]}"#, "issues.edges[0].node"), (#""issues": null"#, nil),
            (#""issues": {}"#, nil), (#""issues": {"nodes": []}"#, nil),
            (#""issues": {"edges": [null]}"#, "issues.edges[0].node"),
        ] as [(String, String?)])
    func wrongValuesOnThePathToAListChangeNothing(_ member: String, _ path: String?) async throws {
        for kind in StoreKind.allCases {
            let store = try await store(kind)
            let before = try await store.members("Repository", "R1", "issues")
            let json = page([#"{"id": "R1", \#(member)}"#, #"{"id": "R2"}"#])
            let result = try await store.adapter.sync(json, roots: [Self.root])
            #expect(try await store.members("Repository", "R1", "issues") == before)
            #expect(try await store.keys("Issue") == ["I1", "I2", "I3"])
            if let path {
                #expect(
                    result.reports.first?.path == "data.viewer.repositories.edges[0].node.\(path)", "\(result.reports)")
            }
        }
    }

    @Test func anEmptyConnectionHasNoMembers() async throws {
        let store = try await store()
        _ = try await sync([page([repository(1, issues: []), repository(2, issues: [issue(3)])])], store)
        #expect(try await store.keys("Issue") == ["I3"])
    }
}
