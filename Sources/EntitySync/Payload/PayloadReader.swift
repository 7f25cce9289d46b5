import SyncPersistence

/// Finds the lists and objects of a payload.
///
/// It accesses neither the stored records nor the sync that processes the objects.
final class PayloadReader {
    /// The reader of keys and attributes, which also has the mapping.
    let mapper: ObjectMapper
    let options: SyncOptions
    /// Ends the reading when the sync is cancelled.
    private let cancellation: Cancellation

    /// The places of the lists, by which reports are sorted.
    private(set) var layout = PayloadLayout()

    /// Creates a reader without a payload.
    init(_ mapper: ObjectMapper, _ options: SyncOptions, _ cancellation: Cancellation) {
        (self.mapper, self.options, self.cancellation) = (mapper, options, cancellation)
    }

    /// The options for JSON text.
    ///
    /// Numbers are read exactly if the schema has decimal attributes, and large integers always, because they may be
    /// texts.
    var jsonOptions: JSONOptions {
        var options = options.json
        (options.readsHugeNumbers, options.readsLargeIntegers) = (true, true)
        let hasDecimals = mapper.mapping.schema.entities.contains { $0.attributes.contains { $0.type == .decimal } }
        if hasDecimals { options.readsDecimals = true }
        return options
    }

    /// Adds a list whose objects are members of a map to the layout.
    func add(map payload: any Payload) { layout.add(map: payload) }

    /// Returns the lists at the roots of a payload, which may have several pages.
    func read(_ pages: PayloadPages, _ roots: [SyncRoot]) throws -> PayloadContents {
        let roots = roots.map { $0.below(options.root) }
        if roots.isEmpty || pages.count == 0 {
            throw SyncError(
                .noObjects,
                pages.count == 0
                    ? "there is no page: pass one with an empty list if the remote has nothing. Nothing has changed"
                    : "there is no root: pass one for each list of the payload. Nothing has changed")
        }
        if options.format == .jsonAPI { return try readDocuments(pages, roots) }
        layout = PayloadLayout(paths: roots.map(\.path), isPaged: pages.arePages)
        let paths = roots.map { PayloadPath($0.path) } + roots.map { PayloadPath($0.morePath ?? "") }
        var found: [[PayloadPages.Part]] = []
        for page in 0..<pages.count {
            try cancellation.check()
            found.append(try pages.find(paths, in: page))
        }
        var contents = PayloadContents()
        for (number, root) in roots.enumerated() {
            let parts = try parts(of: root, found.map { $0[number] }, pages)
            if parts.isEmpty { continue }
            if root.isDeletions {
                contents.deletions.append(try deletions(of: root, parts, pages))
                continue
            }
            // The objects of a page without the list are unknown.
            var isPartial = root.isPartial || parts.count < pages.count
            if root.morePath != nil, let last = found.last {
                isPartial = try pages.value(last[roots.count + number], in: pages.count - 1).saysMore || isPartial
            }
            let isWhole = root.path.isEmpty
            let list = try list(of: root, isPartial: isPartial) { seed in
                try pages.arePages
                    ? PagedPayload(pages, parts, isWhole: isWhole, seed: seed)
                    : pages.payload(parts[0].part, isWhole: isWhole, in: parts[0].page, seed: seed)
            }
            contents.lists.append(list)
        }
        return contents
    }

    /// Returns the list of a root.
    private func list(
        of root: SyncRoot, isPartial: Bool, _ payload: (_ seed: UInt64) throws -> any Payload
    ) rethrows -> PayloadContents.ObjectList {
        let seed = MappingSignature.of(mapper.mapping.schema, root, options)
        return PayloadContents.ObjectList(root: root, payload: try payload(seed), isPartial: isPartial)
    }

    /// Returns the parts of the pages that contain the list of a root.
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

