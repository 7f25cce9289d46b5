import DifferentialSync

/// What a collection knows of the members that its type reads: those that the type read that last agreed with the remote,
/// and those that the present type reads of some elements.
///
/// A type shows its members only while it decodes an element. The elements that show all members that were ever seen are
/// the *specimens*: a few, however many elements there are.
struct MemberSurvey {
    /// What the store remembers, as metadata.
    struct Known: Codable, Equatable {
        /// Whether the elements have all members of their JSON, as documents do.
        var isComplete = false
        /// The members that were read when collection and remote last agreed.
        var members = MemberTree()
        /// The keys of the specimens.
        var specimens: [Value] = []
        /// Whether something that the remote has was not read, so that everything must be pulled.
        var isStale = false
    }

    /// What was known when the survey began; nil if it cannot be told.
    let known: Known?

    /// The members that the present type reads of the elements that were looked at.
    private(set) var members = MemberTree()

    /// The keys of the elements that have shown them.
    private var specimens: [Value] = []

    /// The forms of the elements that were looked at.
    private var forms: Set<Int> = []

    private let reading: MemberReading

    /// The greatest number of specimens.
    private static let limit = 100

    /// A survey that begins with the specimens.
    ///
    /// - Parameters:
    ///   - reading: What an element shows.
    ///   - text: What the store remembers; nil for nothing.
    ///   - entity: The entity of the elements.
    ///   - transaction: Where to read the specimens.
    /// - Complexity: O(number of specimens)
    init(_ reading: MemberReading, _ text: String?, of entity: String, in transaction: ReadTransaction) throws {
        self.reading = reading
        // An empty text stands for a collection without elements.
        known = text.flatMap { text in
            text.isEmpty ? Known(isComplete: reading.isComplete) : try? jsonValue(Known.self, from: text)
        }
        if case .attributes = reading {
            members.isObject = true
            let heirs = transaction.schema.shapes.filter { $0.inherits(entity) }
            for shape in try [transaction.shape(entity)] + heirs {
                for slot in shape.slots where !slot.isInternal {
                    let kinds = slot.columnTypes.map(\.rawValue) + (slot.isOptional ? ["?"] : [])
                    members.parts[.member(shape.memberName(of: slot, in: entity))] = MemberTree(kinds: Set(kinds))
                }
            }
        }
        guard case .content = reading else { return }
        for key in known?.specimens ?? [] {
            if let record = try transaction.record(RecordID(entity, key)) { look(at: record) }
        }
        if specimens.isEmpty {
            try transaction.forEach(Query(entity, limit: 20)) { record in
                look(at: record)
                return true
            }
        }
    }

    /// Takes in what the type reads of an element.
    ///
    /// - Complexity: O(size of the element)
    mutating func look(at record: Record) {
        guard case .content(let read) = reading, case .string(let text) = record["content"],
            let value = try? Value(json: text, options: .exact), forms.insert(value.formHash).inserted
        else { return }
        let union = members.union(read(value))
        if union == members { return }
        members = union
        if specimens.count < MemberSurvey.limit { specimens.append(record.key) }
    }

    /// Whether the type reads more than the one that last agreed, or whether that one is not known.
    var isUpdated: Bool {
        guard let known else { return true }
        return known.isStale || known.isComplete != reading.isComplete || members.readsMore(than: known.members)
    }

    /// Whether the type reads members in another way than the one that last agreed, or whether no element shows that.
    var isChanged: Bool {
        guard let known, known.members.hasKinds, members.hasKinds else { return true }
        return members.readsOtherwise(than: known.members)
    }

    /// What to remember once collection and remote agree.
    ///
    /// - Parameter hasEverything: Whether everything was pulled by the present type.
    func agreed(hasEverything: Bool) throws -> String {
        let agreed = Known(
            isComplete: reading.isComplete, members: (known?.members ?? MemberTree()).updated(by: members),
            specimens: specimens, isStale: isUpdated && !hasEverything)
        return agreed == Known(isComplete: reading.isComplete) ? "" : try jsonText(of: agreed)
    }
}

/// What the elements of a collection show of the members that their type reads.
enum MemberReading: Sendable {
    /// All members are kept, whatever the type reads.
    case everything
    /// The attributes of the records are the members.
    case attributes
    /// The members of the JSON that a decoder asks for.
    case content(@Sendable (Value) -> MemberTree)

    /// Whether elements have all members of their JSON.
    var isComplete: Bool { if case .everything = self { true } else { false } }
}

extension Shape {
    /// The name of a slot among the members of an entity's elements: that of the slot, unless an heir of the entity declares
    /// it.
    func memberName(of slot: Slot, _ name: String? = nil, in entity: String) -> String {
        let name = name ?? slot.name
        let heirs = lineage.prefix { $0 != entity }
        return heirs.contains(slot.declaredBy) ? "\(slot.declaredBy).\(name)" : name
    }
}

extension Value {
    /// A hash of the names in it, which is the same for values that differ in their content alone.
    ///
    /// - Complexity: O(*n*)
    fileprivate var formHash: Int {
        var hasher = Hasher()
        switch self {
        case .null: hasher.combine(0)
        case .array(let elements):
            hasher.combine(1)
            hasher.combine(Set(elements.map(\.formHash)))
        case .object(let object):
            hasher.combine(2)
            for member in object.sorted {
                hasher.combine(Value.string(member.name))
                hasher.combine(member.value.formHash)
            }
        default: hasher.combine(3)
        }
        return hasher.finalize()
    }
}
