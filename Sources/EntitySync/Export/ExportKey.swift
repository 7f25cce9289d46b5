import SyncPersistence

/// A key of exported objects, encoded once.
final class ExportKey: Sendable {
    let name: String
    /// The key in quotes and the colon, in UTF-8.
    let bytes: [UInt8]

    init(_ name: String, _ format: JSONFormat) {
        self.name = name
        var writer = JSONWriter(format: format)
        writer.write(name)
        writer.colon()
        bytes = writer.bytes
    }
}

/// The place of a property in an exported object: a key, or several keys that lead through nested objects.
struct ExportPath {
    let keys: [String]

    /// The path of a remote key: its parts between dots, unless one is empty.
    init(remoteKey: String) {
        let parts = remoteKey.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        keys = parts.contains("") ? [remoteKey] : parts
    }

    init(key: String) { keys = [key] }

    /// The path of the array that a path leads through.
    init(listOf path: PayloadPath) { keys = Array(path.steps[..<(path.listDepth ?? path.steps.count)]) }

    private init(keys: [String]) { self.keys = keys }

    /// Returns the path with a suffix on its last key.
    func appending(_ end: String) -> ExportPath {
        ExportPath(keys: keys.dropLast() + [(keys.last ?? "") + end])
    }

    /// The path in error messages.
    var text: String { keys.joined(separator: ".") }
}

extension Relationship {
    /// The path of its records if the remote key leads through an array.
    var listPath: PayloadPath? {
        guard isToMany, let remoteKey else { return nil }
        let path = PayloadPath(remoteKey)
        return path.listDepth == nil ? nil : path
    }
}
