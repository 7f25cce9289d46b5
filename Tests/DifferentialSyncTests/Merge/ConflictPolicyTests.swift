import DifferentialSync
import TestSupport
import Testing

struct ConflictPolicyTests {
    static let base = Note(id: 1, text: "milk", modified: 1)
    static let older = Note(id: 1, text: "oat milk", modified: 2)
    static let newer = Note(id: 1, text: "no milk", modified: 3)

    static let bothEdited = Conflict(base: base, local: older, remote: newer)
    static let bothAdded = Conflict(base: nil, local: older, remote: newer)
    static let editedHere = Conflict(base: base, local: older, remote: nil)
    static let editedThere = Conflict(base: base, local: nil, remote: newer)

    static func answers(_ policy: ConflictPolicy<Note>) throws -> [Resolution<Note>] {
        try [bothAdded, bothEdited, editedHere, editedThere].map { try policy.resolve($0) }
    }

    @Test func oneSideWins() throws {
        #expect(try Self.answers(.localWins) == [.local, .local, .local, .local])
        #expect(try Self.answers(.remoteWins) == [.remote, .remote, .remote, .remote])
        #expect(try Self.answers(.leaveOpen) == [.open, .open, .open, .open])
    }

    @Test func theNewestWinsAndAnEditStandsAgainstADeletion() throws {
        #expect(try Self.answers(.newest(by: \.modified)) == [.remote, .remote, .local, .remote])
        let turned = Conflict(base: Self.base, local: Self.newer, remote: Self.older)
        #expect(try ConflictPolicy<Note>.newest(by: \.modified).resolve(turned) == .local)
        let equal = Conflict(base: Self.base, local: Self.newer, remote: Note(id: 1, text: "x", modified: 3))
        #expect(try ConflictPolicy<Note>.newest(by: \.modified).resolve(equal) == .remote)
    }

    @Test func editsStandAgainstDeletions() throws {
        #expect(try Self.answers(.keepEdits(otherwise: .leaveOpen)) == [.open, .open, .local, .remote])
    }

    @Test func theOutcomesOfDS() throws {
        #expect(try Self.answers(.differentialSync { _, _ in true }) == [.local, .local, .remote, .remote])
        #expect(try Self.answers(.differentialSync { _, _ in false }) == [.remote, .remote, .remote, .remote])
        #expect(
            try ConflictPolicy<Note>.differentialSync { $0.modified == 3 && $1.modified == 2 }
                .resolve(Self.bothEdited) == .local, "old is the remote version, new the local one")
    }

    @Test func aPolicyMayThrow() throws {
        struct Undecided: Error {}
        #expect(throws: Undecided.self) {
            try merge(
                base: [Self.base], local: [Self.older], remote: [Self.newer], primaryKey: \.id,
                policy: ConflictPolicy { _ in throw Undecided() })
        }
    }
}

struct FieldMergeTests {
    struct Contact: Equatable, Sendable, Identifiable {
        let id: Int
        var name: String
        var phone: String?
        var city: String
        /// Not among the fields.
        var notes: String = ""

        static let fields: [MergeField<Contact>] = [
            MergeField("name", \.name), MergeField("phone", \.phone), MergeField("city", \.city),
        ]
    }

    let base = Contact(id: 1, name: "Ann", phone: "1", city: "Oslo")

    func merged(
        _ base: Contact?, _ local: Contact, _ remote: Contact, otherwise policy: ConflictPolicy<Contact> = .unexpected
    ) throws -> Contact? {
        try merge(
            base: base.map { [$0] }, local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingFields(Contact.fields, otherwise: policy)
        ).elements.first
    }

    @Test func editsOfDifferentFieldsBothStand() throws {
        var local = base
        local.name = "Anna"
        var remote = base
        remote.phone = nil
        #expect(try merged(base, local, remote) == Contact(id: 1, name: "Anna", phone: nil, city: "Oslo"))
        #expect(try merged(base, remote, local) == Contact(id: 1, name: "Anna", phone: nil, city: "Oslo"))
    }

    @Test func theSameEditOfAFieldIsNoClash() throws {
        var local = base
        local.name = "Anna"
        local.city = "Rome"
        var remote = base
        remote.name = "Anna"
        #expect(try merged(base, local, remote)?.city == "Rome")
    }

