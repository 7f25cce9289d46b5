/// Finds all that is wrong with definitions before a ``Schema`` is made of them.
struct SchemaValidation {
    private(set) var faults: [SchemaError.Fault] = []

    private let entities: [Entity]

    init(_ entities: [Entity]) {
        self.entities = entities
    }
}
