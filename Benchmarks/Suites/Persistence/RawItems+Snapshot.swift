import CDifferentialSyncSQLite
import SyncPersistence

extension RawItems {
    /// How many records of a snapshot are not stored as they are: by the keys and digests of all rows, in one table.
    func differing(from snapshot: [Record], digestSeed: UInt64) -> Int {
        var table = DigestTable(capacity: snapshot.count)
        execute("BEGIN")
        while sqlite3_step(digests) == SQLITE_ROW {
            let key = UnsafeRawBufferPointer(
                start: sqlite3_column_text(digests, 0), count: Int(sqlite3_column_bytes(digests, 0)))
            table.insert(key, digest: UInt64(bitPattern: sqlite3_column_int64(digests, 1)))
        }
        sqlite3_reset(digests)
        execute("COMMIT")
        return snapshot.count { record in
            guard case .string(var key) = record.values[0] else { return true }
            let digest = ContentDigest.digest(of: record.values, seed: digestSeed)
            return key.withUTF8 { table.digest(of: UnsafeRawBufferPointer($0)) } != digest
        }
    }

    /// How many records of a snapshot are not stored as they are: each is looked up and compared.
    func lookUp(_ snapshot: [Record]) -> Int {
        execute("BEGIN")
        defer { execute("COMMIT") }
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

/// Keys with their digests: open addressing, linear probing, reserved once.
struct DigestTable {
    private var slots: [Int32]
    private var entries: [(hash: UInt64, start: Int32, count: Int32, digest: UInt64)] = []
    private var bytes: [UInt8] = []
    private let mask: Int

    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        mask = size - 1
        entries.reserveCapacity(capacity)
        bytes.reserveCapacity(capacity * 36)
    }

    mutating func insert(_ key: UnsafeRawBufferPointer, digest: UInt64) {
        let hash = DigestTable.hash(key)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 { slot = (slot + 1) & mask }
        slots[slot] = Int32(entries.count)
        entries.append((hash, Int32(bytes.count), Int32(key.count), digest))
        bytes.append(contentsOf: key)
    }

    func digest(of key: UnsafeRawBufferPointer) -> UInt64? {
        let hash = DigestTable.hash(key)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.hash == hash, Int(entry.count) == key.count,
                bytes.withUnsafeBytes({
                    differential_sync_sqlite_equal($0.baseAddress! + Int(entry.start), key.baseAddress, UInt(key.count))
                }) != 0
            {
                return entry.digest
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= key.count {
            let product = (hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                .multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
            hash = product.high ^ product.low
            offset += 8
        }
        while offset < key.count {
            hash = (hash ^ UInt64(key[offset])) &* 0x0000_0100_0000_01B3
            offset += 1
        }
        return hash
    }
}