    @Test func onlyClashingFieldsGoToThePolicy() throws {
        var local = base
        local.name = "Anna"
        local.city = "Rome"
        var remote = base
        remote.name = "Anne"
        remote.phone = "2"
        for (answer, name) in [(Resolution<Contact>.local, "Anna"), (.remote, "Anne"), (.base, "Ann")] {
            let result = try merged(
                base, local, remote,
                otherwise: ConflictPolicy { conflict in
                    #expect(conflict.clashingFields(of: Contact.fields) == ["name"])
                    return answer
                })
            #expect(result == Contact(id: 1, name: name, phone: "2", city: "Rome"))
        }
        let own = Contact(id: 1, name: "x", phone: nil, city: "y")
        #expect(
            try merged(base, local, remote, otherwise: ConflictPolicy { _ in .merged(own) })
                == Contact(id: 1, name: "x", phone: "2", city: "Rome"))
        #expect(try merged(base, local, remote, otherwise: ConflictPolicy { _ in .delete }) == nil)
        #expect(try merged(base, local, remote, otherwise: .leaveOpen) == base, "the base stands")
    }

    @Test func whatIsNotListedCountsAsOneField() throws {
        var local = base
        local.notes = "here"
        var remote = base
        remote.name = "Anne"
        let oneSided = Contact(id: 1, name: "Anne", phone: "1", city: "Oslo", notes: "here")
        #expect(try merged(base, local, remote) == oneSided)
        #expect(try merged(base, remote, local) == oneSided)
        remote.notes = "there"
        let result = try merged(
            base, local, remote,
            otherwise: ConflictPolicy { conflict in
                #expect(conflict.clashingFields(of: Contact.fields) == ["other fields"])
                return .remote
            })
        #expect(result == Contact(id: 1, name: "Anne", phone: "1", city: "Oslo", notes: "there"))
    }

    @Test func withoutABaseEveryFieldThatDiffersClashes() throws {
        var remote = base
        remote.phone = "2"
        let result = try merged(
            nil, base, remote,
            otherwise: ConflictPolicy { conflict in
                #expect(conflict.clashingFields(of: Contact.fields) == ["phone"])
                #expect(conflict.kind == .bothAdded)
                return .remote
            })
        #expect(result == remote)
        #expect(try merged(nil, base, remote, otherwise: ConflictPolicy { _ in .base }) == nil)
    }

    @Test func anOpenConflictTellsWhichFieldsClash() throws {
        var local = base
        local.name = "Anna"
        local.city = "Rome"
        var remote = base
        remote.name = "Anne"
        remote.city = "Rome"
        let open = try merge(
            base: [base], local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingFields(Contact.fields, otherwise: .leaveOpen)
        ).open
        #expect(open.map { $0.clashingFields(of: Contact.fields) } == [["name"]])
        #expect(Conflict(base: base, local: local, remote: nil).clashingFields(of: Contact.fields) == [])
        let records = Conflict(base: ["a": 1, "b": 1], local: ["b": 2, "c": 1], remote: ["b": 3, "c": 2])
        #expect(records.clashingFields() == ["b", "c"])
        #expect(Conflict(base: ["a": 1], local: nil, remote: ["a": 2]).clashingFields() == [])
    }

    @Test func deletionsGoToThePolicyAsTheyAre() throws {
        var local = base
        local.name = "Anna"
        let policy = ConflictPolicy<Contact>.mergingFields(
            Contact.fields, otherwise: .keepEdits(otherwise: .unexpected))
        let kept = try merge(base: [base], local: [local], remote: [], primaryKey: \.id, policy: policy)
        #expect(kept.elements == [local])
    }

    @Test func dictionaryLikeRecordsAreMergedByTheirNames() throws {
        let base = ["id": "1", "name": "Ann", "city": "Oslo", "old": "x"]
        let local = ["id": "1", "name": "Anna", "city": "Oslo", "phone": "1"]
        let remote = ["id": "1", "name": "Ann", "city": "Rome", "old": "x"]
        let result = try merge(
            base: [base], local: [local], remote: [remote], primaryKey: "id",
            policy: .mergingFields(otherwise: .unexpected))
        #expect(result.elements == [["id": "1", "name": "Anna", "city": "Rome", "phone": "1"]])
    }

    @Test func recordsAddedOnBothSidesGiveTheirFieldsToEachOther() throws {
        let local = ["id": "1", "name": "Ann", "phone": "1"]
        let remote = ["id": "1", "name": "Anne", "city": "Rome"]
        let result = try merge(
            base: nil, local: [local], remote: [remote], primaryKey: "id",
            policy: .mergingFields(
                otherwise: ConflictPolicy { conflict in
                    #expect(conflict.clashingFields() == ["name"])
                    #expect(conflict.base == nil)
                    return .local
                }))
        #expect(result.elements == [["id": "1", "name": "Ann", "phone": "1", "city": "Rome"]])
    }

    @Test func everySmallRecordAgainstFieldsTakenOneByOne() throws {
        // Two fields with the values 0 to 2 each: each is merged as a record of its own would be.
        let records = (0..<9).map { ["id": 0, "a": $0 % 3, "b": $0 / 3] }
        for base in records {
            for local in records {
                for remote in records {
                    let merged = try merge(
                        base: [base], local: [local], remote: [remote], primaryKey: "id",
                        policy: .mergingFields(otherwise: .remoteWins))
                    var expected = ["id": 0]
                    for field in ["a", "b"] {
                        expected[field] =
                            local[field] == base[field]
                            ? remote[field]
                            : remote[field] == base[field] ? local[field] : remote[field]
                    }
                    #expect(merged.elements == [expected])
                }
            }
        }
    }
}
