import CDifferentialSyncSQLite
import SyncPersistence

extension RawItems {
    /// How many records of a snapshot are not stored as they are: by the keys and digests of all rows, in one table.
    func differing(from snapshot: [Record], digestSeed: UInt64) -> Int {
        var table = DigestTable(capacity: snapshot.count)
        database.execute("BEGIN")
        while sqlite3_step(digests) == SQLITE_ROW {
            let key = UnsafeRawBufferPointer(
                start: sqlite3_column_text(digests, 0), count: Int(sqlite3_column_bytes(digests, 0)))
            table.insert(key, digest: UInt64(bitPattern: sqlite3_column_int64(digests, 1)))
        }
        sqlite3_reset(digests)
        database.execute("COMMIT")
        return snapshot.count { record in
            guard case .string(var key) = record.values[0] else { return true }
            let digest = ContentDigest.digest(of: record.values, seed: digestSeed)
            return key.withUTF8 { table.digest(of: UnsafeRawBufferPointer($0)) } != digest
        }
    }

    /// How many records of a snapshot are not stored as they are: each is looked up and compared.
    func lookUp(_ snapshot: [Record]) -> Int {
        database.execute("BEGIN")
        defer { database.execute("COMMIT") }
        return snapshot.count { record in
            defer { sqlite3_reset(lookup) }
            guard case .string(var key) = record.values[0] else { return true }
            return key.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_bind_text(lookup, 1, bytes.baseAddress, Int32(bytes.count), nil)
                    guard sqlite3_step(lookup) == SQLITE_ROW else { return true }
                    return !isText(record.values[1], 0) || !isText(record.values[2], 1)
                        || record.values[3] != .integer(sqlite3_column_int64(lookup, 2))
                }
            }
        }
    }

    private func isText(_ value: Value, _ column: Int32) -> Bool {
        guard case .string(var text) = value else { return false }
        return text.withUTF8 { utf8 in
            let count = Int(sqlite3_column_bytes(lookup, column))
            guard let start = sqlite3_column_text(lookup, column) else { return false }
            return utf8.count == count && differential_sync_sqlite_equal(utf8.baseAddress, start, UInt(count)) != 0
        }
    }
}
