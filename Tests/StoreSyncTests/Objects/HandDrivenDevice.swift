import StoreSync
import SyncPersistence

/// A device without a store, whose messages a test sends by hand.
struct HandDrivenDevice {
    let name: String
    let remote: ObjectRemote
    var cursor = SyncCursor(epoch: "", sequence: 0)
    var number: Int64 = 0
    /// What the device knows of the remote's records.
    var records: [RecordID: ValueObject] = [:]

    init(_ name: String, _ remote: ObjectRemote) {
        self.name = name
        self.remote = remote
    }

    /// Sends a handshake, and takes the epoch and the number of the last push from the response.
    @discardableResult
    mutating func greet() async throws -> HandshakeResponse {
        let response = try await remote.handshake(
            HandshakeRequest(
                device: name, cursor: cursor.epoch.isEmpty ? nil : cursor,
                lastPush: number > 0 ? PushName(number: number, name: "\(name)-\(number)") : nil, entities: [:]))
        if response.epoch != cursor.epoch { cursor = SyncCursor(epoch: response.epoch, sequence: 0) }
        number = response.lastPush?.name.number ?? 0
        return response
    }

    /// Pulls all pages; returns the records of the entries in their order.
    @discardableResult
    mutating func pull(limit: Int? = nil, comparison: Int64? = nil) async throws -> [RecordID] {
        var ids: [RecordID] = []
        while true {
            let page = try await remote.pull(
                PullRequest(device: name, cursor: cursor, limit: limit, comparison: comparison))
            for entry in page.entries {
                ids.append(entry.id)
                if case .present(let values) = entry.state {
                    records[entry.id] = values
                } else {
                    records[entry.id] = nil
                }
            }
            cursor = page.cursor
            if !page.hasMore { return ids }
        }
    }

    /// The device's next push.
    func request(_ mutations: [Mutation]) -> PushRequest {
        PushRequest(
            device: name, name: PushName(number: number + 1, name: "\(name)-\(number + 1)"), base: cursor,
            mutations: mutations)
    }

    /// Sends the next push; returns the outcomes.
    @discardableResult
    mutating func push(_ mutations: Mutation...) async throws -> [PushResponse.Outcome] { try await push(mutations) }

    @discardableResult
    mutating func push(_ mutations: [Mutation]) async throws -> [PushResponse.Outcome] {
        let request = request(mutations)
        let response = try await remote.push(request)
        number += 1
        for (mutation, outcome) in zip(mutations, response.outcomes) where outcome == .accepted() {
            records[mutation.id] = mutation.applied(to: records[mutation.id])
        }
        return response.outcomes
    }
}

extension Mutation {
    /// Returns the values of a record after the mutation; nil if it is deleted.
    func applied(to values: ValueObject?) -> ValueObject? {
        switch change {
        case .insert(let new): return new
        case .update(let changed):
            var new = values ?? ValueObject()
            for member in changed.members { new[member.name] = member.value }
            return new
        case .delete: return nil
        }
    }

    static func insert(_ key: Int64, _ text: String) -> Mutation {
        Mutation(note(key), .insert(RandomMessages.object(["text": .string(text), "done": false])))
    }

    static func update(_ key: Int64, _ text: String) -> Mutation {
        Mutation(note(key), .update(RandomMessages.object(["text": .string(text)])))
    }

    static func delete(_ key: Int64) -> Mutation { Mutation(note(key), .delete) }
}

func note(_ key: Int64) -> RecordID { RecordID("Note", .integer(key)) }

extension HandDrivenDevice {
    /// The texts of the notes by key.
    var texts: [Int64: String] {
        var texts: [Int64: String] = [:]
        for (id, values) in records {
            if case .integer(let key) = id.key, case .string(let text)? = values["text"] { texts[key] = text }
        }
        return texts
    }
}

extension ObjectRemote {
    /// Returns the stored response to the last push of a device.
    func lastPush(of device: String) async throws -> PushResponse? {
        try await handshake(HandshakeRequest(device: device, cursor: nil, lastPush: nil, entities: [:])).lastPush
    }
}
