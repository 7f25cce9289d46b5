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

extension ObjectStore {
    /// Returns these objects, with a call of a function before each read.
    func withReadHook(_ willRead: @escaping @Sendable (String) async throws -> Void) -> HookedObjects {
        HookedObjects(objects: self, willRead: willRead)
    }

    /// Returns these objects, with a call of a function before each write.
    func withWriteHook(_ willWrite: @escaping @Sendable (String) async throws -> Void) -> HookedObjects {
        HookedObjects(objects: self, willWrite: willWrite)
    }
}

/// Objects that call a function before each read, and one before each write.
struct HookedObjects: ObjectStore {
    let objects: any ObjectStore
    var willRead: @Sendable (String) async throws -> Void = { _ in }
    var willWrite: @Sendable (String) async throws -> Void = { _ in }

    func read(_ name: String) async throws -> StoredObject? {
        try await willRead(name)
        return try await objects.read(name)
    }

    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try await willWrite(name)
        return try await objects.write(name, bytes, ifTag: tag)
    }

    func list(prefix: String) async throws -> [String] { try await objects.list(prefix: prefix) }

    func delete(_ name: String) async throws { try await objects.delete(name) }
}
