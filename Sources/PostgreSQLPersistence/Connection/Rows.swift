import CDifferentialSyncPostgreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rows that a statement has returned, in the binary format.
///
/// Values are read in place, from the memory of libpq's result, which lives as long as this object.
final class Rows {
    // because: only this object owns the handle, and frees it when it ends.
    private let handle: OpaquePointer

    /// The number of rows.
    let count: Int

    /// Creates the rows of a result, and owns it.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
    }

    deinit { PQclear(handle) }

    /// Whether a value is NULL.
    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) == 1 }

    /// Calls `body` with the bytes of a value, or with nil for NULL.
    @inline(__always)
    func withBytes<Result>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        if isNull(row, column) { return try body(nil) }
        let start = UnsafeRawPointer(PQgetvalue(handle, Int32(row), Int32(column)))
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Returns an integer of 64 bits; 0 for NULL.
    func int64(_ row: Int, _ column: Int) -> Int64 {
        withBytes(row, column) { bytes in
            guard let bytes, bytes.count == 8 else { return 0 }
            return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        }
    }

    /// Returns text as it is stored; nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The command that was run, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }
}
