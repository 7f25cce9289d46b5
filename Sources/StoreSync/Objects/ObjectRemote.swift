import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A remote without a server: devices synchronize over a place where objects are replaced by comparing tags.
///
/// ```swift
/// let remote = ObjectRemote(InMemoryObjects(), account: "ann")
/// try await store.synchronize(with: remote)
/// ```
///
/// The history consists of immutable *segments* with the states of changed records. One small *head* names them. A
/// device that pushes compares its changes with those of others itself, and writes a segment. Then it replaces the
/// head, unless another device has replaced it meanwhile. If one has, it reads what is new and compares again. The head
/// also has the response to the last push of each device, so that a lost answer is repeated. A segment that no head
/// names is never read.
///
/// Once there are many small segments, a push compacts the history. ``compact(forgettingDeletionsThrough:)`` does that
/// at any time, on any device.
///
/// The remote knows no schema. It does not check references: a device stores a record without its target as waiting. A
/// value that a device pushes may equal the key of a record that others have just deleted, or the reverse. Then the
/// device pulls first, because one may refer to the other. It has no scopes either. Its last page has no fingerprint.
/// To keep one in the head, a push would have to read the former state of each record that it inserts or deletes.
///
/// Nor does it know that only one record may have a one-to-one reference. If devices give one to several records at the
/// same time, one of these keeps it in the end. But if the reference must have a value, each device keeps the record that
/// it had first, and lists the others as ``StoreOutcome/waiting``. So make such references optional.
///
/// The segments keep the names of entities and attributes. So do not rename one. A device with the new name reads
/// neither records nor values under the old name. Values of a renamed attribute become null there. Add an attribute or
/// entity instead, and copy the values.
///
/// A segment has all values of a record. An update has only the changed ones, so a push reads the segments that have the
/// others; an index finds them.
public struct ObjectRemote: Remote {
    let objects: any ObjectStore
    let account: String
    let limits: SyncLimits
    let seal: ObjectSeal?
    let maximumSegments: Int
    let makeName: @Sendable () -> String
    let reader: ObjectReader

    /// How often a step is tried again because others were faster.
    static let maximumTries = 100

    /// Creates a remote over objects.
    ///
    /// - Parameters:
    ///   - objects: The place of the objects. All objects whose names begin with `head`, `segment-` and `snapshot-` are
    ///     the remote's.
    ///   - account: The account whose records they are.
    ///   - limits: The largest pages and pushes.
    ///   - seal: An encryption of the objects; nil for plain JSON.
    ///   - maximumSegments: After how many small segments a push compacts the history.
    ///   - makeName: Returns another name with each call, such as a UUID.
    public init(
        _ objects: any ObjectStore, account: String, limits: SyncLimits = SyncLimits(), seal: ObjectSeal? = nil,
        maximumSegments: Int = 64, makeName: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        self.objects = objects
        self.account = account
        self.limits = SyncLimits(
            pageRecords: min(max(limits.pageRecords, 1), StoreProtocol.maximumRecords),
            pushRecords: min(max(limits.pushRecords, 1), StoreProtocol.maximumRecords), bytes: max(limits.bytes, 1),
            pushBytes: max(limits.pushBytes, 1))
        self.seal = seal
        self.maximumSegments = max(maximumSegments, 1)
        self.makeName = makeName
        reader = ObjectReader(objects, seal)
    }

