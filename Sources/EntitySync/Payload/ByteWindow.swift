import SyncPersistence

/// The bytes of a payload: all of them, or the part of a file that is in memory.
final class ByteWindow {
    /// The bytes in memory.
    private(set) var bytes: UnsafeRawBufferPointer
    /// The offset of the first byte in memory within the payload.
    private(set) var base = 0

    /// The number of bytes of the payload.
    let total: Int

    /// The file that is read; nil if all bytes are in memory.
    private let file: PayloadFile?
    /// The offset of the payload in the file.
    private let start: Int
    // because: it is allocated and freed here, and `bytes` are not used afterwards.
    /// The memory that the window owns; nil if it shows the bytes of its caller.
    private var buffer: UnsafeMutableRawBufferPointer?

    /// The default number of bytes of a file in memory.
    private static let size = 1 << 20
    /// The maximum number of bytes of a file in memory.
    private let limit: Int

    /// Creates a window on bytes in memory, which must outlive it.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        total = bytes.count
        limit = .max
        file = nil
        start = 0
    }

    /// Creates a window on a file or a part of it.
    init(
        _ file: PayloadFile, range: Range<Int>? = nil, size: Int = ByteWindow.size, limit: Int = 1 << 31
    ) throws {
        self.file = file
        self.limit = limit
        start = range?.lowerBound ?? 0
        total = range?.count ?? file.count
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        try load(from: 0, count: size)
    }

    deinit { buffer?.deallocate() }

    /// Whether the window reaches the end of the payload.
    var isLast: Bool { base + bytes.count >= total }

    /// Moves the window to an offset of the payload, with at least a number of bytes.
    func look(at offset: Int, count: Int = 0) throws {
        if offset >= base && offset + count <= base + bytes.count && (count > 0 || offset == base) { return }
        if file != nil { try load(from: offset, count: max(count, buffer?.count ?? Self.size)) }
    }

    /// Doubles the size of the window.
    func grow() throws {
        if file != nil { try load(from: base, count: bytes.count * 2) }
    }

    /// Loads bytes of the file.
    ///
    /// - Throws: `SyncError` if the window must grow beyond its limit.
    private func load(from offset: Int, count: Int) throws {
        guard let file else { return }
        let count = min(count, total - offset, limit)
        if count == limit, bytes.count == limit, base == offset {
            throw SyncError(
                .unreadable,
                "an object of the payload, from byte \(offset) on, has more than \(limit) bytes: have it sent in parts")
        }
        if (buffer?.count ?? 0) < count || buffer == nil {
            buffer?.deallocate()
            buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        }
        guard let buffer else { return }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        try file.read(into: target, at: start + offset)
        bytes = UnsafeRawBufferPointer(target)
        base = offset
    }
}

extension ByteWindow {
    /// Moves an offset to the next byte that is not white space and returns it; nil at the end.
    func nextByte(from offset: inout Int) throws -> UInt8? {
        while true {
            let place = JSONSkipper(bytes: bytes).space(offset - base)
            offset = base + place
            if place < bytes.count { return bytes[place] }
            if isLast { return nil }
            try look(at: offset)
        }
    }

    /// Returns an error within the window as an error within the payload.
    func moved(_ error: JSONError) throws -> JSONError {
        let base = base
        if base == 0 { return error }
        var (lines, column) = (0, 0)
        var offset = 0
        while offset < base {
            try look(at: offset)
            let count = min(bytes.count, base - offset)
            for byte in bytes[..<count] {
                if byte == UInt8(ascii: "\n") {
                    lines += 1
                    column = 0
                } else if byte & 0xC0 != 0x80 {
                    column += 1
                }
            }
            offset += count
        }
        return error.moved(bytes: base, lines: lines, column: column)
    }
}
