import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Countries and their subdivisions over the years: a sync reports the same changes as plain dictionaries.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of real data is not there; set DIFFSYNC_SHARED"))
struct CountryProofTests {
    private static let fields = (
        country: ["alpha_2", "numeric", "name", "official_name", "common_name", "flag"],
        subdivision: ["name", "type", "parent"]
    )

    private static func schema() throws -> Schema {
        try Schema {
            Entity(
                "Country",
                attributes: [Attribute("alpha_3", .string, isPrimaryKey: true)]
                    + fields.country.map { Attribute($0, .string) },
                relationships: [
                    Relationship("subdivisions", toMany: "Subdivision", inverse: "country", deleteRule: .cascade)
                ])
            Entity(
                "Subdivision",
                attributes: [Attribute("code", .string, isPrimaryKey: true)]
                    + fields.subdivision.map { Attribute($0, .string) },
                relationships: [Relationship("country", to: "Country", inverse: "subdivisions")])
        }
    }

    /// The countries and subdivisions of a year, by key.
    ///
    /// A missing value is empty.
    private struct Year {
        var countries: [String: [String: String]] = [:]
        var subdivisions: [String: [String: String]] = [:]

        init(_ year: Int) throws {
            func read(_ name: String) throws -> [[String: String]] {
                let data = try SharedFiles.contents(of: "data/iso-codes/\(year)/iso\(name).json")
                let json = try JSONSerialization.jsonObject(with: data) as? [String: [[String: String]]]
                return try #require(json?[name])
            }
            // A debug build uses only codes before F.
            func isTaken(_ code: String) -> Bool { isFullScale || code < "F" }
            for country in try read("3166-1") where isTaken(country["alpha_2"] ?? "") {
                countries[country["alpha_3"] ?? ""] = country
            }
            for subdivision in try read("3166-2") where isTaken(subdivision["code"] ?? "") {
                subdivisions[subdivision["code"] ?? ""] = subdivision
            }
        }

        /// Returns the countries with nested subdivisions, and null for missing values.
        func payload() throws -> Data {
            var children: [String: [[String: Any]]] = [:]
            for (code, subdivision) in subdivisions.sorted(by: { $0.key < $1.key }) {
                var object: [String: Any] = ["code": code]
                for field in CountryProofTests.fields.subdivision { object[field] = subdivision[field] ?? NSNull() }
                children[String(code.prefix(2)), default: []].append(object)
            }
            let objects = countries.sorted(by: { $0.key < $1.key }).map { key, country in
                var object: [String: Any] = ["alpha_3": key]
                for field in CountryProofTests.fields.country { object[field] = country[field] ?? NSNull() }
                object["subdivisions"] = children[country["alpha_2"] ?? ""] ?? []
                return object
            }
            return try JSONSerialization.data(withJSONObject: objects, options: [.sortedKeys])
        }
    }

    /// Returns the number of keys that were added, changed and removed.
    private func counts(_ old: [String: [String: String]], _ new: [String: [String: String]]) -> [Int] {
        [
            new.keys.filter { old[$0] == nil }.count, new.filter { isOther(old[$0.key], $0.value) }.count,
            old.keys.filter { new[$0] == nil }.count,
        ]
    }

    /// Whether the texts differ in their bytes: `==` treats a combining accent as equal to a composed letter.
    private func isOther(_ old: [String: String]?, _ new: [String: String]) -> Bool {
        old.map { $0.mapValues { Array($0.utf8) } != new.mapValues { Array($0.utf8) } } ?? false
    }

    private func counts(_ changes: SyncResult.EntityChanges) -> [Int] {
        [changes.inserted.count, changes.updated.count, changes.deleted.count]
    }

    @Test(arguments: StoreKind.allCases)
    func syncsOf2020And2022And2024AndBackMatchTheData(kind: StoreKind) async throws {
        let store = try await ProofStore(kind, usesMemory: true, CountryProofTests.schema())
        let years = try [2020: Year(2020), 2022: Year(2022), 2024: Year(2024)]
        var last: Year?
        var first: [String: Set<String>]?
        for number in [2020, 2022, 2024, 2020] {
            let year = try #require(years[number])
            let payload = try year.payload()
            let result = try await store.adapter.sync(payload, into: "Country")
            #expect(result.reports.isEmpty)
            #expect(counts(result["Country"]) == counts(last?.countries ?? [:], year.countries), "\(number)")
            #expect(counts(result["Subdivision"]) == counts(last?.subdivisions ?? [:], year.subdivisions), "\(number)")
            try await expect(year, in: store.adapter)
            #expect(try await store.adapter.sync(payload, into: "Country").isUnchanged)
            last = year
            if first == nil { first = try await store.adapter.proofContents() }
        }
        #expect(try await store.adapter.proofContents() == first)
        await store.close()
    }

    /// Checks that a store equals the dictionaries.
    private func expect(_ year: Year, in store: any PersistenceAdapter) async throws {
        let (countries, subdivisions) = try await store.read { transaction in
            (try transaction.records(Query("Country")), try transaction.records(Query("Subdivision")))
        }
        func values(_ record: Record, _ names: [String]) -> [String: String] {
            var values: [String: String] = [:]
            for name in names { if case .string(let text) = record[name] { values[name] = text } }
            return values
        }
        let fields = CountryProofTests.fields
        var found: [String: [String: String]] = [:]
        for record in countries {
            guard case .string(let key) = record.key else { continue }
            found[key] = values(record, fields.country + ["alpha_3"])
        }
        #expect(found == year.countries)
        found = [:]
        for record in subdivisions {
            guard case .string(let key) = record.key, case .string(let country) = record["country"] else { continue }
            found[key] = values(record, fields.subdivision + ["code"])
            #expect(year.countries[country]?["alpha_2"] == String(key.prefix(2)))
        }
        #expect(found == year.subdivisions)
    }
}
