public import DifferentialSync

/// The settings of a durable cycle.
struct CycleSettings<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The conversion between elements and records.
    let coding: RecordCoding<Element, Key>
    /// What the names of the cycle's pushes begin with.
    let pushID: String
    /// The account that the remote belongs to.
    let account: String
    /// What happens to the local elements if the account is another one than before.
    let onAccountChange: AccountChange
    /// After how many rounds of pulling and pushing the cycle gives up.
    let maximumRounds: Int
    /// The greatest number and size of the elements in one push.
    let limit: PushLimit<Record>
    /// Resolves conflicts between local and remote changes.
    let policy: ConflictPolicy<Element>

    /// Returns a state machine that has not begun.
    func cycle() -> SyncCycle<Record, Value> {
        SyncCycle(
            pushID: pushID, account: account, onAccountChange: onAccountChange, maximumRounds: maximumRounds,
            limit: limit, policy: coding.policy(policy))
    }
}

extension RecordCoding where Element: Equatable {
    /// Returns a policy for records that calls a policy for elements.
    ///
    /// A conflict stays open if a side cannot be read as an element. If one side differs from the base only in values
    /// that the type does not read, there is no conflict.
    package func policy(_ policy: ConflictPolicy<Element>) -> ConflictPolicy<Record> {
        ConflictPolicy { conflict in
            guard let elements = try? elements(conflict) else { return .open }
            if try isSame(elements.remote, as: conflict.base) || isSame(elements.local, as: conflict.remote) {
                return try resolution(.local, elements, conflict)
            }
            if try isSame(elements.local, as: conflict.base) { return .remote }
            return try resolution(policy.resolve(elements), elements, conflict)
        }
    }

    /// Returns the resolution for records that corresponds to one for their elements.
    func resolution(
        _ resolution: Resolution<Element>, _ elements: Conflict<Element>, _ conflict: Conflict<Record>
    ) throws -> Resolution<Record> {
        func merged(_ element: Element) throws -> Resolution<Record> {
            guard let stored = conflict.remote ?? conflict.local ?? conflict.base else { return .open }
            return .merged(try record(of: element, over: stored, shape: stored.shape))
        }
        func version(_ element: Element) throws -> Resolution<Record> {
            guard let stored = conflict.remote ?? conflict.local ?? conflict.base else { return .open }
            // The links of a version are the present ones.
            return .merged(try form(of: element, over: stored, shape: stored.shape).record)
        }
        switch resolution {
        case .local: return try elements.local.map(version) ?? .local
        case .base: return try elements.base.map(version) ?? .base
        case .merged(let element): return try merged(element)
        case .remote: return .remote
        case .delete: return .delete
        case .open: return .open
        }
    }

    /// Whether storing an element would leave its record unchanged, or neither exists.
    func isSame(_ element: Element?, as stored: Record?) throws -> Bool {
        guard let element, let stored else { return element == nil && stored == nil }
        return try form(of: element, over: stored, shape: stored.shape).record == stored
    }
}

extension PushLimit<Record> {
    /// Limits a push to a number of changes and an approximate number of bytes of their old and new records.
    ///
    /// - Parameters:
    ///   - count: The maximum number of changes in a push. At least 1.
    ///   - bytes: The approximate maximum number of bytes of a push's values.
    public static func records(count: Int = 5_000, bytes: Int = 8_000_000) -> PushLimit {
        PushLimit(count: count, weight: bytes) { $0.values.reduce(0) { $0 + $1.size } }
    }
}

extension Value {
    /// The approximate number of bytes of its content.
    fileprivate var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .array(let elements): elements.reduce(8) { $0 + $1.size }
        case .object(let object): object.sorted.reduce(8) { $0 + $1.name.utf8.count + $1.value.size }
        default: 8
        }
    }
}