    /// Returns the elements of a list of deletions.
    private func deletions(
        of root: SyncRoot, _ parts: [(page: Int, part: PayloadPages.Part)], _ pages: PayloadPages
    ) throws -> PayloadContents.DeletionList {
        var found: [(value: Value, place: Place)] = []
        for (page, part) in parts {
            let places = pages.places(part, in: page)
            let list = root.path.isEmpty ? try pages.value(page) : try pages.value(part, in: page)
            if list.isNull { continue }
            guard case .array(let elements) = list else {
                try mapper.reports.add(
                    .wrongShape, at: places.base, expected: "an array of keys, or null", found: list.finding)
                continue
            }
            for (index, element) in elements.enumerated() {
                let value = places.inner.isEmpty ? element : element.inner(at: places.inner)
                found.append((value, places.place(of: index, nil, isOneObject: false)))
            }
        }
        return PayloadContents.DeletionList(root: root, elements: found)
    }
}

extension PayloadReader {
    /// Returns the lists of JSON:API documents, which are the pages of one list.
    private func readDocuments(_ pages: PayloadPages, _ roots: [SyncRoot]) throws -> PayloadContents {
        let lists = roots.filter { !$0.isDeletions }
        guard lists.count == 1, let root = lists.first, root.path.isEmpty else {
            throw SyncError(
                .noObjects,
                "a document of JSON:API has one root without a path, besides deletions: its resources are in 'data'. "
                    + "Nothing has changed")
        }
        layout = PayloadLayout(paths: ["data", "included"], isPaged: pages.arePages)
        var contents = PayloadContents()
        var resources = ResourceReader(mapper, try mapper.mapping.map(of: root.entity))
        var isPartial = root.isPartial
        for page in 0..<pages.count {
            try cancellation.check()
            let document = try pages.value(page)
            try resources.read(document, at: pages.arePages ? Place.root.element(page) : .root)
            for deletions in roots where deletions.isDeletions {
                let part = PayloadPages.Part.value(document.located(at: PayloadPath(deletions.path)))
                if part.failure == nil {
                    contents.deletions.append(try self.deletions(of: deletions, [(page, part)], pages))
                }
            }
            if page == pages.count - 1 {
                let more = document.located(at: PayloadPath(root.morePath ?? "links.next")).content
                if more?.saysMore ?? false { isPartial = true }
            }
        }
        contents.lists.append(
            list(of: root, isPartial: isPartial) {
                PayloadOfValues(
                    resources.primary, isOneObject: resources.hasOneResource, mayLackElements: resources.isPartial,
                    seed: $0)
            })
        for (entity, others) in resources.others.sorted(by: { $0.key < $1.key }) {
            contents.lists.append(
                list(of: SyncRoot(entity, operations: root.operations), isPartial: true) {
                    PayloadOfValues(others, isOneObject: false, seed: $0)
                })
        }
        return contents
    }

    /// Returns the one resource of a document, with the included ones.
    func document(_ json: Value, of map: EntityMap) throws -> SingleObject {
        func failure(_ expected: String, found: String) -> SyncError {
            SyncError(
                .noObjects,
                "this is no document of JSON:API with one resource: expected \(expected), found \(found). Nothing has changed"
            )
        }
        guard case .object(let members) = json else { throw failure("an object with 'data'", found: json.finding) }
        guard let data = members["data"], members["errors"] == nil else {
            throw failure("'data'", found: members["errors"] == nil ? members.listedNames : "'errors'")
        }
        guard data.isObject else { throw failure("a resource in 'data'", found: data.finding) }
        layout = PayloadLayout(paths: ["data", "included"])
        let root = try mapper.mapping.map(of: map.shape.root)
        var resources = ResourceReader(mapper, root)
        try resources.read(["data": data], at: .root)
        guard let (value, place) = resources.primary.first, case .object(let object) = value else {
            let found = resources.others.keys.first.map { "one of '\($0)'" } ?? "another"
            throw failure("a resource of '\(map.shape.name)' in 'data'", found: found)
        }
        var document = SingleObject(object: object, place: place)
        guard let included = members["included"], !included.isNull else { return document }
        var others = ResourceReader(mapper, root)
        try others.read(["data": .null, "included": included], at: .root)
        for (entity, resources) in others.others.sorted(by: { $0.key < $1.key }) {
            let map = try mapper.mapping.map(of: entity)
            document.included += resources.map { ($0.value, $0.place, map) }
        }
        return document
    }
}
