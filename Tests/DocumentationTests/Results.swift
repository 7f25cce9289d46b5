/// What the expressions of an example come to, one after the other, as a playground shows them beside the code.
func results(@ResultsBuilder _ example: () throws -> [Any]) rethrows -> [Any] {
    try example()
}

/// Collects the value of every expression, so that an example may show one without using it.
@resultBuilder
enum ResultsBuilder {
    static func buildExpression<Value>(_ value: Value) -> Any { value }

    static func buildBlock(_ values: Any...) -> [Any] { values }
}

/// The same of an example that waits.
func awaitedResults(@ResultsBuilder _ example: () async throws -> [Any]) async rethrows -> [Any] {
    try await example()
}
