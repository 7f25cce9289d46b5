import SyncPersistence

/// The source of a sync, with one or several pages.
final class PayloadPages {
    /// The pages: a parsed value, bytes in memory, or ranges of a file.
    private enum Content {
        /// One parsed page.
        case value(Value)
        /// The UTF-8 bytes of each page.
        case bytes([UnsafeRawBufferPointer])
        /// A file, and the range of each page in it.
        case file(PayloadFile, [Range<Int>])
    }

    // because: the pages live no longer than the call that lends the bytes.
    /// The value, the bytes or the file of the pages.
    private let content: Content
    /// The dialect and the limits of the JSON.
    private let options: JSONOptions
    /// The window on the page that was read last.
    private var latest: (page: Int, window: ByteWindow)?

    /// Whether the source consists of pages, even if there is only one.
    let arePages: Bool

    /// The number of pages.
    let count: Int

    /// Creates pages of content.
    private init(_ content: Content, count: Int, arePages: Bool, _ options: JSONOptions) {
        (self.content, self.count, self.arePages, self.options) = (content, count, arePages, options)
    }

    /// Creates the source of a value.
    convenience init(_ value: Value) {
        self.init(.value(value), count: 1, arePages: false, JSONOptions())
    }

    /// Creates the source of bytes in memory, which may consist of consecutive pages.
    convenience init(_ bytes: UnsafeRawBufferPointer, _ options: JSONOptions, pages: [Range<Int>]? = nil) {
        let parts = pages?.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) } ?? [bytes]
        self.init(.bytes(parts), count: parts.count, arePages: pages != nil, options)
    }

    /// Creates the source of a file, which may consist of consecutive pages.
    convenience init(_ file: PayloadFile, _ options: JSONOptions, pages: [Range<Int>]? = nil) {
        let parts = pages ?? [0..<file.count]
        self.init(.file(file, parts), count: parts.count, arePages: pages != nil, options)
    }

    /// Returns the window on a page; nil for a value.
    private func window(_ page: Int) throws -> ByteWindow? {
        if let latest, latest.page == page { return latest.window }
        // The old window is released first, so that only one is in memory.
        latest = nil
        let window: ByteWindow
        switch content {
        case .value: return nil
        case .bytes(let pages): window = ByteWindow(pages[page])
        case .file(let file, let pages): window = try ByteWindow(file, range: pages[page])
        }
        latest = (page, window)
        return window
    }
}

extension PayloadPages {
    /// The target of a path in a page: an offset in bytes, or a value.
    enum Part {
        /// The offset of the value in the text of its page.
        case bytes(Located<Int>)
        /// The value in a parsed page.
        case value(Located<Value>)

        /// The reason why the path leads nowhere; nil if it leads somewhere.
        var failure: String? {
            switch self {
            case .bytes(let part): part.content == nil ? part.failure : nil
            case .value(let part): part.content == nil ? part.failure : nil
            }
        }
    }

    /// Finds the targets of paths in a page.
    func find(_ paths: [PayloadPath], in page: Int) throws -> [Part] {
        if case .value(let value) = content { return paths.map { .value(value.located(at: $0)) } }
        // The text itself is read as a list, without a search.
        if paths.allSatisfy(\.steps.isEmpty) { return paths.map { _ in .bytes(Located(content: 0)) } }
        guard let window = try window(page) else { return [] }
        return try PartFinder.find(paths, in: window, options).map { .bytes($0) }
    }

    /// Returns the list at a part of a page.
    ///
    /// - Parameter isWhole: Whether the part is the page itself.
    func payload(_ part: Part, isWhole: Bool, in page: Int, seed: UInt64) throws -> any Payload {
        let places = self.places(part, in: page)
        switch part {
        case .value(let part):
            let value = part.content ?? .null
            if isWhole, !arePages { return PayloadOfValues(value, seed: seed) }
            return PayloadOfValues(value, inner: part.inner, seed: seed, places: places)
        case .bytes(let part):
            guard let window = try window(page) else { return PayloadOfValues(.null, seed: seed) }
            return PayloadOfBytes(
                window, options: options, seed: seed, part: isWhole ? nil : part, places: places)
        }
    }

    /// Returns the places of a list's objects.
    func places(_ part: Part, in page: Int) -> ElementPlaces {
        let outer = arePages ? Place.root.element(page) : .root
        func places(_ part: Located<some Any>) -> ElementPlaces {
            ElementPlaces(base: part.steps.reduce(outer) { $0.member($1) }, inner: part.inner)
        }
        return switch part {
        case .bytes(let part): places(part)
        case .value(let part): places(part)
        }
    }

    /// Returns the value at a part of a page; null if the path leads nowhere.
    func value(_ part: Part, in page: Int) throws -> Value {
        switch part {
        case .value(let part): return part.content ?? .null
        case .bytes(let part):
            guard let offset = part.content, let window = try window(page) else { return .null }
            return try window.value(at: offset, options, depth: part.steps.count)
        }
    }

    /// Whether a part of a page is null.
    func isNull(_ part: Part, in page: Int) throws -> Bool {
        switch part {
        case .value(let part): return part.content?.isNull ?? true
        case .bytes(let located):
            guard let offset = located.content, let window = try window(page) else { return true }
            try window.look(at: offset)
            let first = offset - window.base
            guard first < window.bytes.count, window.bytes[first] == UInt8(ascii: "n") else { return false }
            return try value(part, in: page).isNull
        }
    }

    /// Returns a whole page as a value.
    func value(_ page: Int) throws -> Value {
        if case .value(let value) = content { return value }
        guard let window = try window(page) else { return .null }
        try window.look(at: 0, count: window.total)
        return try Value(json: window.bytes, options: options)
    }

    /// Returns the number of bytes of a page; 0 for a value.
    func byteCount(of page: Int) -> Int {
        switch content {
        case .value: 0
        case .bytes(let pages): pages[page].count
        case .file(_, let pages): pages[page].count
        }
    }
}

extension ByteWindow {
    /// Returns the value that begins at an offset.
    fileprivate func value(at offset: Int, _ options: JSONOptions, depth: Int) throws -> Value {
        try look(at: offset)
        while !isLast, JSONSkipper(bytes: bytes).value(offset - base) == nil {
            if offset > base { try look(at: offset) } else { try grow() }
        }
        var reader = JSONPartReader(options: options)
        reader.outerDepth = depth
        do {
            return try reader.read(bytes, at: offset - base).value
        } catch {
            throw try moved(error)
        }
    }
}
