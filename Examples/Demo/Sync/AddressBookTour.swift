import DifferentialSyncTesting
import RecordFiles

/// `demo tour`: a phone and a tablet edit an address book offline and synchronize it through a remote.
struct AddressBookTour {
    typealias AddressBook = Devices<Contact, Int>

    private let console: Console
    private var devices: AddressBook

    init(_ console: Console) throws {
        self.console = console
        devices = AddressBook(
            phone: try JournaledCollection(restoring: StoredCollection(client: AddressBookTour.contacts)),
            tablet: try JournaledCollection([]),
            remote: SimulatedRemote(primaryKey: \.id), key: \.id,
            console: console, changes: ChangeText(lines: 8, width: 114), title: \.name)
    }

    private static let contacts = [
        Contact(id: 1, name: "Ada Lovelace", phone: "0101", email: "ada@mail.example"),
        Contact(id: 2, name: "Alan Turing", phone: "0102", email: "alan@mail.example"),
        Contact(id: 3, name: "Edsger Dijkstra", phone: "0103", email: "edsger@mail.example"),
        Contact(id: 4, name: "Grace Hopper", phone: "0104", email: "g@mail.example"),
        Contact(id: 5, name: "Old Landlord", phone: "0105", email: "rent@mail.example"),
    ]

    /// Records are merged field by field.
    ///
    /// Where both devices changed one field, what reached the remote first stands; where one edited what the other
    /// deleted, the user is to say.
    private static let policy = ConflictPolicy<Contact>.mergingFields(
        Contact.fields,
        otherwise: ConflictPolicy { conflict in
            switch conflict.kind {
            case .bothAdded, .bothEdited: .remote
            case .editedHereDeletedThere, .deletedHereEditedThere: .open
            }
        })
}

extension AddressBookTour {
    /// Runs the tour.
    ///
    /// - Parameter meddling: What else happens, before the check at the end.
    /// - Returns: Whether phone, tablet and remote agree at the end.
    func run(meddling: (inout AddressBook) throws -> Void = { _ in }) throws -> Bool {
        var tour = self
        console.line("A phone and a tablet share an address book", .bold)
        try tour.firstContact()
        try tour.offlineEdits()
        try tour.editsOfOneContact()
        try tour.editAgainstDeletion()
        try tour.settling()
        try meddling(&tour.devices)
        console.line()
        return tour.devices.check("contacts")
    }

    private func step(_ number: Int, _ title: String, _ text: String...) {
        console.line()
        console.line("\(number)  \(title)", .bold)
        for line in text { console.line("   " + line, .faint) }
        console.line()
    }

    private mutating func sync(_ order: Device...) throws {
        console.line()
        for device in order { try devices.sync(device, policy: AddressBookTour.policy) }
    }

    private mutating func firstContact() throws {
        step(1, "First contact", "The phone has five contacts, the tablet none, and the remote is empty.")
        devices.showEdits(of: .phone)
        try sync(.phone, .tablet)
    }

    private mutating func offlineEdits() throws {
        step(
            2, "Additions, edits and deletions", "Both devices are offline, and both are edited.",
            "The tablet gets in between, so the phone's push is refused: it pulls, merges and pushes again.")
        try devices.phone.insert(Contact(id: 6, name: "Barbara Liskov", phone: "0106", email: "b@mail.example"))
        try devices.phone.edit(2) { $0.phone = "0202" }
        devices.tablet.remove(5)
        try devices.tablet.insert(Contact(id: 7, name: "Donald Knuth", phone: "0107", email: "don@mail.example"))
        devices.showEdits(of: .phone)
        devices.showEdits(of: .tablet)
        try sync(.tablet, .phone, .tablet)
    }

    private mutating func editsOfOneContact() throws {
        step(
            3, "An edit against an edit",
            "Both devices edit the same contact: fields that only one of them changed are taken from it,",
            "and of two new names the one that reached the remote first stands.")
        try devices.phone.edit(4) {
            $0.name = "Dr Grace Hopper"
            $0.phone = "0404"
        }
        try devices.tablet.edit(4) {
            $0.name = "Amazing Grace"
            $0.email = "g@usn.example"
        }
        devices.showEdits(of: .phone)
        devices.showEdits(of: .tablet)
        try sync(.phone, .tablet, .phone)
    }

    private mutating func editAgainstDeletion() throws {
        step(
            4, "An edit against a deletion",
            "Only the user can say which is meant: the conflict stays open, the contact stays as it is on",
            "either side, and comes up again with each sync of the tablet. Everything else goes on.")
        devices.phone.remove(3)
        try devices.tablet.edit(3) { $0.phone = "0303" }
        devices.showEdits(of: .phone)
        devices.showEdits(of: .tablet)
        try sync(.phone, .tablet)
        try devices.tablet.edit(1) { $0.email = "ada@engine.example" }
        console.line()
        devices.showEdits(of: .tablet)
        try sync(.tablet, .phone)
    }

    private mutating func settling() throws {
        step(5, "The user resolves it", "On the tablet, the user chooses to keep the contact.")
        for conflict in devices.tablet.conflicts {
            guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
            try devices.tablet.resolve(id, with: .local, of: conflict)
        }
        devices.showEdits(of: .tablet)
        try sync(.tablet, .phone)
    }
}
