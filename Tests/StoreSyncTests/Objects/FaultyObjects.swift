import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence

/// Objects whose operations fail with a probability, before or after they were carried out.
struct FaultyObjects: ObjectStore {
    /// The error of a failed operation.
    struct Failure: Error {}

    private let objects: any ObjectStore
    private let probability: Double
    private let generator: Locked<SeededGenerator>

    init(_ objects: any ObjectStore, seed: UInt64, probability: Double) {
        self.objects = objects
        self.probability = probability
        generator = Locked(SeededGenerator(seed: seed))
    }

    private func check() throws {
        let fails = generator.withLock { $0.happens(probability) }
        if fails { throw Failure() }
    }

    func read(_ name: String) async throws -> StoredObject? {
        try check()
        return try await objects.read(name)
    }

    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try check()
        let new = try await objects.write(name, bytes, ifTag: tag)
        try check()
        return new
    }

    func list(prefix: String) async throws -> [String] {
        try check()
        return try await objects.list(prefix: prefix)
    }

    func delete(_ name: String) async throws {
        try check()
        try await objects.delete(name)
    }
}

/// Objects that call a function before each write.
struct WatchedObjects: ObjectStore {
    let objects: any ObjectStore
    let willWrite: @Sendable (String) async throws -> Void

    func read(_ name: String) async throws -> StoredObject? { try await objects.read(name) }

    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try await willWrite(name)
        return try await objects.write(name, bytes, ifTag: tag)
    }

    func list(prefix: String) async throws -> [String] { try await objects.list(prefix: prefix) }

    func delete(_ name: String) async throws { try await objects.delete(name) }
}

/// Objects that call a function before each read.
struct CountedObjects: ObjectStore {
    let objects: any ObjectStore
    let willRead: @Sendable (String) -> Void

    func read(_ name: String) async throws -> StoredObject? {
        willRead(name)
        return try await objects.read(name)
    }

    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try await objects.write(name, bytes, ifTag: tag)
    }

    func list(prefix: String) async throws -> [String] { try await objects.list(prefix: prefix) }

    func delete(_ name: String) async throws { try await objects.delete(name) }
}
