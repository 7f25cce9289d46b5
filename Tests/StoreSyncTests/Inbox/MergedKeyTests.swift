import DifferentialSync
import StoreSync
import Testing

/// Resolutions of conflicts by a record with another key.
@Suite struct MergedKeyTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    /// Returns the conflict of a tag on the laptop, which the phone has renamed.
    ///
    /// - Parameter isDeleted: Whether the laptop has deleted the tag, instead of renaming it too.
    private func conflict(isDeleted: Bool) async throws -> StoreConflict {
        try await phone.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await phone.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "summer"]) }
        try await laptop.edit { changes, _ in
            if isDeleted { return changes.delete(RecordID("Tag", 1)) }
            changes.update(RecordID("Tag", 1), ["name": "autumn"])
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
        return try #require(try await laptop.store.openConflicts.first)
    }

    @Test(arguments: [true, false])
    func aMergedRecordWithAnotherKeyIsAnErrorThatChangesNothing(isDeleted: Bool) async throws {
        let conflict = try await conflict(isDeleted: isDeleted)
        let other = try Record("Tag", in: laptop.store.schema, ["id": 2, "name": "winter"])
        let error = try await #require(throws: KeyError.self) {
            try await laptop.store.resolve(conflict, with: .merged(other))
        }
        #expect(error.code == .changed && error.key as? Value == 1)
        #expect(try await laptop.store.openConflicts == [conflict])
        let expected: Value? = isDeleted ? nil : "autumn"
        #expect(try await laptop.value("Tag", 1, "name") == expected)
    }
}
