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
///
/// A set, a counter or a log that both sides changed need not clash: see ``set(_:_:)``, ``counter(_:_:)`` and
/// ``log(_:_:)``.
public struct MergeField<Element>: Sendable {
    /// The name of the field in a ``Conflict``.
    public let name: String

    /// Whether two records agree in the field.
    let areEqual: @Sendable (Element, Element) -> Bool

    /// Takes the field over from another record.
    let copy: @Sendable (_ source: Element, _ target: inout Element) -> Void

    /// Merges the field of two records that both changed it, into the target; false if the two changes clash.
    let merge: @Sendable (_ base: Element?, _ local: Element, _ remote: Element, _ target: inout Element) -> Bool

    /// The field under a key path.
    ///
    /// - Parameters:
    ///   - name: The name by which a ``Conflict`` speaks of the field.
    ///   - path: Where the field is.
    public init<Value: Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Value> & Sendable
    ) {
        self.init(name, path) { _, _, _ in nil }
    }

    /// The field under a key path, with a merge for values that both sides changed: nil if they clash.
    init<Value: Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Value> & Sendable,
        merge: @escaping @Sendable (_ base: Value?, _ local: Value, _ remote: Value) -> Value?
    ) {
        self.name = name
        areEqual = { areSame($0[keyPath: path], $1[keyPath: path]) }
        copy = { source, target in target[keyPath: path] = source[keyPath: path] }
        self.merge = { base, local, remote, target in
            guard let value = merge(base?[keyPath: path], local[keyPath: path], remote[keyPath: path]) else {
                return false
            }
            target[keyPath: path] = value
            return true
        }
    }

    /// A field of the library's own, made of its parts.
    package init(
        _ name: String, areEqual: @escaping @Sendable (Element, Element) -> Bool,
        copy: @escaping @Sendable (_ source: Element, _ target: inout Element) -> Void,
        merge:
            @escaping @Sendable (_ base: Element?, _ local: Element, _ remote: Element, _ target: inout Element) -> Bool
    ) {
        self.name = name
        self.areEqual = areEqual
        self.copy = copy
        self.merge = merge
    }

    /// The field under a name of dictionary-like records.
    init<Value: Equatable & SendableMetatype>(_ name: String) where Element == [String: Value] {
        self.name = name
        areEqual = { areSame($0[name], $1[name]) }
        copy = { source, target in target[name] = source[name] }
        merge = { _, _, _, _ in false }
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
            return areSame(result, second)
        }
        merge = { _, _, _, _ in false }
    }
}
