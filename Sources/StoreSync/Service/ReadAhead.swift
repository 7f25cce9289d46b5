/// The number of records that a page or a push reads at once.
///
/// Reading many together is faster. But a page ends at a limit of bytes, and records that were read beyond it were
/// read in vain.
///
/// The first read is short. Each later one is as long as the records read so far suggest, and at most eight times as long as
/// the one before.
struct ReadAhead {
    /// The number of records of the next read.
    private(set) var count = 100

    /// The bound for reads of rows that yield no records, which no size bounds.
    private static let largestCount = 1 << 20

    private let limit: Int

    /// Creates the reads of a page or a push that uses at most `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// Plans the next read.
    ///
    /// - Parameters:
    ///   - records: The number of records read so far.
    ///   - bytes: About how many bytes they have.
    mutating func plan(after records: Int, of bytes: Int) {
        let fitting = bytes > 0 ? max(limit - bytes, 0) / max(bytes / max(records, 1), 1) : .max
        count = min(8 * count, max(fitting, 1), Self.largestCount)
    }
}
