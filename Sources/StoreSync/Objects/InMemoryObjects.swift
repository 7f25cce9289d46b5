import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Objects in memory, for tests and previews.
public final class InMemoryObjects: ObjectStore {
    private struct State {
        var objects: [String: StoredObject] = [:]
        var writeCount = 0
    }

    private let state = Locked(State())

    /// Creates a store without objects.
    public init() {}

    /// Returns an object with its tag; nil if there is none.
    public func read(_ name: String) async throws -> StoredObject? { state.current.objects[name] }

    /// Writes an object if its current tag is the given one.
    public func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        state.withLock { state in
            guard state.objects[name]?.tag == tag else { return nil }
            state.writeCount += 1
            let tag = "\(state.writeCount)"
            state.objects[name] = StoredObject(bytes: bytes, tag: tag)
            return tag
        }
    }

    /// Returns the names of the objects that begin with a prefix, sorted.
    public func list(prefix: String) async throws -> [String] {
        state.current.objects.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Deletes an object, if it exists.
    public func delete(_ name: String) async throws { state.withLock { $0.objects[name] = nil } }
}