    /// Introduces a device, and begins a history if there is none.
    ///
    /// A device that is ahead of the history shows that the objects were restored from a copy. Then the history gets
    /// another epoch, so that all devices compare everything.
    ///
    /// - Throws: ``RemoteError``; the errors of the object store.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        guard request.versions.contains(StoreProtocol.version) else {
            throw RemoteError.incompatible("the remote speaks version \(StoreProtocol.version) of the protocol only")
        }
        guard request.scope == nil else { throw RemoteError.unauthorized }
        for _ in 0..<Self.maximumTries {
            let known = try await reader.head()
            var head = known?.head ?? ObjectHead(epoch: makeName())
            if known != nil {
                guard head.isBehind(request) else { return response(head, to: request) }
                head.epoch = makeName()
            }
            if try await replace(known?.tag, with: head) != nil { return response(head, to: request) }
        }
        throw RemoteError.later()
    }

    private func response(_ head: ObjectHead, to request: HandshakeRequest) -> HandshakeResponse {
        HandshakeResponse(
            account: account, epoch: head.epoch, limits: limits, sequence: head.sequence, horizon: head.horizon,
            lastPush: head.responses[request.device])
    }

    /// Returns a page of what others have changed.
    ///
    /// - Throws: ``RemoteError``; the errors of the object store.
    /// - Complexity: O(size of the page + number of the device's own changes in between), and once O(number of changes
    ///   since the last compaction)
    public func pull(_ request: PullRequest) async throws -> PullResponse {
        try await withHead { head, _ in
            try request.cursor.check(epoch: head.epoch, sequence: head.sequence)
            if request.needsDeletions(before: head.horizon) { try request.cursor.check(horizon: head.horizon) }
            return try await page(of: head, for: request)
        }
    }

    /// Returns the page after a position.
    ///
    /// A change is omitted if a later one of the same record follows, or if it is the device's own.
    private func page(of head: ObjectHead, for request: PullRequest) async throws -> PullResponse {
        let limit = min(max(request.limit ?? limits.pageRecords, 1), limits.pageRecords)
        let recent = try await reader.recentChanges(of: head)
        var entries: [PullResponse.Entry] = []
        var size = 0
        var position = request.cursor.sequence
        for extent in head.segments where extent.last > position {
            for change in try await reader.segment(extent).changes where change.sequence > position {
                let last = recent[change.entry.id]?.sequence ?? change.sequence
                let isOwn = request.comparison == nil && change.writer == request.device
                if last == change.sequence && !isOwn {
                    let added = change.entry.messageSize
                    if entries.count == limit || !entries.isEmpty && size + added > limits.bytes {
                        return response(entries, head, upTo: position)
                    }
                    entries.append(change.entry)
                    size += added
                }
                position = change.sequence
            }
        }
        return response(entries, head, upTo: head.sequence)
    }

    private func response(
        _ entries: [PullResponse.Entry], _ head: ObjectHead, upTo position: Int64
    ) -> PullResponse {
        PullResponse(
            entries: entries, cursor: SyncCursor(epoch: head.epoch, sequence: position),
            hasMore: position < head.sequence,
            remaining: head.segments.filter { $0.last > position }.reduce(0) { sum, extent in
                sum + min(extent.count, Int(clamping: extent.last - position))
            })
    }
}

extension ObjectRemote {
    /// Calls a function with the head and its tag, again if a compaction has deleted what the function reads.
    ///
    /// - Throws: ``RemoteError/handshakeNeeded(_:)`` if there is no head; the errors of the function.
    func withHead<Result>(
        _ body: (ObjectHead, String) async throws -> Result
    ) async throws -> Result {
        var missing: (tag: String, name: String)?
        for _ in 0..<Self.maximumTries {
            guard let (head, tag) = try await reader.head() else {
                throw RemoteError.handshakeNeeded("there is no history yet")
            }
            if let missing, missing.tag == tag {
                throw RemoteError.incompatible(
                    "the object '\(missing.name)' is missing: restore it, or delete all objects, and the devices send "
                        + "their records again")
            }
            do {
                return try await body(head, tag)
            } catch let error as MissingObject {
                missing = (tag, error.name)
            }
        }
        throw RemoteError.later()
    }

    /// Writes the next head if the tag of the head is still the given one; nil if it is not.
    func replace(_ tag: String?, with head: ObjectHead) async throws -> String? {
        var head = head
        head.revision += 1
        return try await write(ObjectHead.name, head.data, ifTag: tag)
    }

    /// Writes an object, encrypted if there is an encryption.
    func write(_ name: String, _ bytes: Data, ifTag tag: String?) async throws -> String? {
        try await objects.write(name, seal?.seal(bytes, name) ?? bytes, ifTag: tag)
    }
}

extension ObjectHead {
    /// Whether a device knows more of this history than there is.
    fileprivate func isBehind(_ request: HandshakeRequest) -> Bool {
        guard let cursor = request.cursor, cursor.epoch == epoch else { return false }
        let known = responses[request.device]?.name.number ?? 0
        return cursor.sequence > sequence || (request.lastPush?.number ?? 0) - 1 > known
    }
}
