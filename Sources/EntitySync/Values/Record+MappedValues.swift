public import SyncPersistence

extension Record {
    /// Returns the value that a remote gave an attribute of the type `bytes`, such as an array; that of another attribute as
    /// it is.
    ///
    /// ```swift
    /// try await store.sync(#"[{"id": 7, "hobbies": ["chess", "go"]}]"#, into: "User")
    /// let user = try await store.fetch("User", 7)
    /// user?.mappedValue("hobbies")  // ["chess", "go"]
    /// ```
    ///
    /// Bytes that no remote's value was kept as, such as those of a picture, are their base64 text, as in an export. Under a
    /// name that the record has no attribute for, there is null.
    ///
    /// - Parameter attribute: The name of the attribute.
    /// - Complexity: O(*n*) for *n* bytes
    public func mappedValue(_ attribute: String) -> Value {
        if case .bytes(let bytes) = self[attribute] { return BytesContent.remoteValue(of: bytes) }
        return self[attribute]
    }

    /// Decodes what a remote gave an attribute: an array or object that the attribute keeps as `bytes` or `json`, or a single
    /// value.
    ///
    /// ```swift
    /// let hobbies = try user.decode([String].self, from: "hobbies")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type, such as `[String].self`; one that is optional where the attribute may be null.
    ///   - attribute: The name of the attribute.
    /// - Throws: `DecodingError` if the value is another than the type asks for.
    /// - Complexity: O(*n*) for a value of size *n*
    public func decode<Content: Decodable>(_ type: Content.Type, from attribute: String) throws -> Content {
        try ValueDecoder.ofExports.decode(type, from: self[attribute])
    }
}
