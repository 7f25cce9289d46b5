public import SyncPersistence

extension PersistenceAdapter {
    /// Syncs lists within JSON text, each into the records of an entity.
    ///
    /// ```swift
    /// try await store.sync(data, roots: [SyncRoot("User", at: "data.users"), SyncRoot("Post", at: "data.posts")])
    /// ```
    ///
    /// All lists are synced in one transaction. Values outside of the lists are not parsed; only their brackets are
    /// checked. <doc:SyncingJSON> describes paths, partial lists and deletions that are listed.
    ///
    /// - Parameters:
    ///   - json: The UTF-8 bytes, such as `Data` or `[UInt8]`.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: ``SyncError`` with ``SyncError/Code-swift.enum/noObjects`` if a path leads nowhere, or to something
    ///   without objects; otherwise as ``sync(_:into:filter:parent:operations:options:)-8mfr``. Nothing has changed
    ///   then.
    /// - Complexity: As that of ``sync(_:into:filter:parent:operations:options:)-8mfr``
    @discardableResult
    public func sync(
        _ json: some Sequence<UInt8> & Sendable, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(options) { run in
            let isDone: Void? = try json.withContiguousStorageIfAvailable { bytes in
                try run.sync(PayloadPages(UnsafeRawBufferPointer(bytes), run.reader.jsonOptions), roots)
            }
            if isDone == nil {
                try Array(json).withUnsafeBytes { try run.sync(PayloadPages($0, run.reader.jsonOptions), roots) }
            }
        }
    }

    /// Syncs lists within JSON text, each into the records of an entity.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: As for bytes.
    /// - Complexity: As that of bytes
    @discardableResult
    public func sync(
        _ json: String, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(json.utf8, roots: roots, options: options)
    }

    /// Syncs lists within a JSON value, each into the records of an entity.
    ///
    /// - Parameters:
    ///   - json: The value.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: As for bytes, except for `JSONError`.
    /// - Complexity: As that of bytes
    @discardableResult
    public func sync(
        _ json: Value, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try json.requireSyncableDepth()
        return try await sync(options) { run in try run.sync(PayloadPages(json), roots) }
    }

    /// Syncs lists within the JSON text of a file, which may be larger than memory, each into the records of an entity.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: ``SyncError`` if the file cannot be read; otherwise as for bytes.
    /// - Complexity: As that of bytes; in memory, O(number of objects + size of what changes)
    @discardableResult
    public func sync(
        contentsOfFile path: String, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        let file = try PayloadFile(path: path)
        return try await sync(options) { run in
            try run.sync(PayloadPages(file, run.reader.jsonOptions), roots)
        }
    }

    /// Syncs lists within a stream of JSON text, each into the records of an entity.
    ///
    /// A temporary file stores the bytes until the stream ends.
    ///
    /// - Parameters:
    ///   - stream: The UTF-8 bytes.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: Errors of the stream; ``SyncError`` if no temporary file can be written; otherwise as for bytes.
    /// - Complexity: As that of bytes; in memory, O(number of objects + size of what changes)
    @inlinable @discardableResult
    public func sync<Bytes: AsyncSequence>(
        stream: Bytes, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult where Bytes.Element == UInt8 {
        let spool = try PayloadSpool(in: options.temporaryFolder)
        // Inlined into the client, because it runs for each byte.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PayloadSpool.size)
        for try await byte in stream {
            bytes.append(byte)
            if bytes.count == PayloadSpool.size {
                try spool.append(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try spool.append(bytes)
        return try await sync(spool, nil, roots, options)
    }
}

extension PersistenceAdapter {
    /// Syncs several pages of JSON text as one payload.
    ///
    /// ```swift
    /// try await store.sync(pages: [first, second], roots: [SyncRoot("Item", at: "items")])
    /// ```
    ///
    /// Each page has all of the lists. A record is deleted if no page lists it. All pages are synced in one
    /// transaction: if one of them is malformed, nothing changes. The paths of reports begin with the number of the
    /// page, such as `[1].items[3].name`.
    ///
    /// - Parameters:
    ///   - pages: The UTF-8 bytes of the pages, in order; for text, `pages.map(\.utf8)`.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: ``SyncError`` with ``SyncError/Code-swift.enum/noObjects`` if there is no page, or if a path leads
    ///   nowhere in one; otherwise as ``sync(_:into:filter:parent:operations:options:)-8mfr``. Nothing has changed
    ///   then.
    /// - Complexity: As that of ``sync(_:into:filter:parent:operations:options:)-8mfr``
    @discardableResult
    public func sync(
        pages: [some Sequence<UInt8>], roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for page in pages {
            let start = bytes.count
            bytes.append(contentsOf: page)
            ranges.append(start..<bytes.count)
        }
        return try await sync(options) { [bytes, ranges] run in
            try bytes.withUnsafeBytes { try run.sync(PayloadPages($0, run.reader.jsonOptions, pages: ranges), roots) }
        }
    }

    /// Syncs a stream of pages of JSON text as one payload.
    ///
    /// ```swift
    /// try await store.sync(pages: responses, roots: [SyncRoot("Item", at: "items")])
    /// ```
    ///
    /// A temporary file stores the pages until the sequence ends, so the store does not wait for them. If the sequence
    /// throws, nothing changes.
    ///
    /// - Parameters:
    ///   - pages: The UTF-8 bytes of the pages, in their order.
    ///   - roots: The lists and their entities.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: Errors of the sequence; ``SyncError`` if no temporary file can be written; otherwise as for an array
    ///   of pages.
    /// - Complexity: As that of an array of pages; in memory, O(number of objects + size of what changes)
    @inlinable @discardableResult
    public func sync<Pages: AsyncSequence>(
        pages: Pages, roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult where Pages.Element: Sequence, Pages.Element.Element == UInt8 {
        let spool = try PayloadSpool(in: options.temporaryFolder)
        var ranges: [Range<Int>] = []
        for try await page in pages {
            let bytes = Array(page)
            try spool.append(bytes)
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + bytes.count)
        }
        return try await sync(spool, ranges, roots, options)
    }

    /// Syncs JSON text from a temporary file.
    @usableFromInline
    func sync(
        _ spool: PayloadSpool, _ pages: [Range<Int>]?, _ roots: [SyncRoot], _ options: SyncOptions
    ) async throws -> SyncResult {
        let file = try PayloadFile(spool)
        return try await sync(options) { run in
            try run.sync(PayloadPages(file, run.reader.jsonOptions, pages: pages), roots)
        }
    }
}
