#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension URL {
    /// The locator that a text is, nothing of it escaped or completed; nil if it is none.
    package init?(exactly text: String) {
        guard let url = URL(string: text), url.absoluteString.hasSameScalars(as: text) else { return nil }
        self = url
    }
}
