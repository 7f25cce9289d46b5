import Testing

/// Whatever a guide states as a law has a test of that name.
///
/// A guide says so in a table whose last column is headed `Test`: the tests stand there as `Suite/test`. In a table of
/// laws, whose first column is headed `Law`, each row begins with the law's name in bold.
struct LawTests {
    static let tests = TestIndex(
        [
            "TestSupportTests", "DifferentialSyncTests", "DifferentialSyncTestingTests",
            "PersistenceAdapterTestingTests", "SyncValuesTests", "SyncPersistenceTests", "SQLitePersistenceTests",
            "EntitySyncTests", "StoreSyncTests", "CoreDataModelTests",
        ].flatMap { Document.all(in: "Tests/\($0)", extension: "swift") })

    @Test func everyLawHasItsTest() {
        let laws = Document.guides.flatMap(Law.all(in:))
        #expect(laws.count > 20, "the tables have been found")
        for law in laws {
            let place = "\(law.path):\(law.line): "
            if law.isLaw && law.name == nil { Issue.record("\(place)'\(law.statement)' has no name in bold") }
            if law.tests.isEmpty { Issue.record("\(place)'\(law.statement)' names no test") }
            for test in law.tests where !Self.tests.contains(test) {
                Issue.record("\(place)there is no test \(test), which '\(law.statement)' names")
            }
        }
        let names = laws.compactMap(\.name)
        #expect(Set(names).count == names.count, "each law has a name of its own: \(names.sorted())")
    }

    @Test func everyGuideButTheFirstStatesLaws() {
        for guide in ["Diffing", "MergingAndConflicts", "TheShadowCycle", "Complexity"] {
            let document = Document.guides.first { $0.name == guide }
            #expect(document.map { Law.all(in: $0).contains(where: \.isLaw) } == true, "\(guide)")
        }
    }

    @Test func aLawWithoutItsTestIsFound() {
        let guide = Document(
            path: "Guide.md",
            text: """
                | Law | Test |
                | --- | --- |
                | **Identity.** Nothing differs from itself. | `ATests/identity`, `ATests/gone` |
                | **Silence.** Nothing is said. | |

                | Cost | Where |
                | --- | --- |
                | `ATests/other` | here |

                | Defect | What happens here | Test |
                | :-- | --- | --: |
                | Lost | Not lost | `BTests/identity` `BTests/helper` |
                """)
        let source = Document(
            path: "ATests.swift",
            text: """
                struct ATests {
                    @Test(arguments: [
                        1, 2,
                    ])
                    func identity(number: Int) {}
                }

                struct BTests {
                    static func helper() {}
                }
                """)
        let laws = Law.all(in: guide)
        #expect(laws.map(\.isLaw) == [true, true, false])
        #expect(laws.map(\.name) == ["Identity", "Silence", nil])
        #expect(laws.map(\.line) == [3, 4, 12])
        let tests = TestIndex([source])
        #expect(laws.map { $0.tests.filter(tests.contains) } == [["ATests/identity"], [], []])
        #expect(laws.map(\.tests.count) == [2, 0, 2])
    }
}

/// A row of a guide's table that names tests.
struct Law {
    let path: String
    let line: Int
    /// Whether it stands in a table of laws.
    let isLaw: Bool
    /// The name of a law, in bold.
    let name: String?
    let statement: String
    let tests: [String]

    static func all(in document: Document) -> [Law] {
        var laws: [Law] = []
        var header: [String] = []
        for (index, line) in document.lines.enumerated() {
            guard line.hasPrefix("|") else {
                header = []
                continue
            }
            let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
                .map { $0.drop { $0 == " " } }
                .map { cell in String(cell.reversed().drop { $0 == " " }.reversed()) }
            if header.isEmpty {
                header = cells
            } else if header.last == "Test", let last = cells.last, cells[0].contains(where: \.isLetter) {
                let name = cells[0].prefixMatch(of: /\*\*(.+?)\.\*\*/).map { String($0.1) }
                laws.append(
                    Law(
                        path: document.path, line: index + 1, isLaw: header[0] == "Law", name: name,
                        statement: cells[0], tests: last.matches(of: /`(\w+\/\w+)`/).map { String($0.1) }))
            }
        }
        return laws
    }
}

/// The tests of some files, by suite and name.
struct TestIndex {
    private var tests: Set<String> = []

    init(_ documents: [Document]) {
        let suiteStart = /(?:@Suite(?:\(.*?\))? )?(?:struct|extension|final class|actor) (\w+)/
        for document in documents {
            var suite: Substring = ""
            var isTest = false
            for line in document.lines {
                if let match = line.prefixMatch(of: suiteStart) { suite = match.1 }
                if line.contains("@Test") { isTest = true }
                if let match = line.firstMatch(of: /func (\w+)[(<]/) {
                    if isTest { tests.insert("\(suite)/\(match.1)") }
                    isTest = false
                }
            }
        }
    }

    func contains(_ test: String) -> Bool { tests.contains(test) }
}
