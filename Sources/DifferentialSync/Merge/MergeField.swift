/// A field that a record is merged by.
///
/// A type lists its fields once:
///
/// ```swift
/// extension Contact {
///     static let fields: [MergeField<Contact>] = [
///         MergeField("name", \.name),
///         MergeField("phone", \.phone),
///     ]
/// }
/// ```
///
/// Everything that is not listed counts together as one more field, named `other fields`.
public struct MergeField<Element>: Sendable {
    /// The name by which a ``Conflict`` speaks of the field.
    public let name: String

    /// Whether two records agree in the field.
    let areEqual: @Sendable (Element, Element) -> Bool

    /// Takes the field over from another record.
    let copy: @Sendable (_ source: Element, _ target: inout Element) -> Void

    /// The field under a key path.
    ///
    /// - Parameters:
    ///   - name: The name by which a ``Conflict`` speaks of the field.
    ///   - path: Where the field is.
    public init<Value: Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Value> & Sendable
    ) {
        self.name = name
        areEqual = { $0[keyPath: path] == $1[keyPath: path] }
        copy = { source, target in target[keyPath: path] = source[keyPath: path] }
    }

    /// The field under a name of dictionary-like records.
    init<Value: Equatable & SendableMetatype>(_ name: String) where Element == [String: Value] {
        self.name = name
        areEqual = { $0[name] == $1[name] }
        copy = { source, target in target[name] = source[name] }
    }

    /// Everything of a record but the given fields.
    init(allBut fields: [MergeField<Element>]) where Element: Equatable & SendableMetatype {
        name = "other fields"
        copy = { source, target in
            var result = source
            for field in fields { field.copy(target, &result) }
            target = result
        }
        areEqual = { first, second in
            var result = first
            for field in fields { field.copy(second, &result) }
            return result == second
        }
    }
}
