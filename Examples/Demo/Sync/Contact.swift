import DifferentialSync

/// An entry of the address book.
struct Contact: Hashable, Identifiable, Sendable {
    let id: Int
    var name: String
    var phone: String
    var email: String
}

extension Contact {
    static let fields: [MergeField<Contact>] = [
        MergeField("name", \.name),
        MergeField("phone", \.phone),
        MergeField("email", \.email),
    ]
}
