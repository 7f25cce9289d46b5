// Classes cannot be elements. These initializers are preferred for them, so the compiler says so where it knows the type;
// where it does not, the collection traps.

extension JournaledCollection where Element: AnyObject {
    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(
        _ elements: some Collection<Element>, version: RemoteVersion? = nil,
        primaryKey: @escaping @Sendable (Element) -> Key
    ) throws(KeyError) {
        self.init(keyOf: primaryKey)
    }

    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(
        restoring stored: StoredCollection<Element>, primaryKey: @escaping @Sendable (Element) -> Key
    ) throws(KeyError) {
        self.init(keyOf: primaryKey)
    }
}

extension JournaledCollection
where Element: AnyObject & Identifiable & SendableMetatype, Key == Element.ID, Key: SendableMetatype {
    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(_ elements: some Collection<Element>, version: RemoteVersion? = nil) throws(KeyError) {
        self.init(keyOf: { $0.id })
    }

    /// Traps: the old and the new value of a class element are one object, so no edit could be found.
    @available(*, deprecated, message: "the elements of a journaled collection are values: use a structure")
    public init(restoring stored: StoredCollection<Element>) throws(KeyError) {
        self.init(keyOf: { $0.id })
    }
}
