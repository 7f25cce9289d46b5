import ExampleSupport

/// A file that cannot be used: which one, where in it, and what is wrong.
package struct InputError: Error, Hashable {
    package let file: String
    package let location: TextLocation?
    package let message: String

    package init(_ message: String, in file: String, at location: TextLocation? = nil) {
        self.file = file
        self.location = location
        self.message = message
    }
}

extension InputError: CustomStringConvertible {
    /// Such as `A.json:3:14: found '}', expected a value`.
    package var description: String {
        printable(([file] + (location.map { ["\($0)"] } ?? [])).joined(separator: ":") + ": \(message)")
    }
}
