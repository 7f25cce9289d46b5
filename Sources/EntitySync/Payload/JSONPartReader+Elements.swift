import SyncPersistence

extension JSONPartReader {
    /// Parses an element.
    ///
    /// - Parameters:
    ///   - bytes: A part of the payload that contains the element.
    ///   - base: The offset of the part within the payload.
    /// - Throws: `JSONError` with a position within the bytes.
    mutating func value(
        of element: PayloadElement, in bytes: UnsafeRawBufferPointer, from base: Int = 0
    ) throws(JSONError) -> Value {
        if element.length == 0 { return .null }
        let (value, end) = try read(bytes, at: element.offset - base)
        if end + base != element.offset + element.length {
            throw .brokenList(in: bytes, at: end, expectsValue: false)
        }
        return value
    }
}
