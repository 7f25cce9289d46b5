/// A command line that cannot be understood: what is wrong, and what to write instead.
struct UsageError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A file that cannot be used: which one, where in it, and what is wrong.
struct InputError: Error, Hashable {
    let file: String
    let location: TextLocation?
    let message: String

    init(_ message: String, in file: String, at location: TextLocation? = nil) {
        self.file = file
        self.location = location
        self.message = message
    }
}

extension InputError: CustomStringConvertible {
    /// Such as `A.json:3:14: found '}', expected a value`.
    var description: String {
        Console.printable(([file] + (location.map { ["\($0)"] } ?? [])).joined(separator: ":") + ": \(message)")
    }
}
