public import SyncPersistence

extension Record {
    /// Returns the value of the remote that an attribute of the type `bytes` stores, such as an array.
    ///
    /// Other attributes return their value.
    ///
    /// ```swift
    /// try await store.sync(#"[{"id": 7, "hobbies": ["chess", "go"]}]"#, into: "User")
    /// let user = try await store.fetch("User", 7)
    /// user?.mappedValue("hobbies")  // ["chess", "go"]
    /// ```
    ///
    /// Bytes that are not a remote's value, such as those of a picture, become their base64 text, as in an export. For
    /// an unknown name the result is null.
    ///
    /// - Parameter attribute: The name of the attribute.
    /// - Complexity: O(*n*) for *n* bytes
    public func mappedValue(_ attribute: String) -> Value {
        if case .bytes(let bytes) = self[attribute] { return BytesContent.remoteValue(of: bytes) }
        return self[attribute]
    }

    /// Decodes the remote's value of an attribute: an array or object stored as `bytes` or `json`, or a single value.
    ///
    /// ```swift
    /// let hobbies = try user.decode([String].self, from: "hobbies")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type, such as `[String].self`; an optional type if the attribute may be null.
    ///   - attribute: The name of the attribute.
    /// - Throws: `DecodingError` if the value does not match the type.
    /// - Complexity: O(*n*) for a value of size *n*
    public func decode<Content: Decodable>(_ type: Content.Type, from attribute: String) throws -> Content {
        try ValueDecoder.ofExports.decode(type, from: self[attribute])
    }
}
