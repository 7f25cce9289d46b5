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
    /// Some URLs have a text that no other URL can be created from, for example that of empty `URLComponents`, or one with
    /// a port that is not a number. All that keep URLs as text read them by this.
    package init?(kept text: String) {
        let data = { URL(dataRepresentation: Data(text.utf8), relativeTo: nil) }
        let found = URL(exactly: text) ?? (text.isEmpty ? URLComponents().url : data())
        guard let found, found.absoluteString.hasSameScalars(as: text) else { return nil }
        self = found
    }
}
