import Foundation
import GRDB

/// An object of a payload, as an app declares it for `JSONDecoder` and GRDB.
struct DecodedItem: Decodable {
    let id: String
    let title: String?
    let createdAt: Date?
    let revision: Int64?
    let price: Double?
    let isActive: Bool?
    let owner: String?
    let email: String?
    let latitude: Double?
    let longitude: Double?
    let position: Int64?
    let country: String?
    let note: String?

    /// What is in the object, in a table of its own.
    let children: [DecodedChild]?
}

extension DecodedItem: StoredRow {
    static let databaseTableName = "item"
    static let columns = [
        "id", "title", "createdAt", "revision", "price", "isActive", "owner", "email", "latitude", "longitude",
        "position", "country", "note",
    ]

    init(row: Row) {
        id = row[0]
        title = row[1]
        createdAt = (row[2] as Double?).map(Date.init(timeIntervalSinceReferenceDate:))
        revision = row[3]
        price = row[4]
        isActive = row[5]
        owner = row[6]
        email = row[7]
        latitude = row[8]
        longitude = row[9]
        position = row[10]
        country = row[11]
        note = row[12]
        children = nil
    }

    /// Dates are numbers, as in this library's files: the text that GRDB makes of them by itself takes longer.
    var values: [(any DatabaseValueConvertible)?] {
        [
            id, title, createdAt?.timeIntervalSinceReferenceDate, revision, price, isActive, owner, email, latitude,
            longitude, position, country, note,
        ]
    }

    func isStored(as other: DecodedItem) -> Bool {
        guard id == other.id, title == other.title, createdAt == other.createdAt, revision == other.revision,
            price == other.price, isActive == other.isActive, owner == other.owner, email == other.email,
            latitude == other.latitude, longitude == other.longitude, position == other.position,
            country == other.country, note == other.note
        else { return false }
        return true
    }
}
