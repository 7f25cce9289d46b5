import DifferentialSyncTesting
import Foundation
package import SyncPersistence

/// Random records of ``Staff``.
package struct Population {
    /// The records, in the order in which they are to be stored.
    ///
    /// Some refer to missing records, or to a manager who is a plain person.
    package private(set) var records: [Record] = []

    private var generator: SeededGenerator
    private let values: ValuePool

    /// Creates the given number of people, with their companies, sites and passes, and values from a pool.
    package init(count: Int, seed: UInt64, values: ValuePool = Staff.samples) {
        generator = SeededGenerator(seed: seed)
        self.values = values
        let people = 0..<Int64(count)
        for number in people.prefix(count / 4) {
            records.append(
                Record(
                    Staff.company,
                    [
                        "id": .string("c\(number)"), "name": random(.string), "company.id": random(.integer),
                    ]))
            records.append(
                Record(Staff.site, ["country": random(in: "FD"), "number": .integer(number), "isOpen": random(.bool)]))
        }
        for number in people.shuffled(using: &generator) {
            records.append(person(number, count: count))
            if generator.happens(0.5) {
                let id = UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")!
                records.append(
                    Record(Staff.pass, ["number": .uuid(id), "color": random(.string), "holder": .integer(number)]))
            }
        }
    }

    /// The changes that store the records.
    ///
    /// References to missing records are null, because a commit refuses them.
    ///
    /// - Complexity: O(*n*²) for *n* records.
    package var changes: ChangeSet {
        var changes = ChangeSet()
        for var record in records {
            for relationship in record.shape.relationships {
                guard case .reference(let slot, _, _) = relationship.storage, !record[slot].isNull else { continue }
                let isThere = records.contains {
                    $0.key == record[slot] && $0.shape.inherits(relationship.definition.destination)
                }
                if !isThere { record[slot] = .null }
            }
            changes.put(record)
        }
        return changes
    }

    /// Returns a person or a manager.
    ///
    /// The people that it refers to may not exist.
    package mutating func person(_ number: Int64, count: Int) -> Record {
        var record = Record(generator.happens(0.3) ? Staff.manager : Staff.person, [:])
        for type in AttributeType.allCases { record[type.rawValue] = random(type) }
        record["id"] = .integer(number)
        record["home.city"] = random(.string)
        let others = Int64(count) + 3
        if generator.happens(0.8) {
            record["company"] = .string("c\(Int64.random(in: 0..<others / 4 + 2, using: &generator))")
        }
        if generator.happens(0.8) { record["boss"] = .integer(Int64.random(in: 0..<others, using: &generator)) }
        if generator.happens(0.8) { record["second.boss"] = .integer(Int64.random(in: 0..<others, using: &generator)) }
        if generator.happens(0.8) {
            record["site"] = [random(in: "FD"), .integer(Int64.random(in: 0..<others / 4 + 2, using: &generator))]
        }
        if record.shape == Staff.manager {
            record["level"] = random(.integer)
            record["deputy"] = .integer(Int64.random(in: 0..<others, using: &generator))
        }
        return record
    }

    /// Returns a value from the pool, or null.
    private mutating func random(_ type: AttributeType) -> Value { values.random(type, using: &generator) }

    /// Returns one of the letters as a value.
    private mutating func random(in letters: String) -> Value {
        .string(String(letters.randomElement(using: &generator)!))
    }
}
