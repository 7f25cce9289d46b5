/// What is wrong with the definitions of a ``Schema``: every fault, not only the first.
public struct SchemaError: Error, Hashable, Sendable {
    /// The faults, in the order of the definitions.
    public let faults: [Fault]

    package init(faults: [Fault]) {
        self.faults = faults
    }

    /// One fault.
    public struct Fault: Hashable, Sendable {
        /// The name of the entity.
        public let entity: String
        /// The name of the property, or nil where the entity itself is at fault.
        public let property: String?
        /// What is wrong, and what to do about it.
        public let message: String

        package init(entity: String, property: String? = nil, message: String) {
            self.entity = entity
            self.property = property
            self.message = message
        }
    }
}

extension SchemaError: CustomStringConvertible {
    /// All faults, one in a line.
    public var description: String {
        "the schema has \(faults.count) fault\(faults.count == 1 ? "" : "s"):\n"
            + faults.map { "  \($0)" }.joined(separator: "\n")
    }
}

extension SchemaError.Fault: CustomStringConvertible {
    /// The names, and what is wrong.
    public var description: String {
        "\(entity)\(property.map { ".\($0)" } ?? ""): \(message)"
    }
}
