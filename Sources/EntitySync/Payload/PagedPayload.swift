import SyncPersistence

/// A list that goes on over several pages.
final class PagedPayload: Payload {
    private let pages: PayloadPages
    /// The pages with the list, and where it is in each.
    private let parts: [(page: Int, part: PayloadPages.Part)]
    private let isWhole: Bool
    private let seed: UInt64
    /// The indices of the first elements of the parts that have been read, where those pages begin, and whether the parts
    /// are one object.
    private var starts: [Int] = []
    private var offsets: [Int] = []
    private var areOneObject: [Bool] = []
    private var latest: (number: Int, payload: any Payload)?

    let byteCount: Int
    let size: Int
    let isArray = true
    private(set) var isOneObject = false
    private(set) var names: [String] = []

    init(_ pages: PayloadPages, _ parts: [(page: Int, part: PayloadPages.Part)], isWhole: Bool, seed: UInt64) {
        (self.pages, self.parts, self.isWhole, self.seed) = (pages, parts, isWhole, seed)
        byteCount = parts.reduce(0) { $0 + pages.byteCount(of: $1.page) }
        size = max(byteCount, parts.count)
    }

    func forEachElement(
        _ map: EntityMap, _ run: SyncRun, _ guesses: PayloadGuesses?,
        _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws {
        (starts, offsets, areOneObject, names) = ([], [], [], [])
        var count = 0
        var offset = 0
        for (number, part) in parts.enumerated() {
            starts.append(count)
            offsets.append(offset)
            let start = count
            let payload = try payload(number)
            let reportCount = run.outcome.reports.count
            var isUsed = false
            try payload.forEachElement(map, run, guesses) { element, key in
                switch key {
                case .read(.key), .guessed: isUsed = true
                case .read: break
                }
                count += 1
                try body(element.moved(by: start, offset), key)
            }
            if !isUsed, !payload.isArray {
                throw SyncError(noObjectsFor: map.shape.name, run.outcome.reports.dropFirst(reportCount).first)
            }
            if names.count == start { names += payload.names }
            areOneObject.append(payload.isOneObject)
            if payload.isOneObject { isOneObject = true }
            offset += pages.byteCount(of: part.page)
        }
    }

    func value(of element: PayloadElement) throws -> Value {
        let number = number(of: element.index)
        return try payload(number).value(of: element.moved(by: -starts[number], -offsets[number]))
    }

    func place(of index: Int) -> Place {
        let number = number(of: index)
        let (page, part) = parts[number]
        let isOneObject = number < areOneObject.count ? areOneObject[number] : latest?.payload.isOneObject ?? false
        return pages.places(part, in: page).place(
            of: index - starts[number], name(of: index), isOneObject: isOneObject)
    }

    var duplicateNames: [String] { latest?.payload.duplicateNames ?? [] }

    func check(_ map: EntityMap, _ run: SyncRun) throws {
        for number in parts.indices { try payload(number).check(map, run) }
    }

    /// The part in which an element stands.
    private func number(of index: Int) -> Int {
        var (low, high) = (0, max(starts.count - 1, 0))
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

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
    /// The element as one of a longer list, behind so many others and so many bytes.
    fileprivate func moved(by count: Int, _ bytes: Int) -> PayloadElement {
        PayloadElement(
            index: index + count, offset: offset + bytes, length: length, digest: digest, keyOffset: keyOffset,
            isObject: isObject)
    }
}
