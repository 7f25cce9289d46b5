import SyncPersistence

extension ValueDecoder {
    /// A decoder that also decodes bytes as their exported form.
    static var ofExports: ValueDecoder {
        var decoder = ValueDecoder()
        decoder.contentOfBytes = { bytes in
            if case .bytes(let content) = bytes { BytesContent.remoteValue(of: content) } else { bytes }
        }
        return decoder
    }
}
