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
}
