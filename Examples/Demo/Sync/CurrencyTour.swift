import DifferentialSyncTesting
import Foundation
import RecordFiles

/// `demo currencies`: two devices with lists of real currency codes, of different ages, synchronize.
struct CurrencyTour {
    typealias Key = RecordKey<JSONValue>
    typealias Currencies = Devices<Record, Key>

    private let console: Console

    /// The lists of the three years.
    let (old, middle, new): ([Record], [Record], [Record])

    init(_ console: Console) throws {
        self.console = console
        (old, middle, new) = try (CurrencyTour.list(2012), CurrencyTour.list(2018), CurrencyTour.list(2024))
    }

    private static func list(_ year: Int) throws -> [Record] {
        guard let url = Bundle.module.url(forResource: "currencies-\(year)", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        let file = try RecordFile(text: Array(Data(contentsOf: url)), name: url.lastPathComponent)
        try file.check(key: ["code"])
        return file.records
    }

    /// Records are merged field by field, the phone's wording stands, and an edit stands against a deletion.
    private static let policy = ConflictPolicy<Record>.mergingMembers(
        otherwise: .keepEdits(otherwise: .remoteWins))
}

extension CurrencyTour {
    /// Runs the tour.
    ///
    /// - Parameter meddling: What else happens, before the check at the end.
    /// - Returns: Whether phone, tablet and remote agree at the end, and hold what a person expects.
    func run(meddling: (inout Currencies) throws -> Void = { _ in }) throws -> Bool {
        let device = try JournaledCollection([Record](), primaryKey: CurrencyTour.key)
        var devices = Currencies(
            phone: device, tablet: device, remote: SimulatedRemote(primaryKey: CurrencyTour.key), key: CurrencyTour.key,
            console: console, changes: ChangeText(lines: 3, width: 96), title: CurrencyTour.title)
        devices.remote.reset(to: old)

        console.line("Real data: the currency codes of ISO 4217", .bold)
        console.line()
        console.line("1  Both devices pull the list of 2012", .bold)
        console.line()
        try devices.sync(.phone, policy: CurrencyTour.policy)
        try devices.sync(.tablet, policy: CurrencyTour.policy)

        console.line()
        console.line("2  Offline, the lists grow apart", .bold)
        console.line("   The phone is brought to 2018 and edited by its user; the tablet is brought to 2024.", .faint)
        console.line()
        try CurrencyTour.update(&devices.phone, from: old, to: middle)
        try CurrencyTour.edit(&devices.phone)
        try CurrencyTour.update(&devices.tablet, from: old, to: new)
        devices.showEdits(of: .phone)
        devices.showEdits(of: .tablet)
        console.line()
        console.line("3  They synchronize", .bold)
        console.line("   What both lists changed alike is no conflict; only real ones are asked about.", .faint)
        console.line()
        for device in [Device.phone, .tablet, .phone] { try devices.sync(device, policy: CurrencyTour.policy) }
        try meddling(&devices)
        console.line()
        let agree = devices.check("currencies")
        return checkExpectation(devices) && agree
    }

    private static func title(_ record: Record) -> String {
        if case .string(let code)? = record["code"] { code } else { "a currency" }
    }

    private static func key(_ record: Record) -> Key {
        RecordKey(record["code"] ?? .null)
    }

    /// Makes the edits that bring a device from one list to another.
    private static func update(
        _ device: inout JournaledCollection<Record, Key>, from old: [Record], to new: [Record]
    ) throws {
        for change in try diff(wins: new, loses: old, primaryKey: key)?.changes ?? [] {
            if let record = change.new {
                try device.upsert(record)
            } else if let record = change.old {
                device.remove(key(record))
            }
        }
    }
}

extension CurrencyTour {
    /// What the phone's user writes beside some currencies.
    private static let notes: [(code: JSONValue, note: JSONValue)] = [
        ("HRK", "coins left from the holiday"), ("JPY", "no cents"), ("SEK", "hotel"),
    ]
    private static let renamed: (code: JSONValue, name: JSONValue) = ("VES", "Bolívar")
    private static let removed: JSONValue = "XTS"
    private static let added: Record = ["code": "XBT", "name": "Bitcoin", "numeric": .null, "minorUnits": .number("8")]

    private static func edit(_ phone: inout JournaledCollection<Record, Key>) throws {
        for (code, note) in notes { try phone.edit(RecordKey(code)) { $0["note"] = note } }
        try phone.edit(RecordKey(renamed.code)) { $0["name"] = renamed.name }
        phone.remove(RecordKey(removed))
        try phone.insert(added)
    }

    /// What a person expects: the list of 2024 with what the phone's user did, and the currency that was deleted
    /// on one device and noted on the other.
    var expected: Set<Record> {
        var records = new.filter { $0["code"] != CurrencyTour.removed } + [CurrencyTour.added]
        records += middle.filter { $0["code"] == "HRK" }
        for index in records.indices {
            let code = records[index]["code"]
            for note in CurrencyTour.notes where note.code == code { records[index]["note"] = note.note }
            if code == CurrencyTour.renamed.code { records[index]["name"] = CurrencyTour.renamed.name }
        }
        return Set(records)
    }

    private func checkExpectation(_ devices: Currencies) -> Bool {
        let isMet = Set(devices.remote.elements) == expected
        console.line(
            isMet
                ? "✓ it is the list of 2024 with the six edits of the phone's user"
                : "✗ it is not the list of 2024 with the six edits of the phone's user", isMet ? .green : .red)
        return isMet
    }
}
