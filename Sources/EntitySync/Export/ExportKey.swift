import SyncPersistence

/// A key of exported objects, ready to be written.
final class ExportKey: Sendable {
    let name: String
    /// The key in quotes and what separates it from its value, in UTF-8.
    let bytes: [UInt8]

    init(_ name: String, _ format: JSONFormat) {
        self.name = name
        var writer = JSONWriter(format: format)
        writer.write(name)
        writer.colon()
        bytes = writer.bytes
    }
}

/// Where something stands in an exported object: a key, or several that lead through objects within.
struct ExportPath {
    let keys: [String]

    /// The path of a remote key: its parts between dots, unless one is empty.
    init(remoteKey: String) {
        let parts = remoteKey.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        keys = parts.contains("") ? [remoteKey] : parts
    }

    init(key: String) { keys = [key] }

    /// The path of the array through which a path leads.
    init(listOf path: PayloadPath) { keys = Array(path.steps[..<(path.listDepth ?? path.steps.count)]) }

    private init(keys: [String]) { self.keys = keys }

    /// The path with an end added to its last key.
    func appending(_ end: String) -> ExportPath {
        ExportPath(keys: keys.dropLast() + [(keys.last ?? "") + end])
    }

    /// As it stands in messages.
    var text: String { keys.joined(separator: ".") }
}

extension Relationship {
    /// Where its records stand, if the remote key leads through an array.
    var listPath: PayloadPath? {
        guard isToMany, let remoteKey else { return nil }
        let path = PayloadPath(remoteKey)
        return path.listDepth == nil ? nil : path
    }
}
