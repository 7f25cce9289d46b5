/// The fields of a record, for a description.
struct RecordFields {
    /// A name, and the text of the value under it.
    typealias Field = (name: String, text: String)

    /// The text before the fields, such as `User `, or an empty one.
    let title: String

    /// The fields.
    ///
    /// After ``moveKeyToFront(where:)`` those of the key are first.
    private(set) var fields: [Field]

    /// The texts of the key's parts; empty if the key is not known.
    private let key: [String]

    /// The number of fields that form the key.
    private var keyCount: Int

    /// Whether no field holds the key, so that it was added as one.
    private(set) var isKeyComputed = false

    /// Reads the fields of a dictionary, sorted by name, or of a structure or class without a description, in order.
    ///
    /// Nil for all other values.
    ///
    /// If `key` is nil, the key is the identifier of an `Identifiable` element, else the field `id` of a dictionary or
    /// the first field of a structure.
    init?(_ value: Any, key: Any?) {
        if let record = value as? any DescribedByFields {
            title = "\(record.fieldsTitle) "
            fields = record.describedFields.map { (RecordText.printable($0.name), RecordText.text(of: $0.value)) }
            keyCount = record.keyFieldCount
            self.key = []
            return
        }
        guard let fields = RecordFields.fields(of: value) else { return nil }
        title = ""
        self.fields = fields
        let known = key ?? (value as? any Identifiable).map { RecordFields.identifier(of: $0) }
        self.key = known.map(RecordFields.texts(ofKey:)) ?? []
        keyCount = 0
        if known != nil { return }
        if Mirror(reflecting: value).displayStyle != .dictionary {
            keyCount = 1
        } else if let position = fields.firstIndex(where: { $0.name == "id" }) {
            self.fields.insert(self.fields.remove(at: position), at: 0)
            keyCount = 1
        }
    }

    /// The fields of the key, which come first; empty if no field is known to be the key.
    var keyFields: ArraySlice<Field> { fields.prefix(keyCount) }

    /// The fields that a replacement may change.
    var otherFields: ArraySlice<Field> { fields.dropFirst(keyCount) }

    /// The fields of the key as text.
    var keyTexts: [String] { keyFields.map { "\($0.name): \($0.text)" } }

    /// Moves the fields that hold the key to the front.
    ///
    /// A key that no field holds becomes a field.
    ///
    /// - Parameter isEligible: Whether a field may be one of the key.
    mutating func moveKeyToFront(where isEligible: (Field) -> Bool = { _ in true }) {
        if key.isEmpty { return }
        let isKey = fields.map { key.contains($0.text) && isEligible($0) }
        var keyFields = zip(fields, isKey).filter(\.1).map(\.0)
        if !key.allSatisfy({ part in keyFields.contains { $0.text == part } }) {
            keyFields = [("key", key.joined(separator: "/"))]
            isKeyComputed = true
        } else {
            fields = zip(fields, isKey).filter { !$0.1 }.map(\.0)
        }
        keyCount = keyFields.count
        fields = keyFields + fields
    }
}

extension RecordFields {
    /// Returns the identifier of an element.
    private static func identifier(of element: some Identifiable) -> Any { element.id }

    /// Returns the texts of a key's parts.
    private static func texts(ofKey key: Any) -> [String] {
        if let key = key as? any DescribedByParts { return key.describedParts.flatMap(texts(ofKey:)) }
        return [RecordText.text(of: key)]
    }

    /// Returns the fields of a value by reflection; nil for a value without fields.
    private static func fields(of value: Any) -> [Field]? {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .dictionary:
            var fields: [Field] = []
            for child in mirror.children {
                let pair = Mirror(reflecting: child.value).children.map(\.value)
                guard pair.count == 2, let name = pair[0] as? String ?? (pair[0] as? any FieldName)?.fieldName
                else { return nil }
                fields.append((RecordText.printable(name), RecordText.text(of: pair[1])))
            }
            return fields.sorted { $0.name < $1.name }
        case .struct, .class:
            if value is any CustomStringConvertible || mirror.children.isEmpty { return nil }
            return mirror.children.map { (name: $0.label ?? "", text: RecordText.text(of: $0.value)) }
        default:
            return nil
        }
    }
}

/// A record that provides its fields.
package protocol DescribedByFields {
    /// What kind of record it is.
    var fieldsTitle: String { get }
    /// The fields by name, those of the key first.
    var describedFields: [(name: String, value: Any)] { get }
    /// The number of fields that form the key.
    var keyFieldCount: Int { get }
}

extension DescribedByFields {
    /// The record on one line of about 100 characters, such as `User {id: 7, name: "Ada"}`.
    package var fieldsDescription: String { RecordText(width: 100).text(self, key: nil) }
}

/// A key of a dictionary that is the name of a field, as a `String` is.
package protocol FieldName {
    /// The name.
    var fieldName: String { get }
}

/// A key of several parts.
private protocol DescribedByParts {
    /// The parts; each has a description of its own.
    var describedParts: [Any] { get }
}

extension CompositeKey: DescribedByParts {
    var describedParts: [Any] {
        var all: [Any] = []
        for part in repeat each parts { all.append(part) }
        return all
    }
}

extension RecordKey: DescribedByParts {
    var describedParts: [Any] { parts }
}

extension Array: DescribedByParts {
    var describedParts: [Any] { self }
}
