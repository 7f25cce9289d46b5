import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// About how many bytes the value takes as JSON.
    ///
    /// The value is not nested deeper than an attribute's type admits.
    var messageSize: Int {
        switch self {
        case .null, .bool: 4
        case .integer, .double: 10
        case .string(let text): text.utf8.count + 2
        case .bytes(let bytes): bytes.count * 4 / 3 + 12
        case .array(let elements): elements.reduce(2) { $0 + $1.messageSize + 1 }
        case .object(let object):
            zip(object.names, object.values).reduce(2) { $0 + $1.0.utf8.count + $1.1.messageSize + 4 }
        case .url(let url): url.absoluteString.utf8.count + 12
        case .decimal, .date, .uuid: 48
        }
    }
}

extension ValueObject {
    /// About how many bytes the names and values take as JSON.
    var messageSize: Int { zip(names, values).reduce(0) { $0 + $1.0.utf8.count + $1.1.messageSize } }
}

extension PullResponse.Entry {
    /// About how many bytes the key and the values take as JSON.
    var messageSize: Int {
        guard case .present(let values) = state else { return id.key.messageSize }
        return id.key.messageSize + values.messageSize
    }
}

extension Mutation {
    /// About how many bytes the key and the values take as JSON.
    ///
    /// A device plans its pushes by it, and a service checks them by it.
    package var messageSize: Int {
        switch change {
        case .insert(let values), .update(let values): id.key.messageSize + values.messageSize
        case .delete: id.key.messageSize
        }
    }
}

extension SyncLimits {
    /// Whether a service with the limits accepts a push of changes, as far as their sizes are concerned.
    func admit(_ mutations: [Mutation]) -> Bool {
        let sizes = mutations.map(\.messageSize)
        return sizes.count <= pushRecords && sizes.allSatisfy { $0 <= bytes }
            && (sizes.count == 1 || sizes.reduce(0, +) <= pushBytes)
    }
}
