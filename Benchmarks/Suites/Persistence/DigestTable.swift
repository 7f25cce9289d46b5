import CDifferentialSyncSQLite

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
