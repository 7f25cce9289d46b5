import SyncPersistence

/// A list that continues over several pages.
final class PagedPayload: Payload {
    /// The pages, which are read one at a time.
    private let pages: PayloadPages
    /// The pages that contain the list, and its place in each.
    private let parts: [(page: Int, part: PayloadPages.Part)]
    /// Whether each part is a page itself.
    private let isWhole: Bool
    /// The seed for digests of elements.
    private let seed: UInt64
    /// The parts read so far.
    private var read: [ReadPart] = []
    /// The payload that was created last, and the number of its part.
    private var latest: (number: Int, payload: any Payload)?
    /// The part whose elements are being read.
    private var current: (any Payload)?

    /// The sum of the pages' sizes, at least one for each part.
    let size: Int
    /// Always true, because the lists of the pages are one list.
    let isArray = true
    /// Whether a part is one object, or a page is one object while another one is a list.
    private(set) var isOneObject = false
    /// Whether a page has elements, and none of them can be used.
    private(set) var mayLackElements = false
    /// The names of the elements; empty text for elements of arrays if others are members of maps.
    private(set) var names: [String] = []

    /// A part of the list that was read.
    private struct ReadPart {
        /// The index of the first element.
        let start: Int
        /// The offset of the page in the whole payload.
        let offset: Int
        /// Whether the part is one object; known when all of it was read.
        var isOneObject = false
        /// Whether the part is a map; known when all of it was read.
        var isMap = false
    }

    /// Creates the list of parts of pages, in the order of the pages.
    init(_ pages: PayloadPages, _ parts: [(page: Int, part: PayloadPages.Part)], isWhole: Bool, seed: UInt64) {
        (self.pages, self.parts, self.isWhole, self.seed) = (pages, parts, isWhole, seed)
        size = max(parts.reduce(0) { $0 + pages.byteCount(of: $1.page) }, parts.count)
    }

    /// Reads the pages in their order, and numbers their elements through.
    func forEachElement(
        _ keys: ElementKeys, _ memory: PayloadMemory?, _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws {
        (read, names, mayLackElements) = ([], [], false)
        let reports = keys.mapper.reports
        var count = 0
        var offset = 0
        var (hasArray, hasLoneObject) = (false, false)
        for (number, part) in parts.enumerated() {
            read.append(ReadPart(start: count, offset: offset))
            let start = count
            let payload = try payload(number)
            current = payload
            let reportCount = reports.content.listed.count
            var isUsed = false
            try payload.forEachElement(keys, memory) { element, key in
                switch key {
                case .read(.key), .found, .expected: isUsed = true
                case .read: break
                }
                count += 1
                try body(element.moved(by: start, offset), key)
            }
            // A map may be empty, like a list.
            if !isUsed, count > start {
                mayLackElements = true
                guard payload.isArray else {
                    throw SyncError(
                        noObjectsFor: keys.map.shape.name, reports.content.listed.dropFirst(reportCount).first)
                }
            }
            read[number].isMap = !payload.names.isEmpty
            if keys.map.sources.mapKey != nil {
                names += payload.names.isEmpty ? Array(repeating: "", count: count - start) : payload.names
            }
            read[number].isOneObject = payload.isOneObject
            if payload.isOneObject { isOneObject = true }
            if payload.isArray { hasArray = true }
            if !payload.isArray, payload.names.isEmpty, count == start + 1 { hasLoneObject = true }
            offset += pages.byteCount(of: part.page)
            current = nil
        }
        // Lines of objects are a list as well, but not beside arrays.
        if hasArray, hasLoneObject { isOneObject = true }
    }

    /// Returns the key of an element that was a member of a map.
    func name(of index: Int) -> String? {
        let number = number(of: index)
        if number == read.count - 1, let current { return current.name(of: index - read[number].start) }
        return read.indices.contains(number) && read[number].isMap ? names[index] : nil
    }

    /// Parses an element, on whatever page it is.
    func value(of element: PayloadElement) throws -> Value {
        let number = number(of: element.index)
        return try payload(number).value(of: element.moved(by: -read[number].start, -read[number].offset))
    }

    /// Returns the key of an element without parsing the rest of it; nil if its place is unknown.
    func key(of element: PayloadElement, _ map: EntityMap) throws -> Value? {
        let number = number(of: element.index)
        return try payload(number).key(of: element.moved(by: -read[number].start, -read[number].offset), map)
    }

    /// Returns the place of an element, with the number of its page if there are several.
    func place(of index: Int) -> Place {
        let number = number(of: index)
        let (page, part) = parts[number]
        let isOneObject = number == read.count - 1 ? current?.isOneObject : nil
        return pages.places(part, in: page).place(
            of: index - read[number].start, name(of: index), isOneObject: isOneObject ?? read[number].isOneObject)
    }

    /// The repeated names of the object that was parsed last.
    var duplicateNames: [String] { latest?.payload.duplicateNames ?? [] }

    /// Parses all pages to find the first error.
    func check(_ keys: ElementKeys) throws {
        for number in parts.indices { try payload(number).check(keys) }
    }

    /// Returns the part that contains an element.
    private func number(of index: Int) -> Int {
        var (low, high) = (0, max(read.count - 1, 0))
        while low < high {
            let middle = (low + high + 1) / 2
            if read[middle].start <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the payload of a part.
    private func payload(_ number: Int) throws -> any Payload {
        if let latest, latest.number == number { return latest.payload }
        latest = nil
        let (page, part) = parts[number]
        let payload = try pages.payload(part, isWhole: isWhole, in: page, seed: seed)
        latest = (number, payload)
        return payload
    }
}

extension PayloadElement {
    /// Returns the element with its index and offset moved by a number of elements and bytes.
    fileprivate func moved(by count: Int, _ bytes: Int) -> PayloadElement {
        var element = self
        element.index += count
        element.offset += bytes
        return element
    }
}
