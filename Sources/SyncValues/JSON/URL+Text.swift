#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension URL {
    /// Creates the URL of a text, without escaping or completing it; nil if the text is not a URL.
    package init?(exactly text: String) {
        guard let url = URL(string: text), url.absoluteString.hasSameScalars(as: text) else { return nil }
        self = url
    }

    /// Creates the URL whose absolute string was kept as a text; nil if there is none.
    ///
    /// `URL(string:)` does not read the text of every URL: not that of empty `URLComponents`, and not one with a port that
    /// is not a number. Stores and messages keep URLs as text, and read them with this initializer.
    package init?(kept text: String) {
        let data = { URL(dataRepresentation: Data(text.utf8), relativeTo: nil) }
        let found = URL(exactly: text) ?? (text.isEmpty ? URLComponents().url : data())
        guard let found, found.absoluteString.hasSameScalars(as: text) else { return nil }
        self = found
    }
}
