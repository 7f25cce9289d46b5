public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of a store's coordinator, as the store keeps it.
public struct RecordedEvent: Hashable, Sendable {
    /// When it has happened, to the second.
    public let date: Date

    /// The event in words, without values, keys and texts of the remote.
    public let text: String
}

extension ReadTransaction {
    /// The last events of the store's coordinators, the latest one last.
    ///
    /// A ``SyncCoordinator`` keeps 20 of them for tools such as `inspect`. The beginnings of cycles are left out, and the ends of
    /// those that had nothing to do. Equal events in succession are kept as one, with the last date.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    public var recordedEvents: [RecordedEvent] {
        get throws {
            guard let text = try metadata(RecordedEvent.name) else { return [] }
            guard case .array(let rows)? = try? Value(json: text) else { return [] }
            return rows.compactMap(RecordedEvent.init)
        }
    }
}

extension WriteTransaction {
    /// Adds events, and removes the earliest ones above the limit.
    ///
    /// It is no change of the store: observers receive no commit of it.
    func record(_ events: [RecordedEvent]) throws {
        let kept = events.reduce(into: try recordedEvents) { $0.add($1) }
        try setUncountedMetadata(try Value.array(kept.map(\.row)).json, for: RecordedEvent.name)
    }
}

/// The events of a coordinator that its store does not have yet, several of which are stored together.
struct EventRecorder {
    /// The events that are not stored yet.
    private var events: [RecordedEvent] = []

    /// Whether events are being stored.
    private(set) var isStoring = false

    /// Adds an event, unless it is of no use for tools.
    mutating func add(_ event: SyncEvent, at date: Date) {
        if !event.isNotable { return }
        events.add(RecordedEvent(date: date, text: event.recordedText))
    }

    /// Begins to store events; returns them, or nil if there are none or if others are being stored.
    mutating func begin() -> [RecordedEvent]? {
        if isStoring || events.isEmpty { return nil }
        defer { (events, isStoring) = ([], true) }
        return events
    }

    /// Ends what ``begin()`` has begun.
    ///
    /// If the store has failed, the events wait for the next one.
    mutating func end(_ events: [RecordedEvent], isStored: Bool) {
        isStoring = false
        if !isStored { self.events = self.events.reduce(into: events) { $0.add($1) } }
    }
}

extension [RecordedEvent] {
    /// Adds an event at the end, in place of an equal one, and removes the earliest one above the limit.
    fileprivate mutating func add(_ event: RecordedEvent) {
        if last?.text == event.text { removeLast() }
        append(event)
        if count > RecordedEvent.limit { removeFirst() }
    }
}

extension RecordedEvent {
    /// How many events a store keeps.
    fileprivate static let limit = 20

    /// The name of the metadata that keeps the events.
    fileprivate static let name = "sync.coordination.events"

    /// Reads an event that a store has kept; nil for another value.
    fileprivate init?(_ row: Value) {
        guard case .array(let parts) = row, parts.count == 2, case .integer(let seconds) = parts[0],
            case .string(let text) = parts[1]
        else { return nil }
        self.init(date: Date(timeIntervalSince1970: Double(seconds)), text: text)
    }

    /// The event as a store keeps it.
    fileprivate var row: Value {
        .array([.integer(Int64(date.timeIntervalSince1970.rounded(.down))), .string(text)])
    }
}

extension SyncEvent {
    /// The event in words, equal for failures that differ in the delay alone.
    fileprivate var recordedText: String {
        guard case .failed(let processor, let reason, _?) = self else { return description }
        return (processor ?? "cycle") + ": \(reason.name), to be tried again"
    }

    /// Whether a store keeps the event for tools.
    fileprivate var isNotable: Bool {
        switch self {
        case .cycleBegan: false
        case .cycleEnded(let outcome):
            // A failure is an event of its own.
            outcome.pulledCount + outcome.pushedCount > 0 || !outcome.refused.isEmpty || !outcome.conflicts.isEmpty
        case .processed(_, let count): count > 0
        default: true
        }
    }
}
