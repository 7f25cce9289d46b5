/// A command line that is wrong: the reason, and what to write instead.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
