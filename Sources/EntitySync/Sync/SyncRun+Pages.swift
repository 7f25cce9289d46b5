import SyncPersistence

extension SyncRun {
    /// Syncs the lists at the roots of a payload, which may have several pages.
    func sync(_ pages: PayloadPages, _ roots: [SyncRoot]) throws {
        let roots = roots.map { $0.below(request.options.root) }
        if roots.isEmpty || pages.count == 0 {
            throw SyncError(
                .noObjects,
                pages.count == 0
                    ? "there is no page: pass one with an empty list if the remote has nothing. Nothing has changed"
                    : "there is no root: pass one for each list of the payload. Nothing has changed")
        }
        if request.options.format == .jsonAPI { return try syncDocuments(pages, roots) }
        layout = PayloadLayout(paths: roots.map(\.path), isPaged: pages.arePages)
        let paths = roots.map { PayloadPath($0.path) } + roots.map { PayloadPath($0.morePath ?? "") }
        var found: [[PayloadPages.Part]] = []
        for page in 0..<pages.count {
            try cancellation.check()
            found.append(try pages.find(paths, in: page))
        }
        var lists: [SyncedList] = []
        for (number, root) in roots.enumerated() {
            let parts = try parts(of: root, found.map { $0[number] }, pages)
            if parts.isEmpty { continue }
            if root.isDeletions {
                try noteDeletions(of: root, parts, pages)
                continue
            }
            let request = SyncRequest(root, self.request.options)
            let seed = MappingSignature.of(transaction.schema, request)
            let isWhole = root.path.isEmpty
            let payload =
                try pages.arePages
                ? PagedPayload(pages, parts, isWhole: isWhole, seed: seed)
                : pages.payload(parts[0].part, isWhole: isWhole, in: parts[0].page, seed: seed)
            // What a page would have listed that is without the list is not known.
            var isPartial = root.isPartial || parts.count < pages.count
            if root.morePath != nil, let last = found.last {
                isPartial = try pages.value(last[roots.count + number], in: pages.count - 1).saysMore || isPartial
            }
            lists.append(SyncedList(request, payload, isPartial: isPartial))
        }
        try sync(lists)
    }

    /// Where the list of a root is in the pages that have it.
    private func parts(
        of root: SyncRoot, _ found: [PayloadPages.Part], _ pages: PayloadPages
    ) throws -> [(page: Int, part: PayloadPages.Part)] {
        try found.enumerated().filter { page, part in
            guard let failure = part.failure else {
                if !root.isOptional || root.path.isEmpty { return true }
                return try !pages.isNull(part, in: page)
            }
            if root.isOptional { return false }
            throw SyncError(
                noPartAt: root.path, of: root.entity, page: pages.arePages ? page : nil, failure)
        }.map { ($0.offset, $0.element) }
    }

    /// Notes the records of which a list has the keys as deleted.
    func noteDeletions(
        of root: SyncRoot, _ parts: [(page: Int, part: PayloadPages.Part)], _ pages: PayloadPages
    ) throws {
        request = SyncRequest(root, request.options)
        operations = root.operations
        try requireRecords()
        let map = try mapping.map(of: root.entity)
        guard map.hasKey else {
            throw SyncError(.noPrimaryKey, "'\(map.shape.name)' has no primary key to find records by")
        }
        if root.parent != nil { scopeParent = try SyncScope(request, map, in: self).parentRecord }
        defer { scopeParent = nil }
        for (page, part) in parts {
            let places = pages.places(part, in: page)
            let list = root.path.isEmpty ? try pages.value(page) : try pages.value(part, in: page)
            if list.isNull { continue }
            guard case .array(let elements) = list else {
                try report(
                    SyncReport(
                        .wrongShape, at: places.base.path, expected: "an array of keys, or null", found: list.finding))
                continue
            }
            for (index, element) in elements.enumerated() {
                let place = places.place(of: index, nil, isOneObject: false)
                guard
                    let key = try deletedKey(
                        places.inner.isEmpty ? element : element.inner(at: places.inner), map, place)
                else { continue }
                try tellDeletion(key, map, at: place, isNested: false)
            }
        }
    }

    /// The primary key of the record that an element of a list of deletions stands for; nil if there is none.
    private func deletedKey(_ json: Value, _ map: EntityMap, _ place: Place) throws -> Value? {
        var key: Value?
        if json.isObject {
            if case .key(let found) = try rootKey(of: json, named: nil, at: place, map) { key = found }
        } else {
            var parts: [Value] = if map.keyParts.count > 1, case .array(let parts) = json { parts } else { [json] }
            parts = map.completed(parts, in: rootSurroundings(named: nil, nil, map))
            let values = zip(map.keyParts, parts).compactMap { map.attributes[$0].keyValue(of: $1) }
            if parts.count == map.keyParts.count, values.count == parts.count {
                key = map.key(of: values)
            } else {
                try report(
                    SyncReport(
                        .unconvertible, at: place.path, expected: "a key of '\(map.shape.name)'", found: json.finding))
            }
        }
        guard let key else { return nil }
        return map.isKeyPrimary ? key : try named(key, map)
    }
}
