/// The bytes of a payload: all of them, or as many of a file as are looked at.
final class ByteWindow {
    /// The bytes that can be looked at.
    private(set) var bytes: UnsafeRawBufferPointer
    /// Where the first of them stands in the payload.
    private(set) var base = 0

    /// How many bytes the payload has.
    let total: Int

    private let file: PayloadFile?
    // because: it is allocated and freed here, and `bytes` point into it for no longer.
    private var buffer: UnsafeMutableRawBufferPointer?

    /// How many bytes of a file are looked at as a rule, and at most.
    private static let size = 1 << 20
    private let limit: Int

    /// Bytes that are there, which outlive the window.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        total = bytes.count
        limit = .max
        file = nil
    }

    /// The bytes of a file.
    init(_ file: PayloadFile, size: Int = ByteWindow.size, limit: Int = 1 << 31) throws {
        self.file = file
        self.limit = limit
        total = file.count
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        try load(from: 0, count: size)
    }

    deinit { buffer?.deallocate() }

    /// Whether the payload ends where the window does.
    var isLast: Bool { base + bytes.count >= total }

    /// Looks at bytes from an offset of the payload on, at least as many as are given.
    func look(at offset: Int, count: Int = 0) throws {
        if offset >= base && offset + count <= base + bytes.count && (count > 0 || offset == base) { return }
        if file != nil { try load(from: offset, count: max(count, buffer?.count ?? Self.size)) }
    }

    /// Looks at twice as many bytes.
    func grow() throws {
        if file != nil { try load(from: base, count: bytes.count * 2) }
    }

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
        try file.read(into: target, at: offset)
        bytes = UnsafeRawBufferPointer(target)
        base = offset
    }
}
