import Testing

/// Each filter in the table of predicates of *Coming from 3lvis/Sync* is compiled and run.
struct PredicateTableTests {
    @Test func everyFilterOfTheTableStandsInTheExamples() throws {
        let guide = try #require(Document.guides.first { $0.name == "ComingFrom3lvisSync" })
        let examples = try #require(Document.examples.first { $0.name == "ComingFrom3lvisSyncExamples" })
        let filters = guide.lines.flatMap { line -> [String] in
            let columns = line.split(separator: " | ", maxSplits: 1)
            guard line.hasPrefix("| `"), columns.count == 2 else { return [] }
            // A table has its bars escaped.
            return columns[1].split(separator: "`").map { String($0).replacing("\\|", with: "|") }.filter {
                $0.hasPrefix("Field(") || $0.hasPrefix("!Field(") || $0.hasPrefix("Filter.")
            }
        }
        #expect(filters.count >= 18, "the table was found")
        for filter in filters where !examples.lines.contains(where: { $0.contains("(\(filter), [") }) {
            Issue.record("no test has the filter \(filter)")
        }
    }
}
