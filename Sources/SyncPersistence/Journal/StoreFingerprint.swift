/// The number of a store's records and links, and a digest of their contents.
///
/// Equal contents have equal fingerprints, in any order of records and in every process. So two stores compare
/// themselves by three numbers. The digest is not cryptographic.
///
/// ```swift
/// let isEqual = try await here.read { try $0.fingerprint() } == there.read { try $0.fingerprint() }
/// ```
public struct StoreFingerprint: Hashable, Sendable {
    /// The number of records and links.
    public var count: Int64

    /// The upper half of the sum of the records' digests.
    public var high: UInt64

    /// The lower half of the sum of the records' digests.
    public var low: UInt64

    /// Creates a fingerprint; without values, that of an empty store.
    public init(count: Int64 = 0, high: UInt64 = 0, low: UInt64 = 0) {
        (self.count, self.high, self.low) = (count, high, low)
    }
}

extension StoreFingerprint {
    /// Creates the fingerprint of one record or link: two digests of its entity, its key, and the names and values of its
    /// slots.
    ///
    /// - Complexity: O(size of the record)
    package init(of record: Record) {
        // The seeds must not change, because fingerprints are stored.
        var (high, low) = (ContentDigest(seed: 0x9E37_79B9_7F4A_7C15), ContentDigest(seed: 0xD1B5_4A32_D192_ED03))
        let shape = record.shape
        high.combine(shape.digestedName)
        low.combine(shape.digestedName)
        ContentDigest.combine(record.key, into: &high, &low)
        record.values.withUnsafeBufferPointer { values in
            for (position, name) in shape.slotsByNameOrder {
                high.combine(name)
                low.combine(name)
                ContentDigest.combine(values[position], into: &high, &low)
            }
        }
        self.init(count: 1, high: high.finalize(), low: low.finalize())
    }

    /// Returns the fingerprint of the records of both.
    ///
    /// - Complexity: O(1)
    package static func + (left: StoreFingerprint, right: StoreFingerprint) -> StoreFingerprint {
        let (low, hasCarry) = left.low.addingReportingOverflow(right.low)
        return StoreFingerprint(
            count: left.count &+ right.count, high: left.high &+ right.high &+ (hasCarry ? 1 : 0), low: low)
    }

    /// Returns the fingerprint of the records of the left one without those of the right one.
    ///
    /// - Complexity: O(1)
    package static func - (left: StoreFingerprint, right: StoreFingerprint) -> StoreFingerprint {
        let (low, hasBorrow) = left.low.subtractingReportingOverflow(right.low)
        return StoreFingerprint(
            count: left.count &- right.count, high: left.high &- right.high &- (hasBorrow ? 1 : 0), low: low)
    }
}

extension StoreFingerprint {
    /// The fingerprint as a store keeps it.
    var text: String { "\(count) \(high) \(low)" }

    /// Creates a fingerprint from its text; nil if it is not one.
    init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let count = Int64(parts[0]), let high = UInt64(parts[1]), let low = UInt64(parts[2])
        else { return nil }
        self.init(count: count, high: high, low: low)
    }
}
