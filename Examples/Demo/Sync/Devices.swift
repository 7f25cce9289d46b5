import DifferentialSyncTesting
import RecordFiles

/// A phone, a tablet and their remote, all in memory, and the words for what happens between them.
struct Devices<Element: Equatable, Key: Hashable & Sendable> {
    var phone: JournaledCollection<Element, Key>
    var tablet: JournaledCollection<Element, Key>
    var remote: SimulatedRemote<Element, Key>

    private let key: (Element) -> Key
    private let console: Console
    private let changes: ChangeText

    /// What a record is called in a sentence.
    private let title: (Element) -> String
    private var syncCount = 0

    init(
        phone: JournaledCollection<Element, Key>, tablet: JournaledCollection<Element, Key>,
        remote: SimulatedRemote<Element, Key>, key: @escaping (Element) -> Key, console: Console, changes: ChangeText,
        title: @escaping (Element) -> String
    ) {
        self.phone = phone
        self.tablet = tablet
        self.remote = remote
        self.key = key
        self.console = console
        self.changes = changes
        self.title = title
    }
}

/// One of the two devices.
enum Device: String {
    case phone
    case tablet

    var other: Device { self == .phone ? .tablet : .phone }
}

extension Devices {
    subscript(device: Device) -> JournaledCollection<Element, Key> {
        get { device == .phone ? phone : tablet }
        set {
            switch device {
            case .phone: phone = newValue
            case .tablet: tablet = newValue
            }
        }
    }

    /// Shows what a device has changed since it last agreed with the remote.
    func showEdits(of device: Device) {
        let edits = self[device].localDiff
        console.line("   \(device) offline: \(edits?.counts ?? ChangeCounts())")
        console.diff(changes.lines(of: edits, key: key), indentation: "     ")
    }

    /// Synchronizes a device, and shows each message and what came of it.
    mutating func sync(_ device: Device, policy: ConflictPolicy<Element>) throws {
        syncCount += 1
        let pushID = "push \(syncCount) of the \(device)"
        var client = self[device]
        let answers = Answers<Element>()
        let outcome = try remote.synchronize(
            &client, pushID: pushID, policy: answers.recording(policy))
        self[device] = client
        let route =
            padded("   \(device) ⇄ remote", 20)
            + padded(outcome.trace.events.map(\.description).joined(separator: ", "), 38)
        guard outcome.isSynced else {
            console.line("\(route) the cycle has not ended", .red)
            return
        }
        console.line("\(route) \(outcome.trace.summary)")
        for (conflict, resolution) in answers.all { show(conflict, resolution, on: device) }
    }

    /// Whether all three hold the same records, and the line that says so.
    func check(_ noun: String) -> Bool {
        let (ours, theirs, all) = (keyed(phone), keyed(tablet), keyed(remote.elements))
        if ours == theirs && ours == all {
            console.line("✓ phone, tablet and remote agree: \(all.count) \(noun)", .green)
            return true
        }
        console.line(
            "✗ phone, tablet and remote do not agree: they have \(ours.count), \(theirs.count) and \(all.count) \(noun)",
            .red)
        for (device, records) in [(Device.phone, ours), (.tablet, theirs)] where records != all {
            let keys = Set(records.keys).union(all.keys).filter { records[$0] != all[$0] }
            let lines = keys.compactMap { changes.line(from: all[$0], to: records[$0], key: key) }.sorted()
            console.line("   from the remote to the \(device):")
            console.diff(lines.prefix(changes.lines), indentation: "     ")
        }
        return false
    }
}

extension Devices {
    private func keyed(_ elements: some Collection<Element>) -> [Key: Element] {
        Dictionary(elements.map { (key($0), $0) }) { first, _ in first }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func show(_ conflict: Conflict<Element>, _ resolution: Resolution<Element>, on device: Device) {
        let (local, remote) = ("the \(device)", "the \(device.other)")
        let name = (conflict.base ?? conflict.local ?? conflict.remote).map(title) ?? "a record"
        let text = "\(name): \(conflict.kind.text(local: local, remote: remote)); "
        console.line("     ! " + text + resolution.text(local: local, remote: remote), .yellow)
        let result: Element?
        switch resolution {
        case .local: result = conflict.local
        case .remote: result = conflict.remote
        case .base: result = conflict.base
        case .delete: result = nil
        case .merged(let element): result = element
        case .open: return
        }
        if let line = changes.line(from: conflict.base, to: result, key: key) {
            console.diff([line], indentation: "       ")
        }
    }
}

/// The conflicts that were put to a policy, with its answers, in their order.
// because: a tour runs on one thread.
private final class Answers<Element>: @unchecked Sendable {
    private(set) var all: [(Conflict<Element>, Resolution<Element>)] = []

    /// A policy that answers as the given one, and whose answers are recorded.
    func recording(_ policy: ConflictPolicy<Element>) -> ConflictPolicy<Element> {
        ConflictPolicy { conflict in
            let resolution = try policy.resolve(conflict)
            self.all.append((conflict, resolution))
            return resolution
        }
    }
}
