package import SyncPersistence

/// The edits of one device under load, so that their number tells what a store must have of the device.
///
/// A device inserts, updates and deletes notes of its own, places orders, to which the service gives keys, and changes
/// a field of its own in boards that all devices of the account have.
package struct LoadPlan: Sendable {
    /// The number of the device among all.
    package let device: Int

    /// The number of the device's account.
    package let account: Int

    /// The most devices of an account.
    package static let deviceLimit = 10

    /// The number of boards of each account.
    private static let boardCount = 3

    /// The field of the device in all boards.
    private let field: String

    /// Creates the plan of a device.
    ///
    /// - Parameters:
    ///   - device: The number of the device, from 0 on.
    ///   - accountCount: The number of accounts, over which the devices are spread.
    package init(device: Int, accountCount: Int) {
        self.device = device
        account = device % accountCount
        field = "field\(device / accountCount)"
    }

    /// The schema of all stores.
    package static let schema: Schema = {
        do {
            return try Schema {
                Entity("Note") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("edit", .integer)
                }
                Entity("Order") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                }
                Entity(
                    "Board",
                    attributes: [Attribute("id", .integer, isPrimaryKey: true)]
                        + (0..<deviceLimit).map { Attribute("field\($0)", .integer) })
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// The namespace of an account's store.
    package static func namespace(ofAccount number: Int) -> String { "account \(number)" }

    /// Inserts the boards that the devices of an account share.
    package static func insertBoards(_ transaction: WriteTransaction) throws {
        var changes = ChangeSet()
        for board in 0..<boardCount {
            try changes.put(Record("Board", in: transaction.schema, ["id": .integer(Int64(board))]))
        }
        try transaction.apply(changes)
    }

    /// An edit of the device.
    private enum Edit {
        case insert(note: Int)
        case update(note: Int)
        case delete(note: Int)
        case order
        case change(board: Int)
    }

    private func edit(_ number: Int) -> Edit {
        switch number % 8 {
        case 1, 5: .insert(note: number)
        case 2: .update(note: number - 1)
        case 7: .delete(note: number - 2)
        case 4, 6: .order
        default: .change(board: number / 4 % Self.boardCount)
        }
    }

    private func note(_ number: Int) -> String { "\(device) \(number)" }

    /// Makes an edit in a store that has the boards.
    package func make(_ number: Int, in transaction: WriteTransaction) throws {
        var changes = ChangeSet()
        let value = Value.integer(Int64(number))
        switch edit(number) {
        case .insert(let note):
            try changes.put(
                Record("Note", in: transaction.schema, ["id": .string(self.note(note)), "edit": value]))
        case .update(let note): changes.update(RecordID("Note", .string(self.note(note))), ["edit": value])
        case .delete(let note): changes.delete(RecordID("Note", .string(self.note(note))))
        case .order:
            // Negative, so that the service gives it another key.
            let key = Value.integer(-Int64(number))
            try changes.put(
                Record("Order", in: transaction.schema, ["id": key, "name": .string(note(number))]))
        case .change(let board):
            changes.update(RecordID("Board", .integer(Int64(board))), [field: value])
        }
        try transaction.apply(changes)
    }
}

extension LoadPlan {
    /// The content of a store, in a form that the plans tell too.
    package struct Content: Equatable, Sendable {
        /// The last edit of each note.
        package var notes: [String: Int64] = [:]
        /// The number of orders with each name.
        package var orders: [String: Int] = [:]
        /// The last edit of each field of the boards.
        package var fields: [String: Int64] = [:]

        /// Creates an empty content.
        package init() {}

        /// Reads the content of a store.
        package init(of transaction: ReadTransaction) throws {
            for note in try transaction.records(Query("Note")) {
                if case .string(let id) = note.key, case .integer(let edit) = note["edit"] { notes[id] = edit }
            }
            for order in try transaction.records(Query("Order")) {
                if case .string(let name) = order["name"] { orders[name, default: 0] += 1 }
            }
            for board in try transaction.records(Query("Board")) {
                for slot in board.shape.slots {
                    if slot.name != "id", case .integer(let edit) = board[slot.name] {
                        fields["\(board.key) \(slot.name)"] = edit
                    }
                }
            }
        }
    }

    /// Adds what a store must have after a number of the device's edits.
    package func add(edits count: Int, to content: inout Content) {
        for number in stride(from: 1, through: count, by: 1) {
            switch edit(number) {
            case .insert(let note), .update(let note): content.notes[self.note(note)] = Int64(number)
            case .delete(let note): content.notes[self.note(note)] = nil
            case .order: content.orders[note(number)] = 1
            case .change(let board): content.fields["\(Value.integer(Int64(board))) \(field)"] = Int64(number)
            }
        }
    }
}
