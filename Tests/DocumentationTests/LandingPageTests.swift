import Testing

/// The first page of each library leads to everything public.
struct LandingPageTests {
    static let modules = [
        "DifferentialSync", "SyncValues", "SyncPersistence", "SQLitePersistence", "EntitySync", "StoreSync",
        "CoreDataModel", "RESTSync", "HTTPSync", "SyncCoordination", "PostgreSQLPersistence",
        "DifferentialSyncTesting", "PersistenceAdapterTesting",
    ]

    @Test(arguments: modules)
    func everyPublicDeclarationIsListed(module: String) throws {
        let page = try #require(Document(at: "Sources/\(module)/\(module).docc/\(module).md"))
        let links = page.lines.flatMap { line in
            line.matches(of: /^- `{2}(\w+)(?:\(.*)?`{2}/).map { String($0.1) }
        }
        let declaration =
            /(?:public|open) (?:final |indirect )?(?:struct|enum|class|actor|protocol|func|typealias) (\w+)/
        let names = Document.all(in: "Sources/\(module)", extension: "swift").flatMap { document in
            document.lines.compactMap { line in
                line.prefixMatch(of: declaration).map { String($0.1) }
            }
        }
        #expect(!names.isEmpty)
        #expect(Set(names).subtracting(links) == [], "not listed under Topics in \(page.path)")
    }

    @Test(arguments: modules)
    func everyArticleIsListed(module: String) throws {
        let page = try #require(Document(at: "Sources/\(module)/\(module).docc/\(module).md"))
        for article in Document.all(in: "Sources/\(module)", extension: "md") where article.name != page.name {
            #expect(page.lines.contains("- <doc:\(article.name)>"), "\(article.path)")
        }
    }
}
