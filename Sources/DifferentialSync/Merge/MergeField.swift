/// A field of a record that is merged separately.
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
/// Fields that are not listed count together as one more field, named `other fields`.
///
/// Sets, counters and logs rarely clash: see ``set(_:_:)``, ``counter(_:_:)`` and
/// ``log(_:_:)``.
public struct MergeField<Element>: Sendable {
    /// The name of the field in ``Conflict/clashingFields(of:)``.
    public let name: String

    /// Whether two records have the same value in the field.
    let areEqual: @Sendable (Element, Element) -> Bool

    /// Copies the field from another record.
    let copy: @Sendable (_ source: Element, _ target: inout Element) -> Void

    /// Merges the changes of two records in the field into the target.
    ///
    /// Returns false if they clash.
    let merge: @Sendable (_ base: Element?, _ local: Element, _ remote: Element, _ target: inout Element) -> Bool

    /// Creates a field under a key path.
    ///
    /// - Parameters:
    ///   - name: The name of the field in ``Conflict/clashingFields(of:)``.
    ///   - path: The key path of the field.
    public init<Value: Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Element, Value> & Sendable
    ) {
        self.init(name, path) { _, _, _ in nil }
    }

    /// Creates a field under a key path.
    ///
    /// `merge` merges values that both sides changed, and returns nil if they clash.
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

    /// Creates a field from its functions.
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

    /// Creates the field of dictionary-like records under a name.
    init<Value: Equatable & SendableMetatype>(_ name: String) where Element == [String: Value] {
        self.name = name
        areEqual = { areSame($0[name], $1[name]) }
        copy = { source, target in target[name] = source[name] }
        merge = { _, _, _, _ in false }
    }

    /// Creates a field for the rest of an element, without the given fields.
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
