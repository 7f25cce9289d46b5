import EntitySync
import Foundation

/// Lists of countries come as JSON, one after the other, and go into a store.
struct CountriesTour {
    let store: any PersistenceAdapter

    /// Takes the lines that are shown.
    let write: (String) -> Void
}

extension CountriesTour {
    /// Runs the tour.
    ///
    /// - Returns: Whether all went as it should.
    func run() async throws -> Bool {
        write("Countries and their subdivisions, from JSON into a store and back")
        step(1, "The list of 2010")
        show(try await store.sync(list(2010), into: "Country"))
        step(2, "The list of 2020: what is gone is deleted, with what belongs to it")
        show(try await store.sync(list(2020), into: "Country"))
        step(3, "The same list again")
        let again = try await store.sync(list(2020), into: "Country")
        show(again)
        let isKept = try await edit()
        let isLenient = try await faults()
        let isStrict = try await strictFaults()
        let isBack = try await export()
        write("")
        let isDone = again.isUnchanged && isKept && isLenient && isStrict && isBack
        write(isDone ? "✓ the same list has changed nothing, and faults have harmed nothing" : "✗ something is wrong")
        return isDone
    }

    private func list(_ year: Int) throws -> Data {
        guard let url = Bundle.module.url(forResource: "countries-\(year)", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try Data(contentsOf: url)
    }

    private func step(_ number: Int, _ title: String) {
        write("")
        write("\(number)  \(title)")
    }

    /// What was changed here and not sent yet is not overwritten.
    private func edit() async throws -> Bool {
        step(4, "A name is changed here, and the remote has another one")
        var changes = ChangeSet()
        changes.update(RecordID("Country", "LI"), ["name": "Principality of Liechtenstein"])
        try await store.commit(changes)
        let page: Value = [["code": "LI", "name": "Fürstentum Liechtenstein"]]
        let result = try await store.sync(page, into: "Country", operations: .update)
        for clash in result.clashes {
            write("   = \(clash.id) keeps its edit of \(clash.properties.joined(separator: ", "))")
        }
        return try await store.fetch("Country", "LI")?["name"] == "Principality of Liechtenstein"
    }

    /// Syncs a date that no calendar has, and an object without a key: the rest is stored.
    private func faults() async throws -> Bool {
        step(5, "A page of two countries, with faults: each is reported, and the rest is stored")
        let page: Value = [
            ["code": "NO", "name": "Kingdom of Norway", "last_change": "2020-02-30"], ["name": "Atlantis"],
        ]
        let result = try await store.sync(page, into: "Country", operations: [.insert, .update])
        show(result)
        return result.reports.map(\.kind) == [.unconvertible, .noKey] && result["Country"].updated.count == 1
    }

    private func strictFaults() async throws -> Bool {
        step(6, "A strict sync of such a page: it fails, and stores nothing")
        var options = SyncOptions()
        options.isStrict = true
        do {
            let page: Value = [["code": "NO", "name": "Noreg", "is_independent": "maybe"]]
            try await store.sync(page, into: "Country", operations: [.insert, .update], options: options)
            return false
        } catch let error as SyncError {
            write("   ✗ \(error)")
            return try await store.fetch("Country", "NO")?["name"] == "Kingdom of Norway"
        }
    }

    private func export() async throws -> Bool {
        step(7, "One country as JSON again")
        let id = RecordID("Country", "SZ")
        guard let json = try await store.exportJSON(id, format: [.indented, .sortedNames]) else { return false }
        for line in String(decoding: json, as: UTF8.self).split(separator: "\n") { write("   \(line)") }
        return try await store.sync(json, into: "Country", operations: [.insert, .update]).isUnchanged
    }
}

extension CountriesTour {
    /// Shows as a table what a sync has changed, and as a list what it could not use.
    private func show(_ result: SyncResult) {
        if result.isUnchanged {
            write("   nothing has changed: \(result["Country"].unchangedCount) countries are as they were")
        } else {
            write("   \(row("", ["inserted", "updated", "deleted"]))")
            for entity in ["Country", "Subdivision"] {
                let changes = result[entity]
                let counts = [changes.inserted.count, changes.updated.count, changes.deleted.count]
                write("   \(row(entity, counts.map { $0 == 0 ? "·" : "\($0)" }))")
            }
            for updated in result["Country"].updated.prefix(3) {
                write("   ~ \(updated.id): \(updated.properties.joined(separator: ", "))")
            }
        }
        for report in result.reports { write("   ! \(report)") }
    }

    /// A name, and columns of ten characters that end alike.
    private func row(_ name: String, _ cells: [String]) -> String {
        let blank = String(repeating: " ", count: 12 - name.count)
        return name + blank + cells.map { String(repeating: " ", count: 10 - $0.count) + $0 }.joined()
    }
}
