// Classes cannot be elements. The compiler prefers these initializers for them, and warns. In generic code, where it
// does not know the type, the collection traps.

extension JournaledCollection where Element: AnyObject {
    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil,
        primaryKey: @escaping @Sendable (Element) -> Key, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        self.init(KeyReader(keyOf: primaryKey))
    }

    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(
        restoring stored: StoredCollection<Element>, primaryKey: @escaping @Sendable (Element) -> Key
    ) throws(KeyError) {
        self.init(KeyReader(keyOf: primaryKey))
    }
}

extension JournaledCollection
where Element: AnyObject & Identifiable & SendableMetatype, Key == Element.ID {
    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil, duplicates: DuplicatePolicy = .refuse
    ) throws(KeyError) {
        self.init(KeyReader(keyOf: { $0.id }))
    }

    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(restoring stored: StoredCollection<Element>) throws(KeyError) {
        self.init(KeyReader(keyOf: { $0.id }))
    }
}
