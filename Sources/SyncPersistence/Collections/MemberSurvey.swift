import DifferentialSync

/// The members that a collection's type reads: those at the last agreement with the remote, and those of the present
/// type.
///
/// A type reveals its members only while it decodes an element. The elements that reveal all members found so far are
/// the *specimens*: a few, however many elements there are.
struct MemberSurvey {
    /// The stored result, as metadata.
    struct Known: Codable, Equatable {
        /// Whether the elements have all members of their JSON, as documents do.
        var isComplete = false
        /// The members that were read when collection and remote last agreed.
        var members = MemberTree()
        /// The keys of the specimens.
        var specimens: [Value] = []
        /// Whether a part of the remote's elements was not read, so that everything must be pulled.
        var isStale = false
    }

    /// The stored result when the survey began; nil if it is missing or cannot be read.
    let known: Known?

    /// The members that the present type reads of the examined elements.
    private(set) var members = MemberTree()

    /// The keys of the elements that have revealed them.
    private var specimens: [Value] = []

    /// The forms of the examined elements.
    private var forms: Set<Int> = []

    /// How an element reveals the members that its type reads.
    private let reading: MemberReading

    /// The maximum number of specimens.
    private static let limit = 100

    /// Creates a survey that begins with the specimens.
    ///
    /// - Parameters:
    ///   - reading: How elements reveal the members that their type reads.
    ///   - text: The stored result; nil for none.
    ///   - entity: The entity of the elements.
    ///   - transaction: The transaction in which the specimens are read.
    /// - Complexity: O(number of specimens)
    init(_ reading: MemberReading, _ text: String?, of entity: String, in transaction: ReadTransaction) throws {
        self.reading = reading
        // The text of a collection without elements is empty.
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
        switch reading {
        case .attributes, .everything: return
        case .content, .columns: break
        }
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

    /// Examines the members that the type reads of an element.
    ///
    /// - Complexity: O(size of the element)
    mutating func look(at record: Record) {
        let read: MemberTree
        switch reading {
        case .attributes, .everything: return
        case .content(let membersRead):
            guard let value = record.jsonContent, forms.insert(value.formHash).inserted else { return }
            read = membersRead(value)
        case .columns(let columnsRead, _):
            let form = record.entity.hashValue
            guard !forms.contains(form), let columns = columnsRead(record) else { return }
            forms.insert(form)
            read = columns
        }
        let union = members.union(read)
        if union == members { return }
        members = union
        if specimens.count < MemberSurvey.limit { specimens.append(record.key) }
    }

    /// Whether the type reads more than at the last agreement, or that is not known.
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
    /// - Parameter hasEverything: Whether the present type has pulled everything.
    func agreed(hasEverything: Bool) throws -> String {
        let agreed = Known(
            isComplete: reading.isComplete, members: (known?.members ?? MemberTree()).updated(by: members),
            specimens: specimens, isStale: isUpdated && !hasEverything)
        return agreed == Known(isComplete: reading.isComplete) ? "" : try jsonText(of: agreed)
    }
}

extension MemberSurvey {
    /// Returns the stored text without members that were dropped; nil if it does not have them.
    static func forgetting(_ names: Set<String>, in text: String) throws -> String? {
        guard !text.isEmpty, var known = try? jsonValue(Known.self, from: text) else { return nil }
        for name in names { known.members.parts[.member(name)] = nil }
        let rest = try jsonText(of: known)
        return rest == text ? nil : rest
    }
}

/// How elements of a collection reveal the members that their type reads.
enum MemberReading: Sendable {
    /// All members are kept, whatever the type reads.
    case everything
    /// The attributes of the records are the members.
    case attributes
    /// The members of the JSON that a decoder reads.
    case content(@Sendable (Value) -> MemberTree)
    /// The members of elements that are stored by column.
    ///
    /// The first function returns those attributes and to-one relationships of a record that the type has, or nil if no
    /// element can be read. The second one returns the members that a decoder reads of a record and of the keys that it
    /// is linked with.
    case columns(@Sendable (Record) -> MemberTree?, @Sendable (Record, RelatedKeys?) -> MemberTree)

    /// Whether elements have all members of their JSON.
    var isComplete: Bool { if case .everything = self { true } else { false } }
}

extension Shape {
    /// Returns the name of a slot among the members of an entity's elements.
    ///
    /// It is the slot's name, after that of the declaring entity if that is an heir.
    func memberName(of slot: Slot, _ name: String? = nil, in entity: String) -> String {
        let name = name ?? slot.name
        let heirs = lineage.prefix { $0 != entity }
        return heirs.contains(slot.declaredBy) ? "\(slot.declaredBy).\(name)" : name
    }
}

extension Value {
    /// A hash of the names in the value, equal for values that differ only in their content.
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
